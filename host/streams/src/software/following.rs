// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader follows of the decoder in front of a stream, besides the trace state.

use coretrace_abi::software_stream::{SoftwareRecord, ending};

/// How far a stream is read, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Following {
    /// Nibbles or bytes of all records so far.
    pub offset: u64,
    /// An error or a loss came before, since the last ASYNC or sync.
    pub is_suspect: bool,
    is_lenient: bool,
    is_synced: bool,
}

impl Following {
    /// At the start of a stream.
    pub fn new(is_lenient: bool) -> Following {
        Following {
            is_lenient,
            ..Following::default()
        }
    }

    /// Takes a record as it begins, behind what was not read before it.
    pub fn begin(&mut self, record: &SoftwareRecord) {
        self.is_synced = true;
        self.is_suspect = record.is_suspect;
    }

    /// Takes a record as it ends.
    pub fn end(&mut self, record: &SoftwareRecord) {
        match record.ending {
            ending::RESERVED | ending::BAD_SEQUENCE => {
                self.is_synced = self.is_lenient;
                self.is_suspect = self.is_lenient;
            }
            ending::LOST => {
                self.is_synced &= self.is_lenient;
                self.is_suspect = self.is_synced;
            }
            _ => {}
        }
    }

    /// The offset of a record of so many nibbles or bytes.
    pub fn advance(&mut self, length: u64) -> u64 {
        let offset = self.offset;
        self.offset += length;
        offset
    }
}
