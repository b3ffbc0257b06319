// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the trace port to bytes per trace ID.
//!
//! | stage | in | out |
//! |---|---|---|
//! | [`FrameGenerator`], [`FrameBlocks`] | bytes of a port or of a buffer | [`FrameEvent`]s |
//! | [`FrameDecoder`] | [`FrameEvent`]s | [`RunEvent`]s: bytes of one ID |
//! | [`Demux`] | [`Run`]s | the ID that gets them, or a count of what was dropped |
//!
//! [`Deframer`] joins the first two for one of the [`Format`]s of captures;
//! [`detect_format`] finds the format in the bytes. All stages accept
//! chunks of any size and any input, keep at most one frame, and account for every byte.
//!
//! ```
//! use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
//!
//! let mut port = vec![0xFF, 0xFF, 0xFF, 0x7F, 0x21];
//! port.extend([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0]);
//! let (mut deframer, mut demux) = (Deframer::new(Format::TpiuFsync), Demux::all());
//! let mut streams = vec![Vec::new(); 128];
//! deframer.feed(&port, |event| match event {
//!     RunEvent::Run(run) => {
//!         if let Some(id) = demux.route(&run) {
//!             streams[usize::from(id.value())].extend_from_slice(run.bytes);
//!         }
//!     }
//!     RunEvent::Discontinuity { .. } => {} // notify the decoder of every ID
//! });
//! deframer.finish();
//! assert_eq!(streams[0x10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
//! ```

mod blocks;
mod deframer;
mod demux;
mod detect;
mod frame_decoder;
mod frame_generator;
mod statistics;
mod tsv;

#[cfg(test)]
mod corpus_test;
#[cfg(test)]
mod port_test;

pub use blocks::FrameBlocks;
pub use deframer::{Deframer, Format, UnknownFormat};
pub use demux::{Demux, DemuxStatistics};
pub use detect::detect_format;
pub use frame_decoder::{FrameDecoder, Run, RunEvent};
pub use frame_generator::{FrameEvent, FrameGenerator};
pub use statistics::SyncStatistics;
pub use tsv::{demux_row, demux_rows};

/// The lowest bit of each of the eight pairs of bytes of a frame.
const PAIRS: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;
