// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unrolled ETMv4 decoder: stream state and action code of four bytes in every cycle, pipelined
//! for a high clock.
//!
//! The stages are those of the [chained](crate::chained) decoder. Two loops go through all bytes of a
//! word, and each does only what it must; all else is worked out before or after them.
//!
//! | block | what it does |
//! |---|---|
//! | [`HeaderPreprocess`] | what each byte says, whatever the stream state |
//! | [`UnrolledStreamState`] | the stream state of each byte, in a chain of steps |
//! | [`UnrolledActionCode`] | the action code of each byte |
//! | [`UnrolledActionProcess`] | trace state and results |
//! | [`UnrolledDecoder`] | all of these in a row |

pub mod action_code;
pub mod action_process;
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
pub mod stream_state;

pub use action_code::UnrolledActionCode;
pub use action_process::UnrolledActionProcess;
pub use decoder::UnrolledDecoder;
pub use preprocess::HeaderPreprocess;
pub use stream_state::UnrolledStreamState;
