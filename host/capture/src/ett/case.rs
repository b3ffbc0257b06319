// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case: registers, bytes and the packets that are expected.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use coretrace_etm::Config;

use super::packet;
use crate::{Source, SourceDescription};

/// The most bytes of a text.
const TEXT_BYTES: u64 = 1 << 20;

/// A small trace and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the file, without `.ett`.
    pub name: String,
    /// Why there is this case.
    pub why: String,
    /// The trace unit.
    pub source: SourceDescription,
    /// The trace.
    pub bytes: Vec<u8>,
    /// Offset, name and fields of each packet; `None` if nothing is expected.
    pub expected: Option<Vec<String>>,
}

/// Where a line belongs.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Head,
    Bytes,
    Packets,
    Expect,
}

impl Case {
    /// Reads a case from its file.
    ///
    /// # Errors
    /// If the file cannot be read or is longer than 1 MiB, or [`Case::parse`] refuses it.
    pub fn open(path: &Path) -> Result<Case> {
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(TEXT_BYTES + 1).read_to_string(&mut text))
            .with_context(|| format!("cannot read {}: is it a text?", path.display()))?;
        ensure!(
            text.len() as u64 <= TEXT_BYTES,
            "{} is too long for a case: a capture folder takes any trace",
            path.display()
        );
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Case::parse(&name, &text).with_context(|| format!("{} cannot be used", path.display()))
    }

    /// Parses the text of a case.
    ///
    /// # Errors
    /// If a line is not well-formed, or the registers are not those of a trace unit. The error
    /// names the line.
    pub fn parse(name: &str, text: &str) -> Result<Case> {
        let mut case = Case {
            name: name.to_owned(),
            why: String::new(),
            source: SourceDescription {
                name: name.to_owned(),
                ..SourceDescription::default()
            },
            bytes: Vec::new(),
            expected: None,
        };
        let mut config = None;
        let mut part = Part::Head;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let next = match line {
                "bytes:" => Some(Part::Bytes),
                "packets:" => Some(Part::Packets),
                "expect packets:" => Some(Part::Expect),
                _ => None,
            };
            if let Some(next) = next {
                part = next;
                config = Some(match config {
                    Some(config) => config,
                    None => case.config()?,
                });
                if part == Part::Expect {
                    case.expected.get_or_insert_default();
                }
            } else if !line.is_empty() {
                case.take(part, line, config.as_ref())
                    .with_context(|| format!("line {number}: {line:?}"))?;
            }
        }
        ensure!(
            config.is_some(),
            "there is no trace: add `bytes:` or `packets:`"
        );
        Ok(case)
    }

    /// Compares the packets of the case with the expectation. `lines` are those of `etm4 packets`
    /// as text; trace ID and bytes are ignored.
    ///
    /// # Errors
    /// If a line is not the expected one: the error has the line before, both lines, and the number
    /// of the others.
    pub fn check<'a>(&self, lines: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let Some(expected) = &self.expected else {
            return Ok(());
        };
        let found: Vec<String> = lines.into_iter().map(comparable).collect();
        let equal = expected
            .iter()
            .zip(&found)
            .take_while(|(a, b)| a == b)
            .count();
        if equal == expected.len().max(found.len()) {
            return Ok(());
        }
        let end = "the end".to_owned();
        let at = |lines: &[String]| lines.get(equal).unwrap_or(&end).clone();
        let before = match equal.checked_sub(1) {
            Some(last) => format!("after   {}\n", found[last]),
            None => String::new(),
        };
        Err(anyhow!(
            "{}: packet {} is not the expected one\n{before}expected {}\nfound    {}\n\
             {} packets are expected, {} were found",
            self.name,
            equal + 1,
            at(expected),
            at(&found),
            expected.len(),
            found.len()
        ))
    }

    fn config(&self) -> Result<Config> {
        Source::new(&self.source)?.config.with_context(|| {
            let protocol = &self.source.protocol;
            format!("protocol = {protocol:?} has no packets here: write ETM4 or ETE")
        })
    }

    fn take(&mut self, part: Part, line: &str, config: Option<&Config>) -> Result<()> {
        match (part, config) {
            (Part::Bytes, _) => self.bytes.extend(hexadecimal(line)?),
            (Part::Packets, Some(config)) => self.bytes.extend(packet::bytes(line, config)?),
            (Part::Expect, _) => {
                let line = expectation(line)?;
                self.expected.get_or_insert_default().push(line);
            }
            _ => return self.take_head(line),
        }
        Ok(())
    }

    fn take_head(&mut self, line: &str) -> Result<()> {
        if let Some(why) = line.strip_prefix("why:") {
            self.why = why.trim().to_owned();
            return Ok(());
        }
        let (name, value) = line
            .split_once('=')
            .context("write `why: ...`, `name = value` or `packets:`")?;
        let (name, value) = (name.trim(), value.trim());
        match name {
            "protocol" => self.source.protocol = value.to_owned(),
            "core" => self.source.core = Some(value.to_owned()),
            _ if name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) =>
            {
                let number = packet::number(value).and_then(|value| u32::try_from(value).ok());
                let number = number.context("a register has a number of 32 bits")?;
                self.source.registers.insert(name.to_owned(), number);
            }
            _ => bail!("write `protocol`, `core` or the name of a register"),
        }
        Ok(())
    }
}

/// Bytes of two hexadecimal digits, with or without spaces between them.
fn hexadecimal(line: &str) -> Result<Vec<u8>> {
    let digits: Vec<u8> = line.bytes().filter(|c| !c.is_ascii_whitespace()).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    let byte = |pair: &[u8; 2]| {
        let text = std::str::from_utf8(pair).ok()?;
        let digits_only = pair.iter().all(u8::is_ascii_hexdigit);
        digits_only.then(|| u8::from_str_radix(text, 16).ok())?
    };
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes
        .filter(|_| rest.is_empty())
        .context("write bytes of two hexadecimal digits")
}

/// A line of a list without the trace ID and the bytes in brackets.
fn comparable(line: &str) -> String {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.retain(|word| !word.starts_with('['));
    if let [_, id, name, ..] = words[..]
        && id.len() == 2
        && id.bytes().all(|digit| digit.is_ascii_hexdigit())
        && name.starts_with("I_")
    {
        words.remove(1);
    }
    words.join(" ")
}

/// A line of an expectation.
fn expectation(line: &str) -> Result<String> {
    let line = comparable(line);
    let mut words = line.split(' ');
    let is_offset = words
        .next()
        .is_some_and(|offset| offset.parse::<u64>().is_ok());
    let is_name = words.next().is_some_and(|name| name.starts_with("I_"));
    ensure!(
        is_offset && is_name,
        "write offset, name and fields of a packet"
    );
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "why: a reason # and a comment\nprotocol = ETM4\nTRCCONFIGR = 0x1\n\
        TRCIDR0 = 0x28000ea1\nTRCIDR1 = 0x4100f403\nTRCIDR2 = 0x488\n\
        packets:\n  async\nbytes:\n  f7 f6\nf7\nexpect packets:\n0 I_ASYNC\n\
        12 I_ATOM_F1 atoms=E\n13 I_ATOM_F1 atoms=N\n14 I_ATOM_F1 atoms=E\n";

    #[test]
    fn a_case_is_read_and_checked() {
        let case = Case::parse("good", GOOD).unwrap();
        assert_eq!(case.why, "a reason");
        assert_eq!(case.bytes[10..], [0, 0x80, 0xF7, 0xF6, 0xF7]);
        let lines = [
            "         0  00  I_ASYNC             [0000]",
            "        12  00  I_ATOM_F1           atoms=E [f7]",
            "        13  00  I_ATOM_F1           atoms=N [f6]",
            "        14  00  I_ATOM_F1           atoms=E [f7]",
        ];
        case.check(lines).unwrap();
        let error = case
            .check(lines[..3].iter().copied())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("expected 14 I_ATOM_F1 atoms=E\nfound    the end"),
            "{error}"
        );
        let more = [&lines[..], &["15 00 I_TRACE_ON [04]"]].concat();
        let error = case.check(more).unwrap_err().to_string();
        assert!(error.contains("packet 5 is not"), "{error}");
        let error = case.check([lines[0], lines[2]]).unwrap_err().to_string();
        assert!(error.contains("after   0 I_ASYNC\nexpected 12 "), "{error}");
    }

    #[test]
    fn without_an_expectation_nothing_is_checked() {
        let (text, _) = GOOD.split_once("expect").unwrap();
        let case = Case::parse("good", text).unwrap();
        assert_eq!(case.expected, None);
        case.check(["anything"]).unwrap();
    }

    #[test]
    fn what_is_wrong_with_a_case_is_said_with_its_line() {
        for (from, to, want) in [
            ("protocol = ETM4", "protocol = PTM", "write ETM4 or ETE"),
            ("TRCIDR0 = 0x28000ea1\n", "", "needs register TRCIDR0"),
            (
                "TRCCONFIGR = 0x1",
                "TRCCONFIGR = on",
                "line 3: \"TRCCONFIGR = on\"",
            ),
            ("TRCCONFIGR", "Config", "line 3"),
            ("TRCCONFIGR = 0x1", "trace", "line 3: \"trace\": write `why"),
            ("async", "asink", "line 8: \"asink\": there is no packet"),
            ("f7 f6", "f7 f", "line 10: \"f7 f\": write bytes"),
            ("f7 f6", "+7 f6", "line 10"),
            (
                "12 I_ATOM_F1",
                "12 ATOM_F1",
                "line 14: \"12 ATOM_F1 atoms=E\": write offset",
            ),
            ("12 I_ATOM_F1", "I_ATOM_F1", "line 14"),
        ] {
            let error = Case::parse("x", &GOOD.replace(from, to)).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains(want), "{to}: {error}");
        }
        let error = Case::parse("x", "why: nothing").unwrap_err().to_string();
        assert!(error.contains("no trace"), "{error}");
    }

    #[test]
    fn a_long_or_binary_file_is_no_case() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ett");
        std::fs::write(&path, "#".repeat(2 << 20)).unwrap();
        assert!(
            Case::open(&path)
                .unwrap_err()
                .to_string()
                .contains("too long")
        );
        std::fs::write(&path, [0xFF, 0xFE]).unwrap();
        assert!(
            Case::open(&path)
                .unwrap_err()
                .to_string()
                .contains("is it a text?")
        );
    }
}
