// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of a decoder into the record stream of `coretrace_abi::record_stream`.
//!
//! ```text
//! result words ─▶ RecordGroups ─▶ SyncFifo ─▶ GroupSequencer ─▶ RecordBeats ─▶ SyncFifo ─▶ AXI4-Stream
//!                 tags, words   rows        four words   128 bits      beats
//!                 of a word                 a cycle
//! ```
//!
//! Beside another source of the port, `PlacePath` puts places in front of groups.
//!
//! `BytePacker` is the small one: a decoder of one lane, a link that is slower than it.
//!
//! Nothing is lost in here. While the first FIFO fills up, [`RecordEncoder`] asks that no more words be
//! given to the decoder, and those that are on their way still find room.

mod beats;
mod boundaries;
mod byte_head;
mod byte_packer;
mod byte_record;
mod counts;
mod crc;
mod encoder;
mod filter;
mod group_places;
mod group_sequencer;
mod group_words;
mod groups;
mod head;
mod known;
mod layouts;
mod place_delay;
mod place_marks;
mod place_path;
mod range;
mod settings;
mod start;

pub use beats::{BEAT_W, BeatFields, DATA_W, RecordBeats};
pub use byte_head::ByteHead;
pub use byte_packer::BytePacker;
pub use byte_record::ByteRecord;
pub use crc::CrcStep;
pub(crate) use crc::crc;
pub use encoder::RecordEncoder;
pub use group_places::{GroupPlaces, PLACES_W, PlaceFields, Places};
pub use group_sequencer::GroupSequencer;
pub(crate) use group_words::WORDS;
pub use groups::RecordGroups;
pub use place_delay::PlaceDelay;
pub use place_marks::{MARK_W, PlaceMark, PlaceMarks};
pub use place_path::PlacePath;
pub use settings::{KINDS, RECORD_SETTINGS_W, RecordSettings};
