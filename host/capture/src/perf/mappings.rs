// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was mapped where: MMAP and MMAP2 records, and the build IDs in the header.

use std::collections::HashMap;

use super::constants::{PROT_EXEC, misc, record};
use super::damage::Damage;
use super::input::{u32_at, u64_at};

/// The most mappings, and the most bytes of all their paths, that are kept.
const MAX_MAPPINGS: usize = 1 << 17;
const MAX_PATHS: usize = 1 << 24;
/// The most files with build IDs in the header.
const MAX_BUILD_IDS: usize = 1 << 16;
/// Bytes of a build ID whose size is not given: a shorter one has zeros behind it.
const BUILD_ID: usize = 20;

/// A part of a file that a process could execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The process; `None` for the kernel and its modules.
    pub pid: Option<u32>,
    /// The first address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// The place of the first byte in the file.
    pub offset: u64,
    /// The file, or a name such as `[vdso]`. It may contain anything.
    pub path: String,
    /// The build ID of the file, if it is known; zeros may follow it up to 20 bytes.
    pub build_id: Option<Vec<u8>>,
}

/// Mappings and build IDs, as they come.
#[derive(Debug, Default)]
pub struct Mappings {
    list: Vec<Mapping>,
    path_bytes: usize,
    build_ids: HashMap<String, Vec<u8>>,
    left_out: bool,
}

impl Mappings {
    /// Takes the body of an MMAP or MMAP2 record. The place of the mapping in the list, and the mapping,
    /// if it is kept.
    pub fn map(&mut self, kind: u32, misc: u16, body: &[u8]) -> Option<(usize, &Mapping)> {
        let mapping = mapping(kind, misc, body)?;
        if !self.has_room(self.list.len() < MAX_MAPPINGS, &mapping.path) {
            return None;
        }
        self.list.push(mapping);
        Some((self.list.len() - 1, self.list.last()?))
    }

    /// Takes the body of a build ID record.
    pub fn build_id(&mut self, misc: u16, body: &[u8]) {
        let len = match (misc & misc::BUILD_ID_SIZE, body.get(24)) {
            (0, _) | (_, None) => BUILD_ID,
            (_, Some(len)) => usize::from(*len).min(BUILD_ID),
        };
        let (Some(id), Some(path)) = (body.get(4..4 + len), body.get(28..)) else {
            return;
        };
        let path = text(path);
        if self.has_room(self.build_ids.len() < MAX_BUILD_IDS, &path) {
            self.build_ids.insert(key(&path).to_owned(), id.to_owned());
        }
    }

    fn has_room(&mut self, is_short: bool, path: &str) -> bool {
        let has_room = is_short && self.path_bytes < MAX_PATHS;
        self.path_bytes = self.path_bytes.saturating_add(path.len());
        self.left_out |= !has_room;
        has_room
    }

    /// The mappings, each with the build ID of its file.
    pub fn finish(mut self, damage: &mut Damage) -> Vec<Mapping> {
        for mapping in &mut self.list {
            if mapping.build_id.is_none() {
                mapping.build_id = self.build_ids.get(key(&mapping.path)).cloned();
            }
        }
        if self.left_out {
            damage.report(format!(
                "it has more than {MAX_MAPPINGS} mappings or {MAX_BUILD_IDS} build IDs: the rest is not used"
            ));
        }
        self.list
    }
}

fn mapping(kind: u32, flags: u16, body: &[u8]) -> Option<Mapping> {
    let (path, is_executable) = match kind {
        record::MMAP => (32, flags & misc::MMAP_DATA == 0),
        _ => (64, u32_at(body, 56)? & PROT_EXEC != 0),
    };
    let build_id = || {
        let len = usize::from(*body.get(32)?).min(BUILD_ID);
        Some(body.get(36..36 + len)?.to_owned())
    };
    let pid = u32_at(body, 0)?;
    is_executable.then_some(Mapping {
        pid: (pid != u32::MAX).then_some(pid),
        address: u64_at(body, 8)?,
        len: u64_at(body, 16)?,
        offset: u64_at(body, 24)?,
        path: text(body.get(path..)?),
        build_id: (kind == record::MMAP2 && flags & misc::MMAP_BUILD_ID != 0)
            .then(build_id)
            .flatten(),
    })
}

/// The text up to the first zero.
pub fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The name under which a build ID is kept: the kernel is `[kernel.kallsyms]_text` in a mapping.
fn key(path: &str) -> &str {
    match path.find(']') {
        Some(end) if path.starts_with("[kernel") => &path[..=end],
        _ => path,
    }
}
