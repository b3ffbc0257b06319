// SPDX-License-Identifier: MIT OR Apache-2.0
//! What kind of file begins with these bytes.

/// Bytes to look at.
pub const HEAD_BYTES: usize = 512;

/// A kind of file that is known by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A perf.data of a little-endian machine.
    PerfData,
    /// A perf.data of a big-endian machine.
    BigEndianPerfData,
    /// A compressed file, with the command that unpacks it.
    Compressed(&'static str),
    /// A program.
    Elf,
    /// Nothing.
    Empty,
    /// Ranges and branches as text, which AutoFDO reads: of a trace that was decoded.
    Branches,
    /// Results as JSON.
    Json,
    /// Another text.
    Text,
    /// Anything else: trace bytes have no mark of their own.
    Unknown,
}

/// First bytes of files and what they mean.
const MAGICS: [(&[u8], Container); 9] = [
    (b"PERFILE2", Container::PerfData),
    (b"2ELIFREP", Container::BigEndianPerfData),
    (b"\x1f\x8b\x08", Container::Compressed("gzip -dc")),
    (b"\xfd7zXZ\0", Container::Compressed("xz -dc")),
    (b"\x28\xb5\x2f\xfd", Container::Compressed("zstd -dc")),
    (b"BZh", Container::Compressed("bzip2 -dc")),
    (b"\x04\x22\x4d\x18", Container::Compressed("lz4 -dc")),
    (b"PK\x03\x04", Container::Compressed("unzip -p")),
    (b"\x7fELF", Container::Elf),
];

/// The kind of a file with these first bytes.
pub fn container(head: &[u8]) -> Container {
    let known = MAGICS.iter().find(|(magic, _)| head.starts_with(magic));
    known.map_or_else(|| unmarked(head), |(_, container)| *container)
}

/// The kind of a file without a mark.
fn unmarked(head: &[u8]) -> Container {
    let head = &head[..head.len().min(HEAD_BYTES)];
    if head.is_empty() {
        return Container::Empty;
    }
    let Some(text) = text_of(head) else {
        return Container::Unknown;
    };
    if text.starts_with("{\"") {
        return Container::Json;
    }
    let mut lines = text.lines();
    let is_number = |line: &str| line.parse::<u64>().is_ok();
    let is_range = |line: &str| {
        let range = line
            .split_once(':')
            .and_then(|(range, _)| range.split_once('-'));
        range.is_some_and(|(from, _)| u64::from_str_radix(from, 16).is_ok())
    };
    match lines.next() {
        Some(first) if is_number(first) && lines.next().is_some_and(is_range) => {
            Container::Branches
        }
        // Few bytes of trace may be printable.
        _ if text.contains('\n') || head.len() >= HEAD_BYTES => Container::Text,
        _ => Container::Unknown,
    }
}

/// The beginning of a file as text, if it is one; the last character may be cut off.
fn text_of(head: &[u8]) -> Option<&str> {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_text = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().all(is_text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_has_no_mark_and_other_files_do() {
        assert_eq!(container(b"PERFILE2........"), Container::PerfData);
        assert_eq!(
            container(b"\xfd7zXZ\0\0\0"),
            Container::Compressed("xz -dc")
        );
        for trace in [&[0; 12][..], &[0xFF, 0xFF, 0xFF, 0x7F], b"PERF", b"\n\x80"] {
            assert_eq!(container(trace), Container::Unknown, "{trace:?}");
        }
    }

    #[test]
    fn texts_are_known_by_their_characters_and_some_by_their_first_lines() {
        for (text, kind) in [
            ("", Container::Empty),
            ("{\"schema\":\"etm4.counts.1\"}\n", Container::Json),
            ("2\n1000-1004:1\n100c-1050:1\n0\n", Container::Branches),
            ("2\nlines\n", Container::Text),
            ("# A text\n", Container::Text),
        ] {
            assert_eq!(container(text.as_bytes()), kind, "{text:?}");
        }
        let long = "\u{e4}".repeat(HEAD_BYTES);
        assert_eq!(
            container(&long.as_bytes()[..HEAD_BYTES + 1]),
            Container::Text
        );
    }
}
