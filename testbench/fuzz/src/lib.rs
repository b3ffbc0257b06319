// SPDX-License-Identifier: MIT OR Apache-2.0
//! Differential fuzzing: streams from a seed through two decoders, compared packet by packet.
//!
//! [`opencsd`] compares the model, under its OpenCSD policy, with OpenCSD's packet processor. Every
//! difference is either in the table of OpenCSD's known [`faults`] or reported with the smallest
//! input that shows it. [`stm`] does so with the model of an STM. The module `verilog` compares the exported hardware with the model; `long`
//! does so with one long stream. The module `flow` follows random programs in the exported hardware and in
//! the model, [`walk`] random packets through random words. [`campaign`] runs many cases, [`minimise`] makes one small,
//! [`folder`] keeps it.
//!
//! [`targets`] are for a coverage-guided fuzzer.
#![forbid(unsafe_code)]

pub mod campaign;
pub mod case;
pub mod codes;
pub mod expected;
pub mod faults;
#[cfg(feature = "hw")]
pub mod flow;
pub mod folder;
#[cfg(feature = "hw")]
pub mod long;
mod memory;
pub mod minimise;
pub mod model;
pub mod opencsd;
pub mod reference;
pub mod report;
mod row;
pub mod stm;
pub mod targets;
mod totals;
pub mod units;
#[cfg(feature = "hw")]
pub mod verilog;
pub mod walk;

pub use case::Case;
pub use row::Row;
pub use totals::Totals;

use anyhow::Result;

/// Two decoders that should report the same for every case.
pub trait Pair: Sync {
    /// Compares them on one case.
    ///
    /// # Errors
    /// If one of them cannot be run.
    fn compare(&self, case: &Case) -> Result<Verdict>;
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T = Totals> {
    /// No difference.
    Equal(T),
    /// The first difference, as text of several lines.
    Different(String),
}

impl<T> Verdict<T> {
    /// Whether there is a difference.
    pub fn is_different(&self) -> bool {
        matches!(self, Verdict::Different(_))
    }
}
