// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD's program `trc_pkt_lister`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The program.
#[derive(Clone, Debug)]
pub struct Lister(PathBuf);

impl Lister {
    /// The program at this path, or the installed one. It is started once, to see that it is there.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn open(path: Option<&Path>) -> Result<Lister> {
        let path = path.unwrap_or(Path::new("trc_pkt_lister"));
        Command::new(path)
            .args(["-logfilename", "/dev/null", "-help"])
            .stdin(Stdio::null())
            .output()
            .with_context(|| {
                let path = path.display();
                format!("cannot start {path}: install libopencsd-bin, or give its path")
            })?;
        Ok(Lister(path.to_owned()))
    }

    /// Writes the packets of a buffer of a snapshot to a new file, and returns them as text. `options`
    /// say how frames are synchronised: `-tpiu`, `-tpiu_hsync`, `-dstream_format`.
    ///
    /// # Errors
    /// If the file exists, because the program would append to it, or if the program fails. A broken
    /// trace is no failure.
    pub fn list(
        &self,
        snapshot: &Path,
        buffer: &str,
        options: &[&str],
        list: &Path,
    ) -> Result<String> {
        ensure!(
            !list.exists(),
            "{} is there already: remove it",
            list.display()
        );
        // Without the name of a file, even with `-logstdout`, it writes one to the current folder.
        let output = Command::new(&self.0)
            .arg("-ss_dir")
            .arg(snapshot)
            .args(["-src_name", buffer, "-pkt_mon", "-logfilename"])
            .arg(list)
            .args(options)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.0.display()))?;
        ensure!(
            output.status.success(),
            "{} fails on {}: {}",
            self.0.display(),
            snapshot.display(),
            String::from_utf8_lossy(&output.stderr)
                .lines()
                .last()
                .unwrap_or_default()
        );
        let text = fs::read(list).with_context(|| format!("cannot read {}", list.display()))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
