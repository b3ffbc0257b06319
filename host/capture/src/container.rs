// SPDX-License-Identifier: MIT OR Apache-2.0
//! What kind of file begins with these bytes.

/// Bytes to look at.
pub const HEAD_BYTES: usize = 16;

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
    known.map_or(Container::Unknown, |(_, container)| *container)
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
        for trace in [&[0; 12][..], &[], &[0xFF, 0xFF, 0xFF, 0x7F], b"PERF"] {
            assert_eq!(container(trace), Container::Unknown, "{trace:?}");
        }
    }
}
