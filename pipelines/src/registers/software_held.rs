// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SoftwareSettings`: the settings of a source of software trace, which keep their values while it is busy.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `settings` | in | [`Settings`], as of the registers |
//! | `is_busy` | in | keep all values but that as of the registers |
//! | `enable` | out | record the source; as of the registers |
//! | `lenient` | out | error policy: 0 resync, 1 lenient |
//! | `trace_id[6:0]` | out | trace ID of the source |
//! | `itm_tcr[31:0]` | out | ITM_TCR of an ITM |
//!
//! Latency 1 cycle, but 0 to that as of the registers.

use super::software::{SETTINGS_W, Settings};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use rust_hdl::prelude::*;

/// Settings that keep their values; see the module text.
#[derive(LogicBlock, Default)]
pub struct SoftwareSettings {
    pub clock: Signal<In, Clock>,
    pub settings: Signal<In, Bus<SETTINGS_W>>,
    pub is_busy: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub lenient: Signal<Out, Bit>,
    pub trace_id: Signal<Out, Bits<7>>,
    pub itm_tcr: Signal<Out, Bits<32>>,
    held: DFF<Bus<SETTINGS_W>>,
    step: SoftwareSettingsStep<1>,
}

impl Logic for SoftwareSettings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.step.settings.next = self.settings.val();
        self.step.held.next = self.held.q.val();
        self.step.is_busy.next = self.is_busy.val();
        self.held.d.next = self.step.held_next.val();
        self.enable.next = self.step.enable.val();
        self.lenient.next = self.step.lenient.val();
        self.trace_id.next = self.step.trace_id.val();
        self.itm_tcr.next = self.step.itm_tcr.val();
    }
}

kernel_block! {
    /// The settings after a cycle, and the held ones by name.
    pub struct SoftwareSettingsStep;
    inputs StepInputs {
        settings: Bus<SETTINGS_W>,
        held: Bus<SETTINGS_W>,
        is_busy: Bit,
    }
    lane_inputs {}
    outputs StepOutputs {
        held_next: Bus<SETTINGS_W>,
        enable: Bit,
        lenient: Bit,
        trace_id: Bits<7>,
        itm_tcr: Bits<32>,
    }
    lane_outputs {}
    kernel software_settings_step;
}

fn software_settings_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let settings = Settings::<T>::unpack(&i.settings);
    let held = Settings::<T>::unpack(&i.held);
    let is_busy = T::field(&i.is_busy, 0, 1);
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        lenient: vec![held.lenient],
        trace_id: vec![held.trace_id],
        itm_tcr: vec![held.itm_tcr],
    }
}
