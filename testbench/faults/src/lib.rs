// SPDX-License-Identifier: MIT OR Apache-2.0
//! The effect of faults at the trace port on the records, and of wrong flow tables, images and traces on
//! counts.
//!
//! A [`Port`] is made from a seed, a [`Fault`] is injected, and the model decodes both ports
//! ([`observe()`]). [`compare()`] finds the records that are lost or wrong, and [`invariants`]
//! checks what must hold under any fault. [`sweep`] repeats this at several rates, [`report`]
//! prints the document. [`software`] does the same at a port of an STM and an ITM. [`tables`] inverts bits
//! of flow tables, and [`wrong`] takes wrong images and traces.
#![forbid(unsafe_code)]

pub mod compare;
pub mod fault;
pub mod invariants;
pub mod observe;
pub mod port;
pub mod program;
pub mod report;
mod share;
pub mod software;
pub mod sweep;
pub mod tables;
pub mod wrong;

pub use compare::{Compared, compare};
pub use fault::Fault;
pub use observe::{Observed, observe};
pub use port::Port;
