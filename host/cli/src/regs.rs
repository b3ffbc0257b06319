// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 regs`: the registers of the trace units of a running Linux.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_capture::{Format, SourceDescription};
use coretrace_etm::Registers;

use crate::capture_args::{STANDARD, TRACE_ID};
use crate::error::{Outcome, say};
use crate::output::create;

/// Where Linux shows the devices of CoreSight.
const SYSFS: &str = "/sys/bus/coresight/devices";

const EXAMPLES: &str = "\
Run it on the target while the trace units are set up, since a trace unit that was not enabled has no
configuration. Then put the bytes of the trace buffer beside the file that it writes.

Examples:
  etm4 regs --out capture.toml
  etm4 regs --sysfs copy-of-sysfs --format tpiu-fsync --file port.bin";

/// Read the registers of the trace units of a running Linux into a capture.toml
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RegsArgs {
    /// Where the devices of CoreSight are shown
    #[arg(long, value_name = "FOLDER", default_value = SYSFS)]
    sysfs: PathBuf,

    /// The file to write
    #[arg(long, value_name = "FILE", default_value = STANDARD)]
    out: PathBuf,

    /// Name of the trace file that belongs to it
    #[arg(long, value_name = "NAME", default_value = "trace.bin")]
    file: String,

    /// How that file is framed: frames is what a trace buffer on chip holds
    #[arg(long, value_name = "FORMAT", default_value = "frames")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// If there is no trace unit, a register of one cannot be read, or the file cannot be written.
pub fn run(args: &RegsArgs) -> Result<Outcome> {
    let units = trace_units(&args.sysfs)?;
    let text = capture_toml(&units, &args.file, args.format);
    create(&args.out)?
        .write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(Outcome::Complete)
}

/// The trace units in a folder of devices, by name.
fn trace_units(sysfs: &Path) -> Result<Vec<SourceDescription>> {
    let folder = fs::read_dir(sysfs).with_context(|| {
        format!(
            "cannot read {}: is this the target, and has its kernel CoreSight drivers?",
            sysfs.display()
        )
    })?;
    let mut names = Vec::new();
    for entry in folder {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if sysfs.join(&name).join("trcidr").is_dir() {
            names.push(name);
        }
    }
    ensure!(
        !names.is_empty(),
        "{} has no ETMv4 or ETE trace unit",
        sysfs.display()
    );
    names.sort_by_key(|name| (name.len(), name.clone()));
    names
        .into_iter()
        .map(|name| trace_unit(sysfs, name))
        .collect()
}

fn trace_unit(sysfs: &Path, name: String) -> Result<SourceDescription> {
    let device = sysfs.join(&name);
    let names = Registers::NAMES.iter().chain(&[TRACE_ID]);
    let registers = names.map(|register| {
        let value = read_register(&device, register)?;
        Ok(((*register).to_owned(), value))
    });
    let registers = registers.collect::<Result<BTreeMap<_, _>>>()?;
    let of = |register: &str| registers.get(register).copied().unwrap_or(0);
    if of("TRCCONFIGR") == 0 {
        say(&format!(
            "warning: {name}: TRCCONFIGR is 0: was the trace unit set up yet?"
        ));
    }
    let trace_id = (of(TRACE_ID) & 0x7F) as u8;
    if trace_id == 0 {
        say(&format!(
            "warning: {name}: it has no trace ID yet: write one by hand"
        ));
    }
    let is_ete = of("TRCDEVARCH") >> 12 & 0xF == 5;
    Ok(SourceDescription {
        name,
        protocol: if is_ete { "ETE" } else { "ETM4" }.to_owned(),
        trace_id: Some(trace_id).filter(|id| *id != 0),
        core: None,
        registers,
    })
}

/// Reads a register. Linux has the ID registers in `trcidr`, the others in `mgmt`, and calls
/// TRCCONFIGR `trcconfig` and TRCTRACEIDR `trctraceid`.
fn read_register(device: &Path, register: &str) -> Result<u32> {
    let name = register.to_ascii_lowercase();
    let file = match name.as_str() {
        "trcconfigr" => device.join("mgmt/trcconfig"),
        "trctraceidr" => device.join("mgmt/trctraceid"),
        _ if name.starts_with("trcidr") => device.join("trcidr").join(&name),
        _ => device.join("mgmt").join(&name),
    };
    let text = fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}: try it as root", file.display()))?;
    let digits = text.trim().trim_start_matches("0x");
    let value = u64::from_str_radix(digits, 16).ok();
    let value = value.and_then(|value| u32::try_from(value).ok());
    value.with_context(|| format!("{} holds {:?}, not a register", file.display(), text.trim()))
}

/// The description of a capture of these trace units.
fn capture_toml(units: &[SourceDescription], file: &str, format: Format) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let mut text = format!(
        "name = \"target\"\nfile = {}\nformat = \"{format}\"\n",
        quoted(file)
    );
    for unit in units {
        text.push('\n');
        text.push_str(&unit.toml());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_capture::{Description, Source};

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// The files of a trace unit of an Arm Juno, as Linux shows them.
    fn juno(folder: &Path, name: &str, id: &str) {
        let device = folder.join(name);
        for (file, text) in [
            ("mgmt/trcconfig", "0x1001\n"),
            ("mgmt/trctraceid", id),
            ("mgmt/trcdevarch", "0x47704a13\n"),
            ("trcidr/trcidr0", "0x28000ea1\n"),
            ("trcidr/trcidr1", "0x4100f402\n"),
            ("trcidr/trcidr2", "0x488\n"),
            ("trcidr/trcidr8", "0x0\n"),
        ] {
            write(&device, file, text);
        }
    }

    #[test]
    fn the_registers_of_linux_become_a_description_that_can_be_used() {
        let folder = tempfile::TempDir::new().expect("a folder");
        juno(folder.path(), "etm10", "0x1c\n");
        juno(folder.path(), "etm2", "0x12\n");
        fs::create_dir(folder.path().join("tmc_etr0")).expect("made");
        let units = trace_units(folder.path()).expect("trace units");
        let format = "frames".parse().expect("a format");
        let text = capture_toml(&units, "trace.bin", format);
        let description = Description::parse(&text).expect("well-formed");
        let names: Vec<&str> = description
            .sources
            .iter()
            .map(|s| s.name.as_str())
            .collect();
        assert_eq!(names, ["etm2", "etm10"]);
        for (source, id) in description.sources.iter().zip([0x12, 0x1C]) {
            let source = Source::new(source).expect("usable");
            assert_eq!(source.trace_id, Some(id));
            assert_eq!(source.registers.trcidr0, 0x2800_0EA1);
            assert_eq!(source.registers.trcconfigr, 0x1001);
        }
    }

    #[test]
    fn a_folder_without_trace_units_is_refused() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let error = trace_units(folder.path())
            .expect_err("nothing in it")
            .to_string();
        assert!(error.contains("no ETMv4 or ETE trace unit"), "{error}");
        juno(folder.path(), "etm0", "what\n");
        let error = trace_units(folder.path())
            .expect_err("no number")
            .to_string();
        assert!(
            error.contains("trctraceid") && error.contains("what"),
            "{error}"
        );
    }
}
