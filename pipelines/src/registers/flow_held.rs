// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowSettings`: the settings of `flow_core`, which keep their values while its source is busy.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `settings` | in | [`Settings`], as of the registers |
//! | `is_busy` | in | keep all values but those as of the registers |
//! | `enable` | out | decode the source; as of the registers |
//! | `loss_enable`, `read_out_done_enable`, `froze_enable` | out | what interrupts; as of the registers |
//! | `freeze_after[31:0]` | out | events that freeze the ring of hops; as of the registers |
//! | `windowed` | out | count between triggers |
//! | `trace_id[6:0]` | out | trace ID of the source |
//! | `source` | out | [`SourceSettings`] |
//! | `returns` | out | the source leaves out the targets of returns (TRCCONFIGR.RS) |
//! | `ete` | out | the source is an ETE |
//! | `rules` | out | rules of address spaces, see [`HeldRule`] |
//!
//! Latency 1 cycle, but 0 to those as of the registers.

use super::flow::{SETTINGS_W, Settings};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use coretrace_hdl_flow::{HeldRule, RULES_W};
use rust_hdl::prelude::*;

/// TRCCONFIGR.RS.
const RETURN_STACK_BIT: u32 = 12;

/// Settings that keep their values; see the module text.
#[derive(LogicBlock, Default)]
pub struct FlowSettings {
    pub clock: Signal<In, Clock>,
    pub settings: Signal<In, Bus<SETTINGS_W>>,
    pub is_busy: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub loss_enable: Signal<Out, Bit>,
    pub read_out_done_enable: Signal<Out, Bit>,
    pub froze_enable: Signal<Out, Bit>,
    pub freeze_after: Signal<Out, Bits<32>>,
    pub windowed: Signal<Out, Bit>,
    pub trace_id: Signal<Out, Bits<7>>,
    pub source: Signal<Out, Bus<SOURCE_SETTINGS_W>>,
    pub returns: Signal<Out, Bit>,
    pub ete: Signal<Out, Bit>,
    pub rules: Signal<Out, Bus<RULES_W>>,
    held: DFF<Bus<SETTINGS_W>>,
    step: FlowSettingsStep<1>,
}

impl Logic for FlowSettings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.step.settings.next = self.settings.val();
        self.step.held.next = self.held.q.val();
        self.step.is_busy.next = self.is_busy.val();
        self.held.d.next = self.step.held_next.val();
        self.enable.next = self.step.enable.val();
        self.loss_enable.next = self.step.loss_enable.val();
        self.read_out_done_enable.next = self.step.read_out_done_enable.val();
        self.froze_enable.next = self.step.froze_enable.val();
        self.freeze_after.next = self.step.freeze_after.val();
        self.windowed.next = self.step.windowed.val();
        self.trace_id.next = self.step.trace_id.val();
        self.source.next = self.step.source.val();
        self.returns.next = self.step.returns.val();
        self.ete.next = self.step.ete.val();
        self.rules.next = self.step.rules.val();
    }
}

kernel_block! {
    /// The settings after a cycle, and the held ones by name.
    pub struct FlowSettingsStep;
    inputs StepInputs {
        settings: Bus<SETTINGS_W>,
        held: Bus<SETTINGS_W>,
        is_busy: Bit,
    }
    lane_inputs {}
    outputs StepOutputs {
        held_next: Bus<SETTINGS_W>,
        enable: Bit,
        loss_enable: Bit,
        read_out_done_enable: Bit,
        froze_enable: Bit,
        freeze_after: Bits<32>,
        windowed: Bit,
        trace_id: Bits<7>,
        source: Bus<SOURCE_SETTINGS_W>,
        returns: Bit,
        ete: Bit,
        rules: Bus<RULES_W>,
    }
    lane_outputs {}
    kernel flow_settings_step;
}

fn flow_settings_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let settings = Settings::<T>::unpack(&i.settings);
    let held = Settings::<T>::unpack(&i.held);
    let is_busy = T::field(&i.is_busy, 0, 1);
    let source = SourceSettings {
        ete: held.ete,
        v8m: held.v8m,
        trcconfigr: held.trcconfigr,
        trcidr0: held.trcidr0,
        trcidr1: held.trcidr1,
        trcidr2: held.trcidr2,
        trcdevarch: held.trcdevarch,
        trcidr8: held.trcidr8,
        lenient: held.lenient,
        trace_id: held.trace_id,
    };
    let rules = [
        HeldRule {
            valid: held.rule_0,
            uses_vmid: held.rule_0_uses_vmid,
            uses_cid: held.rule_0_uses_cid,
            levels: held.rule_0_levels,
            vmid: held.rule_0_vmid,
            cid: held.rule_0_cid,
        },
        HeldRule {
            valid: held.rule_1,
            uses_vmid: held.rule_1_uses_vmid,
            uses_cid: held.rule_1_uses_cid,
            levels: held.rule_1_levels,
            vmid: held.rule_1_vmid,
            cid: held.rule_1_cid,
        },
        HeldRule {
            valid: held.rule_2,
            uses_vmid: held.rule_2_uses_vmid,
            uses_cid: held.rule_2_uses_cid,
            levels: held.rule_2_levels,
            vmid: held.rule_2_vmid,
            cid: held.rule_2_cid,
        },
        HeldRule {
            valid: held.rule_3,
            uses_vmid: held.rule_3_uses_vmid,
            uses_cid: held.rule_3_uses_cid,
            levels: held.rule_3_levels,
            vmid: held.rule_3_vmid,
            cid: held.rule_3_cid,
        },
    ];
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        loss_enable: vec![settings.loss_enable],
        read_out_done_enable: vec![settings.read_out_done_enable],
        froze_enable: vec![settings.froze_enable],
        freeze_after: vec![settings.freeze_after],
        windowed: vec![held.windowed],
        trace_id: vec![held.trace_id],
        source: source.pack(),
        returns: vec![held.trcconfigr.bit(RETURN_STACK_BIT)],
        ete: vec![held.ete],
        rules: rules.into_iter().flat_map(HeldRule::pack).collect(),
    }
}
