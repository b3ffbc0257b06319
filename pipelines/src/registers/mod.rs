// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `coretrace_abi::registers` as hardware.
//!
//! | module | what it holds |
//! |---|---|
//! | `map` | the table as the [`RegisterMap`](coretrace_hdl_parts::axi::RegisterMap) of a block |
//! | `buses` | the buses of that block by the names of their fields |
//! | `held` | the settings, which keep their values while the source is busy |

mod buses;
mod held;
mod map;

pub use buses::{
    CorePulses, CoreSettings, CoreStatus, PULSES_W, PulseFields, SETTINGS_W, STATUS_W, StatusFields,
};
pub use held::HeldSettings;
pub use map::{ADDRESS_W, CoreMap, CoreRegisters};
