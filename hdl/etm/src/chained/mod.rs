// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chained ETMv4 decoder: one cycle for each stage, so that little silicon is enough for a byte
//! per cycle.
//!
//! The stages are those of the published decoder: header pre-processing, stream state, action
//! codes, action process. Only the stream state and the action process look back; both are
//! chained over the lanes of a word in one cycle.

pub mod action_code;
pub mod action_process;
pub mod async_detector;
pub mod decoder;
pub mod header_lookup;
pub mod pending_counter;
pub mod stream_state;

pub use action_code::ActionCode;
pub use action_process::ActionProcess;
pub use async_detector::AsyncDetector;
pub use decoder::ChainedDecoder;
pub use header_lookup::HeaderLookup;
pub use pending_counter::PendingCounter;
pub use stream_state::StreamStateProcess;
