// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cores with an STM or an ITM beside their source, from their pins: driven as `core_block` drives `etm4_core`, with
//! the stream of the second source in the same frames.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::core_block::{BESIDE, Beside, CoreCycle, cycles};
use crate::mixer::Mixer;
use coretrace_abi::registers::software_writes;
use coretrace_hdl_parts::axi::master::AxiSlave;
use coretrace_pipelines::{Etm4CoreItm, Etm4CoreStm, SoftwareCoreTop};
use coretrace_test_gen::{Damage, itm_stream, rng, stm_stream};
use rust_hdl::prelude::*;

impl<const STM: usize, const ITM: usize> Bench for SoftwareCoreTop<STM, ITM> {
    type Cycle = CoreCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|core, clock| {
        core.aclk.next = clock;
        core.trace_clk.next = clock;
    });

    fn cycles() -> impl AsRef<[CoreCycle]> {
        let rng = &mut rng(SEED);
        let stream = match ITM {
            0 => stm_stream(rng, 300, Some(Damage::BitFlip)),
            _ => itm_stream(rng, 300, Some(Damage::BitFlip)),
        };
        let itm_tcr = 0x10 * ITM as u32;
        cycles(Beside {
            writes: software_writes(BESIDE, itm_tcr, false).to_vec(),
            stream,
            quiet: 4400,
        })
    }

    fn drive(&mut self, cycle: &CoreCycle, _mixer: &mut Mixer) {
        self.aresetn.next = !cycle.resets;
        self.trace_valid.next = cycle.word.is_some();
        self.trace_data.next = cycle.word.unwrap_or(0).to_bits();
        self.set(&cycle.pins);
        self.m_axis_records_tready.next = cycle.ready[0];
        self.m_axis_profile_tready.next = cycle.ready[1];
        self.m_axis_software_tready.next = cycle.ready[2];
    }
}

#[test]
#[ignore = "nightly: etm4_core and both recorders are compared in the gate"]
fn the_core_with_an_stm_in_verilator_equals_its_simulation() {
    check::<Etm4CoreStm>("etm4_core_stm");
}

#[test]
#[ignore = "nightly: etm4_core and both recorders are compared in the gate"]
fn the_core_with_an_itm_in_verilator_equals_its_simulation() {
    check::<Etm4CoreItm>("etm4_core_itm");
}
