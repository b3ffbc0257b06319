// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressed traces: what encoders take, and the sizes that an encoder and a replayer agree on.

pub mod block;
pub mod branch;
pub mod element;
pub mod encoder;
pub mod history;
pub mod raptor;
pub mod stream_cache;
