// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders give the records of the model, field by field.
//!
//! | module | what it has |
//! |---|---|
//! | `captures` | the streams of captures |
//! | `stp`, `stp_x4` | the STM decoders in simulation |
//! | `data` | the headers of data trace |
//! | `itm`, `itm_x4` | the ITM decoders in simulation |
//! | `words` | bytes in words with gaps |

mod captures;
mod data;
mod itm;
mod itm_x4;
mod stp;
mod stp_x4;
mod words;

use coretrace_hdl_software::data::DataHeaders;
use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::x4::{BYTES, StpX4};
use coretrace_hdl_software::stp::{NIBBLES, StpDecoder};
use coretrace_hdl_verilog::verilog;
use coretrace_test_gen::{Damage, Rng};
use rand::RngExt;

/// A byte, and whether bytes were lost before it; none in a cycle without one.
type Cycle = Option<(u8, bool)>;

/// The bytes of a stream with losses and, unless every cycle has one, pauses.
fn cycles(rng: &mut Rng, bytes: &[u8], losses: f64, pauses: bool) -> Vec<Cycle> {
    let mut cycles = Vec::new();
    for &byte in bytes {
        while pauses && rng.random_bool(0.2) {
            cycles.push(None);
        }
        cycles.push(Some((byte, rng.random_bool(losses))));
    }
    cycles
}

/// How a stream of a seed is broken: every second one is not.
fn damage_of(seed: u64) -> Option<Damage> {
    let number = (seed / 2) as usize % Damage::ALL.len();
    (seed % 2 == 1).then(|| Damage::ALL[number])
}

#[test]
fn the_decoders_are_exported_without_findings() {
    for text in [
        verilog(StpDecoder::<NIBBLES, 1>::default(), "stp_decoder"),
        verilog(ItmDecoder::<1, 1>::default(), "itm_decoder"),
        verilog(DataHeaders::<4, 1>::default(), "data_headers"),
        verilog(StpX4::<BYTES, 1>::default(), "stp_x4"),
        verilog(ItmX4::<BYTES, 1>::default(), "itm_x4"),
    ] {
        let text = text.unwrap_or_else(|findings| panic!("{findings}"));
        assert!(text.contains("m_discontinuity"));
    }
}
