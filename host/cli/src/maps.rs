// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a process has mapped, as `/proc/PID/maps` of Linux says it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coretrace_capture::perf::Mapping;

use crate::error::say;
use crate::programs::{Placed, is_of_file};

/// The code of files that a process has mapped, by the text of its `/proc/PID/maps`.
///
/// # Errors
/// If the file cannot be read, or a line is none of such a file.
pub fn mapped_code(path: &Path) -> Result<Vec<Mapping>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let lines = text.lines().zip(1..);
    let mappings = lines.map(|(line, number)| {
        mapping(line).with_context(|| format!("{name}: line {number} is none of /proc/PID/maps"))
    });
    let mut mappings: Vec<Mapping> = mappings
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    mappings.retain(|mapping| mapping.path.starts_with('/'));
    Ok(mappings)
}

/// `5500000000-5500001000 r-xp 00000000 fe:00 1234    /usr/bin/program`; none inside if it is no code.
fn mapping(line: &str) -> Option<Option<Mapping>> {
    // Names may have spaces, and the columns in front of them several.
    let mut rest = line;
    let mut field = || {
        let (field, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind;
        field
    };
    let (first, end) = field().split_once('-')?;
    let permissions = field();
    let offset = field();
    let (_device, _inode) = (field(), field());
    let hex = |digits| u64::from_str_radix(digits, 16).ok();
    let (address, end, offset) = (hex(first)?, hex(end)?, hex(offset)?);
    let path = rest.trim_start();
    let mapping = Mapping {
        pid: None,
        address,
        len: end.checked_sub(address)?,
        offset,
        path: path.strip_suffix(" (deleted)").unwrap_or(path).to_owned(),
        build_id: None,
    };
    Some(permissions.contains('x').then_some(mapping))
}

/// Says which mapped files the user did not name.
pub fn say_unnamed(mappings: &[Placed<'_>], named: &[PathBuf]) {
    let is_named = |path: &str| named.iter().any(|named| is_of_file(named, path));
    let paths = mappings.iter().map(|placed| &placed.mapping.path);
    let unnamed: BTreeSet<&String> = paths.filter(|path| !is_named(path)).collect();
    for path in unnamed {
        say(&format!(
            "note: {path} was mapped and no --elf names it: its code is not in the table"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_files_is_where_it_was_mapped() {
        let text = "\
5500000000-5500002000 r--p 00000000 fe:00 11                             /a b/it
5500002000-5500003000 r-xp 00001000 fe:00 11                             /a b/it
5500003000-5500004000 rw-p 00000000 00:00 0 
7f80000000-7f80100000 r-xp 00020000 fe:00 12                             /lib/old.so (deleted)
7ffc000000-7ffc001000 r-xp 00000000 00:00 0                              [vdso]
";
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("maps");
        std::fs::write(&path, text).expect("written");
        let code = mapped_code(&path).expect("maps");
        let found: Vec<_> = code
            .iter()
            .map(|it| (it.address, it.len, it.offset, it.path.as_str()))
            .collect();
        let want = [
            (0x55_0000_2000, 0x1000, 0x1000, "/a b/it"),
            (0x7F_8000_0000, 0x10_0000, 0x2_0000, "/lib/old.so"),
        ];
        assert_eq!(found, want);
        for wrong in [
            "ELF",
            "2000-1000 r-xp 0 0 0 /a",
            "1000-2000 r-xp",
            "1000 r-xp 0 0 0 /a",
        ] {
            std::fs::write(&path, format!("{text}{wrong}\n")).expect("written");
            let error = mapped_code(&path).expect_err(wrong).to_string();
            assert!(error.contains("line 6"), "{error}");
        }
    }
}
