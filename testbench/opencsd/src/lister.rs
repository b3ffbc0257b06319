// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD's program `trc_pkt_lister`.

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
            .arg("-help")
            .stdin(Stdio::null())
            .output()
            .with_context(|| {
                let path = path.display();
                format!("cannot start {path}: install libopencsd-bin, or give its path")
            })?;
        Ok(Lister(path.to_owned()))
    }

    /// The packets of a buffer of a snapshot, as text. `options` say how frames are synchronised:
    /// `-tpiu`, `-tpiu_hsync`, `-dstream_format`.
    ///
    /// # Errors
    /// If the program fails. A broken trace is no failure.
    pub fn list(&self, snapshot: &Path, buffer: &str, options: &[&str]) -> Result<String> {
        let output = Command::new(&self.0)
            .arg("-ss_dir")
            .arg(snapshot)
            .args(["-src_name", buffer, "-pkt_mon", "-logstdout"])
            .args(options)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {}", self.0.display()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(
            output.status.success(),
            "{} fails on {}: {}",
            self.0.display(),
            snapshot.display(),
            text.lines().last().unwrap_or_default()
        );
        Ok(text)
    }
}
