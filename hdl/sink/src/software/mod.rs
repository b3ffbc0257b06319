// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packets of an STM or an ITM into the software stream of `coretrace_abi::software_stream`.
//!
//! ```text
//! rows ─▶ RowBytes ─▶ StpDecoder ─▶ StpEntries ─▶ SoftwareSender ─▶ AXI4-Stream
//!         FIFO        ItmDecoder    ItmEntries    FIFO, SendStep, SoftwareBeats, FIFO
//!           └────────▶ Delay ─────────┘
//! ```
//!
//! The rows of a port never wait: where the first FIFO is full, rows are dropped until it is half empty. They are
//! counted, and the record of a loss is where they were. Behind it nothing is lost.

mod beats;
mod byte_step;
mod entry;
mod itm_entries;
mod itm_recorder;
mod row;
mod row_bytes;
mod send_step;
mod sender;
mod stp_entries;
mod stp_recorder;

pub use beats::SoftwareBeats;
pub use byte_step::ByteStep;
pub use entry::{ENTRY_W, Entry};
pub use itm_entries::ItmEntries;
pub use itm_recorder::ItmRecorder;
pub use row::{JoinBytes, PLACE_W, Place, ROW_W, Row};
pub use row_bytes::RowBytes;
pub use send_step::{SELECT_W, SEND_STATE_W, SendState, SendStep, UnitSelect};
pub use sender::SoftwareSender;
pub use stp_entries::StpEntries;
pub use stp_recorder::StpRecorder;
