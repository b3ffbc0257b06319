// SPDX-License-Identifier: MIT OR Apache-2.0
//! `capture.toml`: the description of a capture.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use toml::Value;

use crate::{Format, MemoryImage};

/// The contents of `capture.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Name of the capture.
    pub name: String,
    /// The trace file, relative to the folder.
    pub file: String,
    /// How the trace is framed.
    pub format: Format,
    /// Size of the trace file.
    pub bytes: Option<u64>,
    /// SHA-256 of the trace file, 64 hexadecimal digits.
    pub sha256: Option<String>,
    /// What was traced.
    pub about: Option<String>,
    /// Where the capture comes from.
    pub origin: Option<String>,
    /// The licence of the capture.
    pub licence: Option<String>,
    /// The trace sources.
    #[serde(rename = "source", default)]
    pub sources: Vec<SourceDescription>,
    /// The memory images.
    #[serde(default)]
    pub memory: Vec<MemoryImage>,
}

/// One `[[source]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceDescription {
    /// Name of the trace unit.
    pub name: String,
    /// `ETM4`, `ETE`, `STM`, `ITM`, ...; anything after a dot is ignored.
    pub protocol: String,
    /// Trace ID; needed in framed captures.
    pub trace_id: Option<u8>,
    /// Name of the traced core; it determines the architecture profile. Application profile if
    /// absent.
    pub core: Option<String>,
    /// The trace unit's registers by name.
    #[serde(default)]
    pub registers: BTreeMap<String, u32>,
}

impl SourceDescription {
    /// The `[[source]]` of it. Registers are hexadecimal, as manuals show them.
    pub fn toml(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut lines = vec![
            "[[source]]".to_owned(),
            format!("name = {}", quoted(&self.name)),
            format!("protocol = {}", quoted(&self.protocol)),
        ];
        lines.extend(self.trace_id.map(|id| format!("trace_id = {id:#04x}")));
        lines.extend(
            self.core
                .as_deref()
                .map(|core| format!("core = {}", quoted(core))),
        );
        lines.push("[source.registers]".to_owned());
        let registers = self.registers.iter();
        lines.extend(registers.map(|(name, value)| format!("{} = {value:#x}", key(name))));
        lines.join("\n") + "\n"
    }
}

/// A key of a table, in quotes only if it needs them.
fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

impl Description {
    /// Parses the text of a `capture.toml`.
    ///
    /// # Errors
    /// If it is not TOML, a key is missing, unknown or of the wrong type, or `file` is not a name
    /// inside the folder. The error names the line.
    pub fn parse(text: &str) -> Result<Description> {
        let description: Description = toml::from_str(text).context("it is not well-formed")?;
        let inside = Path::new(&description.file)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        ensure!(
            inside && !description.file.is_empty(),
            "file = {:?} is not inside the folder: give a relative name without `..`",
            description.file
        );
        Ok(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "tiny"
file = "trace.bin"
format = "raw"

[[source]]
name = "ETM"
protocol = "ETM4"
[source.registers]
TRCIDR1 = 0x4100f403

[[memory]]
file = "kernel.bin"
address = 0xffffffc000081000
"#;

    fn error(text: &str) -> String {
        format!("{:#}", Description::parse(text).unwrap_err())
    }

    #[test]
    fn a_description_is_read() {
        let description = Description::parse(GOOD).unwrap();
        assert_eq!(description.format, Format::Raw);
        assert_eq!(description.sources[0].registers["TRCIDR1"], 0x4100_F403);
    }

    #[test]
    fn errors_name_the_line_and_the_choices() {
        let e = error(&GOOD.replace("\"raw\"", "\"tpiu\""));
        assert!(e.contains("line 4") && e.contains("tpiu-fsync"), "{e}");
        let e = error(&GOOD.replace("0x4100f403", "0x14100f403"));
        assert!(e.contains("line 10") && e.contains("u32"), "{e}");
        let e = error(&GOOD.replace("protocol", "protcol"));
        assert!(e.contains("line 8") && e.contains("protcol"), "{e}");
        assert!(error("name = \"x").contains("line 1"));
        assert!(error("name = \"x\"").contains("missing field"));
    }

    #[test]
    fn a_file_outside_the_folder_is_refused() {
        for file in ["/etc/hostname", "../trace.bin", "a/../../b", ".", ""] {
            let e = error(&GOOD.replace("trace.bin", file));
            assert!(e.contains("inside the folder"), "{file}: {e}");
        }
    }
}
