// SPDX-License-Identifier: MIT OR Apache-2.0
//! The maps of UIO nodes.

use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a file with a number, at most.
const LIMIT: u64 = 64;

/// A map of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The file to map.
    pub device: PathBuf,
    /// Its number in the node.
    pub number: u64,
    /// Its physical addresses.
    pub range: Range<u64>,
}

impl Node {
    /// Whether it has all of a range.
    pub fn has(&self, range: &Range<u64>) -> bool {
        self.range.start <= range.start && range.end <= self.range.end
    }
}

/// The maps of all nodes; what cannot be read is left out.
pub fn nodes(root: &Path) -> Vec<Node> {
    let mut nodes = Vec::new();
    for node in names(&root.join("sys/class/uio")) {
        let folder = root.join("sys/class/uio").join(&node).join("maps");
        for name in names(&folder) {
            let value = |what| number(&folder.join(&name).join(what));
            let digits = name
                .strip_prefix("map")
                .and_then(|digits| digits.parse().ok());
            if let (Some(number), Some(first), Some(bytes)) = (digits, value("addr"), value("size"))
                && let Some(end) = first.checked_add(bytes)
            {
                nodes.push(Node {
                    device: root.join("dev").join(&node),
                    number,
                    range: first..end,
                });
            }
        }
    }
    nodes
}

/// The names in a folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// The hexadecimal number in a file.
fn number(path: &Path) -> Option<u64> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
}
