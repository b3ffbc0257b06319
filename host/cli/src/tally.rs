// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors and unread bytes of a source, for one line at the end.

use coretrace_etm::{Kind, Record};
use coretrace_software_trace as software_trace;

/// Counts of errors and unread bytes.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Bytes before the first A-Sync: a capture may start in mid-stream.
    lead_in: u64,
    has_async: bool,
    errors: u64,
    unread_bytes: u64,
    first: Option<(u64, &'static str)>,
}

impl Tally {
    /// Counts a record.
    pub fn count(&mut self, record: &Record) {
        match record.kind {
            Kind::Async => {
                self.has_async = true;
                return;
            }
            Kind::NotSync if record.offset == 0 => {
                self.lead_in = record.len;
                return;
            }
            Kind::NotSync => self.unread_bytes += record.len,
            kind if kind.is_error() => self.errors += 1,
            _ => return,
        }
        let name = record.kind.listing_name();
        self.first.get_or_insert((record.offset, name));
    }

    /// Counts a record of software trace. Two nibbles are a byte.
    pub fn count_software(&mut self, record: &software_trace::Record) {
        let bytes = record.len().div_ceil(record.units());
        if record.is_sync() {
            self.has_async = true;
        } else if record.is_unread() && !self.has_async {
            self.lead_in += bytes;
        } else if record.is_unread() || record.is_error() {
            self.unread_bytes += if record.is_unread() { bytes } else { 0 };
            self.errors += u64::from(record.is_error());
            self.first.get_or_insert((record.offset(), record.name()));
        }
    }

    /// Whether an A-Sync was found, so that there are packets.
    pub fn is_decoded(&self) -> bool {
        self.has_async
    }

    /// Whether there are errors or unread bytes behind the first A-Sync.
    pub fn is_damaged(&self) -> bool {
        self.first.is_some()
    }

    /// A line about the bytes before the first A-Sync, if there are any.
    fn lead_in_note(&self, id: u8) -> Option<String> {
        let bytes = self.lead_in;
        if bytes == 0 {
            return None;
        }
        Some(if self.has_async {
            format!("note: ID {id:02x}: {bytes} bytes before the first A-Sync not read")
        } else {
            format!(
                "warning: ID {id:02x}: no A-Sync in its {bytes} bytes, so nothing could be read: \
                 capture for longer, or check the format and the trace ID"
            )
        })
    }

    /// A line about the source with this ID, if there is anything to report.
    pub fn warning(&self, id: u8) -> Option<String> {
        let Some((offset, name)) = self.first else {
            return self.lead_in_note(id);
        };
        Some(format!(
            "warning: ID {id:02x}: {} errors and {} bytes not read, the first at offset {offset} ({name}): \
             bytes were lost or damaged, or the registers are those of another trace unit",
            self.errors, self.unread_bytes
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, offset: u64, len: u64) -> Record {
        Record {
            offset,
            len,
            ..Record::blank(kind)
        }
    }

    #[test]
    fn a_sound_stream_has_no_warning_and_a_broken_one_names_the_first_place() {
        let mut tally = Tally::default();
        tally.count(&record(Kind::Async, 0, 12));
        tally.count(&record(Kind::Incomplete, 12, 1));
        assert_eq!(tally.warning(0x10), None);
        let mut late = Tally::default();
        late.count(&record(Kind::NotSync, 0, 1453));
        let warning = late.warning(0x10).expect("a warning");
        assert!(
            warning.starts_with("warning: ID 10: no A-Sync in its 1453 bytes"),
            "{warning}"
        );
        late.count(&record(Kind::Async, 1453, 12));
        let note = late.warning(0x10).expect("a note");
        assert!(note.starts_with("note: ID 10: 1453 bytes"), "{note}");
        tally.count(&record(Kind::Reserved, 13, 1));
        tally.count(&record(Kind::NotSync, 14, 100));
        let warning = tally.warning(0x10).expect("a warning");
        assert!(
            warning.contains("ID 10: 1 errors and 100 bytes"),
            "{warning}"
        );
        assert!(warning.contains("offset 13 (I_RESERVED)"), "{warning}");
    }
}
