// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core stored: a folder whose `capture.toml` names a file of records in place of trace.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::SourceDescription;
use crate::folder::DESCRIPTION;
use crate::path::path_inside;

/// What `format` says.
const FORMAT: &str = "records";

/// The contents of such a `capture.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreCapture {
    /// Name of the capture.
    pub name: String,
    /// The record stream.
    pub file: PathBuf,
    /// Always `records`.
    format: String,
    /// What was traced.
    pub about: Option<String>,
    /// Where the capture comes from.
    pub origin: Option<String>,
    /// Whether it has ended, as one that is killed does not.
    #[serde(default = "yes")]
    pub ended: bool,
    /// The trace units, as the session read them.
    #[serde(rename = "source", default)]
    pub sources: Vec<SourceDescription>,
    /// What the core counted.
    #[serde(default)]
    pub counters: Counters,
}

fn yes() -> bool {
    true
}

/// The counters of a core by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// When the session began.
    pub before: BTreeMap<String, u32>,
    /// When it had ended; empty if it has not.
    pub after: BTreeMap<String, u32>,
}

impl Counters {
    /// What was counted in the session.
    pub fn between(&self) -> impl Iterator<Item = (&str, u32)> {
        self.after.iter().map(|(name, after)| {
            let before = self.before.get(name).copied().unwrap_or(0);
            (name.as_str(), after.saturating_sub(before))
        })
    }

    /// The `[counters]` of them.
    pub fn toml(&self) -> String {
        let table = |name: &str, counts: &BTreeMap<String, u32>| {
            let lines = counts
                .iter()
                .map(|(name, count)| format!("{name} = {count}\n"));
            format!("[counters.{name}]\n{}", lines.collect::<String>())
        };
        table("before", &self.before) + &table("after", &self.after)
    }
}

impl CoreCapture {
    /// Opens a folder or its `capture.toml`; `None` if it does not say that it has records.
    ///
    /// # Errors
    /// If it is not well-formed, or the file is not inside the folder.
    pub fn open(path: &Path) -> Result<Option<CoreCapture>> {
        let folder = match path.file_name().is_some_and(|name| name == DESCRIPTION) {
            true => path.parent().unwrap_or(path),
            false => path,
        };
        let path = folder.join(DESCRIPTION);
        let Ok(text) = fs::read_to_string(&path) else {
            return Ok(None);
        };
        if !has_records(&text) {
            return Ok(None);
        }
        let cannot = || format!("{} cannot be used", path.display());
        let capture = CoreCapture::parse(&text).with_context(cannot)?;
        let file = path_inside(folder, &capture.file).with_context(cannot)?;
        Ok(Some(CoreCapture { file, ..capture }))
    }

    /// What is missing of the whole capture, if anything is.
    pub fn damage(&self) -> Option<&'static str> {
        (!self.ended).then_some(
            "the capture has not ended: its process was killed, failed or still runs, so the last records are \
             missing, and what the core lost is not known",
        )
    }

    /// Parses the text of a `capture.toml`.
    ///
    /// # Errors
    /// If it is not TOML, or a key is missing, unknown or of the wrong type. The error names the line.
    fn parse(text: &str) -> Result<CoreCapture> {
        toml::from_str(text).context("it is not well-formed")
    }
}

/// Whether a description says so, whatever else it says.
fn has_records(text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    table.is_ok_and(|table| {
        table
            .get("format")
            .is_some_and(|is| is.as_str() == Some(FORMAT))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "zynqmp"
file = "records.words"
format = "records"

[[source]]
name = "etm0"
protocol = "ETM4"
trace_id = 0x10

[counters.before]
FRAMES = 3
LOST_WORDS = 0
[counters.after]
FRAMES = 10
LOST_WORDS = 7
"#;

    fn open(text: &str) -> Result<Option<CoreCapture>> {
        let folder = tempfile::TempDir::new().expect("a folder");
        fs::write(folder.path().join(DESCRIPTION), text).expect("written");
        CoreCapture::open(&folder.path().join(DESCRIPTION))
    }

    #[test]
    fn counters_are_written_as_they_are_read() {
        let capture = open(GOOD).expect("well-formed").expect("records");
        let counted: Vec<_> = capture.counters.between().collect();
        assert_eq!(counted, [("FRAMES", 7), ("LOST_WORDS", 7)]);
        let (head, _) = GOOD.split_once("[counters").expect("counters");
        let again = open(&format!("{head}{}", capture.counters.toml()));
        let again = again.expect("well-formed").expect("records");
        assert_eq!(again.counters, capture.counters);
    }

    #[test]
    fn a_capture_that_has_not_ended_says_so() {
        let damage = |text: &str| {
            let capture = open(text).expect("well-formed").expect("records");
            capture.damage()
        };
        assert_eq!(damage(GOOD), None);
        let killed = damage(&GOOD.replace("format", "ended = false\nformat"));
        assert!(killed.is_some_and(|killed| killed.contains("was killed")));
    }

    #[test]
    fn other_descriptions_are_left_to_others_and_damaged_ones_refused() {
        let of_trace = GOOD.replace("\"records\"", "\"raw\"");
        assert_eq!(open(&of_trace).expect("left alone"), None);
        assert_eq!(open("format = \"records").expect("left alone"), None);
        for (good, bad) in [
            ("records.words", "../records.words"),
            ("FRAMES = 3", "FRAMES = -3"),
            ("counters.after", "counters.afterwards"),
            ("protocol", "protcol"),
        ] {
            assert!(open(&GOOD.replace(good, bad)).is_err(), "{bad}");
        }
    }
}
