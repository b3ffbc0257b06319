// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unrolled ETMv4 decoder: the published decoder for four bytes a cycle, at a high clock.
//!
//! The stages are those of the byte decoder. Two loops go through all bytes of a word, and each does
//! only what it must; all else is worked out before or after them.
//!
//! | block | what it does |
//! |---|---|
//! | [`HeaderPreprocess`] | what each byte says, whatever the stream state |
//! | [`StreamChain`] | the stream state of each byte, in a chain of steps |
//! | [`ActionDecode`] | the action code of each byte |
//! | [`ActionUpdate`] | trace state and results |
//! | [`UnrolledDecoder`] | all of these in a row |

pub mod action_decode;
pub mod action_update;
mod address;
pub mod decoder;
mod enables;
mod index;
pub mod layouts;
mod newest;
mod pending;
pub mod preprocess;
mod registers;
mod run_length;
mod slots;
mod state;
pub mod stream_chain;

pub use action_decode::ActionDecode;
pub use action_update::ActionUpdate;
pub use decoder::UnrolledDecoder;
pub use preprocess::HeaderPreprocess;
pub use stream_chain::StreamChain;
