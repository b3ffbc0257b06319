// SPDX-License-Identifier: MIT OR Apache-2.0
//! What faults at the trace port do to the records behind it.
//!
//! A [`Port`] is made from a seed, a [`Fault`] is put into it, and both ports go through the model
//! ([`observe()`]). [`compare()`] finds the records that are lost or wrong, and [`invariants`] checks what has to
//! hold whatever the fault. [`sweep`] does so at several rates, [`report`] prints the document.
#![forbid(unsafe_code)]

pub mod compare;
pub mod fault;
pub mod invariants;
pub mod observe;
pub mod port;
pub mod report;
pub mod sweep;

pub use compare::{Compared, compare};
pub use fault::Fault;
pub use observe::{Observed, observe};
pub use port::Port;
