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
//! | `table_memory[2:0]`, `table_index[23:0]`, `table_word[63:0]` | out | the table window; as of the registers |
//! | `windowed` | out | count between triggers |
//! | `trace_id[6:0]` | out | trace ID of the source |
//! | `source` | out | [`SourceSettings`](coretrace_hdl_etm::SourceSettings) |
//! | `returns` | out | the source leaves out the targets of returns (TRCCONFIGR.RS) |
//! | `ete` | out | the source is an ETE |
//! | `rules` | out | rules of address spaces, see [`HeldRule`](coretrace_hdl_flow::HeldRule) |
//!
//! Latency 1 cycle, but 0 to those as of the registers.

use super::flow::{SETTINGS_W, Settings};
use super::held_fields::{RETURN_STACK_BIT, held_rules, source_settings};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_flow::RULES_W;
use rust_hdl::prelude::*;

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
    pub table_memory: Signal<Out, Bits<3>>,
    pub table_index: Signal<Out, Bits<24>>,
    pub table_word: Signal<Out, Bits<64>>,
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
        self.table_memory.next = self.step.table_memory.val();
        self.table_index.next = self.step.table_index.val();
        self.table_word.next = self.step.table_word.val();
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
        table_memory: Bits<3>,
        table_index: Bits<24>,
        table_word: Bits<64>,
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
    let source = source_settings!(held, held.v8m);
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        loss_enable: vec![settings.loss_enable],
        read_out_done_enable: vec![settings.read_out_done_enable],
        froze_enable: vec![settings.froze_enable],
        freeze_after: vec![settings.freeze_after],
        table_memory: vec![settings.table_memory],
        table_index: vec![settings.table_index],
        table_word: vec![settings.table_high.concat(settings.table_low)],
        windowed: vec![held.windowed],
        trace_id: vec![held.trace_id],
        source: source.pack(),
        returns: vec![held.trcconfigr.bit(RETURN_STACK_BIT)],
        ete: vec![held.ete],
        rules: held_rules!(held),
    }
}
