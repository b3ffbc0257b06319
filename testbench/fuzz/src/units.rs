// SPDX-License-Identifier: MIT OR Apache-2.0
//! Trace units: every register field that changes how bytes are read, and some fields that must
//! not.

use coretrace_etm::{ArchProfile, Protocol, Registers};
use coretrace_test_gen::{RegisterSet, Rng};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// TRCIDR0.TRCCCI and TRCCONFIGR.CCI: cycle counting.
const CAN_COUNT: u32 = 1 << 7;
const COUNTS: u32 = 1 << 4;

/// Any trace unit that the architecture allows: those of [`RegisterSet::any`], with sizes, cycle
/// counting, return stack, Q elements and speculation depth of their own.
pub fn any(rng: &mut Rng) -> RegisterSet {
    let mut set = RegisterSet::any(rng);
    if rng.random_bool(0.25) {
        return set;
    }
    set.name = "random";
    let r = &mut set.registers;
    let mut pick = |values: &[u32]| *values.choose(rng).expect("a list of values");

    // IASIZE and CCSIZE.
    r.trcidr2 = with(r.trcidr2, 0, 5, pick(&[4, 8]));
    r.trcidr2 = with(r.trcidr2, 25, 4, pick(&[0, 1, 4, 8]));
    // TSSIZE, QSUPP, return stack.
    r.trcidr0 = with(r.trcidr0, 24, 5, pick(&[0, 6, 8]));
    r.trcidr0 = with(r.trcidr0, 15, 2, pick(&[0, 0, 1, 2, 3]));
    r.trcidr0 = with(r.trcidr0, 9, 1, pick(&[0, 1]));
    r.trcconfigr = with(r.trcconfigr, 12, 1, r.trcidr0 >> 9 & pick(&[0, 1]));
    // Cycle counting, and COMMOPT, which has a meaning with it alone.
    r.trcidr0 = r.trcidr0 & !CAN_COUNT | pick(&[0, CAN_COUNT, CAN_COUNT]);
    r.trcidr0 = with(r.trcidr0, 29, 1, pick(&[0, 1]));
    r.trcconfigr &= !COUNTS;
    if r.trcidr0 & CAN_COUNT != 0 {
        r.trcconfigr |= pick(&[0, COUNTS]);
    }
    // Branch broadcasting, context IDs, VMIDs, timestamps.
    for bit in [3, 6, 7, 11] {
        r.trcconfigr = with(r.trcconfigr, bit, 1, pick(&[0, 1]));
    }
    r.trcidr8 = pick(&[0, 1, 4, 14, 15, 16, 20, 128, 255]);
    set
}

fn with(word: u32, low: u32, bits: u32, value: u32) -> u32 {
    let mask = ((1 << bits) - 1) << low;
    word & !mask | value << low & mask
}

/// The trace unit with these registers.
pub fn with_registers(
    protocol: Protocol,
    profile: ArchProfile,
    registers: Registers,
) -> RegisterSet {
    RegisterSet {
        name: "given",
        protocol,
        core: core_of(profile),
        profile,
        registers,
    }
}

/// A core that has this profile.
const fn core_of(profile: ArchProfile) -> &'static str {
    match profile {
        ArchProfile::A => "Cortex-A53",
        ArchProfile::M7 => "Cortex-M7",
        ArchProfile::M8 => "Cortex-M33",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::{Config, Gate};

    #[test]
    fn no_unit_contradicts_itself() {
        for seed in 0..2000 {
            let set = any(&mut coretrace_test_gen::rng(seed));
            let checked = Config::check(set.protocol, &set.registers);
            assert_eq!(checked, Ok(()), "seed {seed}: {set:?}");
        }
    }

    #[test]
    fn every_gate_is_seen_open_and_closed() {
        let units: Vec<Config> = (0..500)
            .map(|seed| any(&mut coretrace_test_gen::rng(seed)).config())
            .collect();
        for gate in Gate::ALL {
            let open = units.iter().filter(|unit| unit.allows(gate)).count();
            match gate {
                Gate::Always => assert_eq!(open, units.len()),
                Gate::Never => assert_eq!(open, 0),
                _ => assert!(open > 0 && open < units.len(), "{gate:?}: {open}"),
            }
        }
    }
}
