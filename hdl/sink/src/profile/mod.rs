// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace adds up to, on chip: how often each address, exception and event comes, and the
//! cycles by address, as entries of `coretrace_abi::profile_stream`.
//!
//! ```text
//! result words ─▶ ProfileEvents ─▶ SyncFifo ─▶ SumTable of lane 0 ─▶ SyncFifo ─┐
//!                 what counts in      events     ...                           ├─▶ SyncFifo ─▶
//!                 each lane                    SumTable of lane 3 ─▶ SyncFifo ─┘   entries
//! ```
//!
//! Each lane has a table of its own, so that every lane of every word is counted whatever the
//! others do. An entry that another one displaces leaves in the stream, and nothing is ever
//! forgotten: what software adds up is exact.

mod accumulator;
mod entry_select;
mod events;
mod sum_step;
mod sum_table;

pub use accumulator::ProfileAccumulator;
pub use entry_select::EntrySelect;
pub use events::{EVENT_W, Event, EventLanes, INDEX_W, ProfileEvents};
pub use sum_step::{SUM_ENTRY_W, SumEntry, SumStep};
pub use sum_table::{EventPlace, SumTable};
