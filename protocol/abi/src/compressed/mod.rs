// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressed traces: what encoders take, and the sizes that an encoder and a replayer agree on.

pub mod block;
pub mod branch;
pub mod branch_beat;
pub mod data_address;
pub mod element;
pub mod encoder;
pub mod exception_call;
pub mod history;
pub mod index_trace;
pub mod item;
pub mod nexus;
pub mod raptor;
pub mod retired_block;
pub mod stream_cache;
pub mod votes;
