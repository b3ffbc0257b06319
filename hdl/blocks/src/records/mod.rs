// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of a decoder into the record stream of `etm4_protocol::record_stream`.
//!
//! ```text
//! result words ─▶ RecordRows ─▶ SyncFifo ─▶ UnitStep ─▶ RecordBeats ─▶ SyncFifo ─▶ AXI4-Stream
//!                 tags, words   rows        four words   128 bits      beats
//!                 of a word                 a cycle
//! ```
//!
//! `BytePacker` is the small one: a decoder of one lane, a link that is slower than it.
//!
//! Nothing is lost in here. While the first FIFO fills up, [`RecordPath`] asks that no more words be
//! given to the decoder, and those that are on their way still find room.

mod beats;
mod byte_packer;
mod byte_record;
mod known;
mod path;
mod range;
mod rows;
mod slots;
mod start;
mod units;

pub use beats::{BEAT_W, BeatFields, DATA_W, RecordBeats};
pub use byte_packer::BytePacker;
pub use byte_record::ByteRecord;
pub use path::RecordPath;
pub use rows::{KINDS, RecordRows};
pub use units::UnitStep;
