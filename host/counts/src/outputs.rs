// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles of one program file, as other tools read them.

mod autofdo;
mod bolt;
mod fdata;
mod lcov;

pub use autofdo::write as write_autofdo;
pub use bolt::write as write_bolt;
pub use fdata::write as write_fdata;
pub use lcov::write as write_lcov;
