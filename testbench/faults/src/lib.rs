// SPDX-License-Identifier: MIT OR Apache-2.0
//! The effect of faults at the trace port on the records, and of wrong bits in flow tables on counts.
//!
//! A [`Port`] is made from a seed, a [`Fault`] is injected, and the model decodes both ports
//! ([`observe()`]). [`compare()`] finds the records that are lost or wrong, and [`invariants`]
//! checks what must hold under any fault. [`sweep`] repeats this at several rates, [`report`]
//! prints the document. [`tables`] does the same with wrong bits in flow tables.
#![forbid(unsafe_code)]

pub mod compare;
pub mod fault;
pub mod invariants;
pub mod observe;
pub mod port;
pub mod report;
pub mod sweep;
pub mod tables;

pub use compare::{Compared, compare};
pub use fault::Fault;
pub use observe::{Observed, observe};
pub use port::Port;
