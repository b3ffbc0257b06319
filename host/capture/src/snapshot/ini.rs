// SPDX-License-Identifier: MIT OR Apache-2.0
//! The INI files of a snapshot, with the line of every entry.
//!
//! A crate for INI files gives no line numbers, which the errors name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, ensure};

use crate::path::path_inside;

/// The most bytes in one file, and in all files of a snapshot.
const FILE_BYTES: u64 = 1 << 20;
const ALL_BYTES: u64 = 16 << 20;

/// Reads the files of one snapshot.
pub(super) struct IniReader {
    folder: PathBuf,
    read: u64,
}

impl IniReader {
    /// A reader of the files in a folder.
    pub(super) fn new(folder: &Path) -> IniReader {
        IniReader {
            folder: folder.to_owned(),
            read: 0,
        }
    }

    /// Reads a file by its name in the folder.
    ///
    /// # Errors
    /// If it is outside the folder, cannot be read, is too long, or [`Ini::parse`] refuses it.
    pub(super) fn read(&mut self, name: &str) -> Result<Ini> {
        let path = path_inside(&self.folder, name)?;
        // A pipe would wait for a writer.
        ensure!(
            !path.exists() || path.is_file(),
            "{} is not a file: name one",
            path.display()
        );
        let file = File::open(&path)
            .with_context(|| format!("cannot read {}: is the name right?", path.display()))?;
        let mut bytes = Vec::new();
        file.take(FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .with_context(|| format!("cannot read {}", path.display()))?;
        self.read += bytes.len() as u64;
        ensure!(
            bytes.len() as u64 <= FILE_BYTES && self.read <= ALL_BYTES,
            "{} is too long: a file of a snapshot has at most {FILE_BYTES} bytes, and all files \
             together have {ALL_BYTES}",
            path.display()
        );
        Ini::parse(
            &path.display().to_string(),
            &String::from_utf8_lossy(&bytes),
        )
    }
}

/// One INI file. Names of sections and keys are compared without regard to case.
#[derive(Debug)]
pub(super) struct Ini {
    file: String,
    sections: Vec<Section>,
}

/// A section, in the order of the file.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name.
    pub(super) name: String,
    line: usize,
    entries: Vec<Entry>,
}

/// `key=value` and its line.
#[derive(Debug)]
pub(super) struct Entry {
    /// The key, without spaces around it.
    pub(super) key: String,
    /// The value, without spaces or a comment after it.
    pub(super) value: String,
    line: usize,
}

impl Ini {
    /// Parses a text. `;` and `#` begin a comment, at the start of a line or after a space.
    ///
    /// # Errors
    /// If a line is neither a section, an entry of a section nor a comment.
    pub(super) fn parse(file: &str, text: &str) -> Result<Ini> {
        let mut ini = Ini {
            file: file.to_owned(),
            sections: Vec::new(),
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in (1..).zip(text.lines()) {
            let text = without_comment(text).trim();
            if text.is_empty() {
                continue;
            }
            if let Some(name) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
                ini.sections.push(Section {
                    name: name.trim().to_owned(),
                    line,
                    entries: Vec::new(),
                });
                continue;
            }
            let (key, value) = text
                .split_once('=')
                .ok_or_else(|| ini.error(line, "write `[section]`, `key=value` or a comment"))?;
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            let Some(section) = ini.sections.last_mut() else {
                return Err(ini.error(line, "put a `[section]` before the first entry"));
            };
            section.entries.push(Entry { key, value, line });
        }
        Ok(ini)
    }

    /// The sections for which `chosen` says so by name.
    pub(super) fn sections<'a>(
        &'a self,
        chosen: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Section> {
        self.sections.iter().filter(move |s| chosen(&s.name))
    }

    /// The entries of all sections with this name.
    pub(super) fn entries<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.sections(|section| section.eq_ignore_ascii_case(name))
            .flat_map(|section| &section.entries)
    }

    /// The value of a key in the sections with this name.
    pub(super) fn entry<'a>(&'a self, section: &'a str, key: &'a str) -> Option<&'a Entry> {
        self.entries(section)
            .find(|entry| entry.key.eq_ignore_ascii_case(key))
    }

    /// As [`Ini::entry`].
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn required<'a>(&'a self, section: &'a str, key: &'a str) -> Result<&'a Entry> {
        self.entry(section, key)
            .with_context(|| format!("{} has no `{key}` in [{section}]: add it", self.file))
    }

    /// The entry of one section.
    pub(super) fn optional_in<'a>(&self, section: &'a Section, key: &str) -> Option<&'a Entry> {
        let mut entries = section.entries.iter();
        entries.find(|entry| entry.key.eq_ignore_ascii_case(key))
    }

    /// The entry of one section.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn required_in<'a>(&self, section: &'a Section, key: &str) -> Result<&'a Entry> {
        self.optional_in(section, key).ok_or_else(|| {
            let Section { name, line, .. } = section;
            self.error(*line, &format!("[{name}] has no `{key}`: add it"))
        })
    }

    /// The number that an entry gives.
    ///
    /// # Errors
    /// If it is none, or could be decimal, octal or hexadecimal.
    pub(super) fn number(&self, entry: &Entry) -> Result<u64> {
        number(&entry.value).ok_or_else(|| {
            let Entry { key, value, .. } = entry;
            self.at(
                entry,
                &format!("{key} = {value:?}: write a number of up to 64 bits, such as 0x10"),
            )
        })
    }

    /// An error at an entry, with a remedy.
    pub(super) fn at(&self, entry: &Entry, what: &str) -> Error {
        self.error(entry.line, what)
    }

    fn error(&self, line: usize, what: &str) -> Error {
        anyhow!("{}, line {line}: {what}", self.file)
    }
}

/// A line up to its comment.
fn without_comment(line: &str) -> &str {
    let mut after_space = true;
    for (place, c) in line.char_indices() {
        if after_space && matches!(c, ';' | '#') {
            return &line[..place];
        }
        after_space = c.is_whitespace();
    }
    line
}

/// `0x` and hexadecimal digits, or decimal digits. Without `0x`, 8 or 16 digits that begin with 0 or
/// have a letter are hexadecimal: they are a register as a debugger prints it. A shorter number that
/// begins with 0 could be octal, and is none.
fn number(text: &str) -> Option<u64> {
    let text = text.split([';', '#']).next()?.trim();
    let hexadecimal = |digits: &str| {
        let digits_only = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits_only.then(|| u64::from_str_radix(digits, 16).ok())?
    };
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hexadecimal(digits);
    }
    let decimal = text.bytes().all(|byte| byte.is_ascii_digit());
    match (text.len(), text.starts_with('0')) {
        (8 | 16, leading_zero) if leading_zero || !decimal => hexadecimal(text),
        (2.., true) => None,
        _ if decimal => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_comments_and_line_ends_are_read() {
        let text = "\u{feff}; first\r\n[Device]\r\nName = ETM 0 ; one\r\n# two\r\nfile=a;b#c\r\n";
        let ini = Ini::parse("x.ini", text).unwrap();
        let name = ini.required("device", "NAME").unwrap();
        assert_eq!(name.value, "ETM 0");
        let file = ini.required("device", "file").unwrap();
        assert_eq!(file.value, "a;b#c");
        assert!(ini.entry("device", "class").is_none());
        let ini = Ini::parse("x.ini", "[a]\nx=1\n[b]\ny=2\n[A]\nz=3").unwrap();
        assert_eq!(ini.entries("a").count(), 2);
    }

    #[test]
    fn numbers_are_hexadecimal_or_decimal() {
        for (text, want) in [
            ("0x1F", Some(0x1F)),
            ("0X1f", Some(0x1F)),
            ("16", Some(16)),
            ("0", Some(0)),
            ("00000010", Some(0x10)),
            ("4100F403", Some(0x4100_F403)),
            ("10000000", Some(10_000_000)),
            ("0xffffffc000081000;kernel", Some(0xFFFF_FFC0_0008_1000)),
            ("010", None),
            ("", None),
            ("0x", None),
            ("+1", None),
            ("0x+1", None),
            ("-1", None),
            ("0x1ffffffffffffffff", None),
            ("ETM", None),
        ] {
            assert_eq!(number(text), want, "{text}");
        }
    }

    #[test]
    fn errors_name_file_line_and_remedy() {
        let error = |text| Ini::parse("x.ini", text).unwrap_err().to_string();
        let text = error("[a]\n\nnothing");
        assert!(text.starts_with("x.ini, line 3: write"), "{text}");
        let text = error("; a\nb=1");
        assert!(text.starts_with("x.ini, line 2: put"), "{text}");
        let ini = Ini::parse("x.ini", "[a]\nb=c").unwrap();
        let text = ini.number(ini.entry("a", "b").unwrap()).unwrap_err();
        assert!(text.to_string().starts_with("x.ini, line 2: b = \"c\""));
    }
}
