// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of source files, where the debug information says that they are: from here, and if there is no
//! such file, from where the programs are.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A larger file is not read.
const MAX_FILE: u64 = 4 << 20;
/// Files that are read, at most.
const MAX_FILES: usize = 200;

/// What files of programs are called. A damaged or malicious program may name any file, and a page
/// must not show those that are no sources.
const ENDINGS: [&str; 17] = [
    "c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx", "inc", "inl", "s", "asm", "rs", "go", "zig",
    "ada", "f90",
];

/// Source files that were read.
pub struct Sources {
    /// The working folder, and those of the programs.
    folders: Vec<PathBuf>,
    files: HashMap<String, Option<String>>,
}

impl Sources {
    /// The sources of programs in these files.
    pub fn of<'p>(programs: impl Iterator<Item = &'p Path>) -> Sources {
        let mut folders = vec![PathBuf::new()];
        for folder in programs.filter_map(Path::parent) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
        Sources {
            folders,
            files: HashMap::new(),
        }
    }

    /// A line of a file, counted from 1, if it can be read.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        if !self.files.contains_key(file) {
            let text = if self.files.len() < MAX_FILES {
                let mut paths = self.folders.iter().map(|folder| folder.join(file));
                paths.find_map(|path| read(&path))
            } else {
                None
            };
            self.files.insert(file.to_owned(), text);
        }
        let text = self.files.get(file)?.as_deref()?;
        text.lines().nth(line.checked_sub(1)? as usize)
    }
}

fn read(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    if !ENDINGS.contains(&ending.as_str()) {
        return None;
    }
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || about.len() > MAX_FILE {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
