// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecompressorSettings`: the settings of `etm4_recompressor`, which keep their values while it is busy.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `settings` | in | [`Settings`], as of the registers |
//! | `is_busy` | in | keep all values but those as of the registers |
//! | `enable` | out | decode the source; as of the registers |
//! | `loss_enable`, `block_enable`, `stopped_enable` | out | what interrupts; as of the registers |
//! | `most_cycles[31:0]` | out | how long a block may be open; as of the registers |
//! | `table_memory[2:0]`, `table_index[23:0]`, `table_word[63:0]` | out | the table window; as of the registers |
//! | `trace_id[6:0]` | out | trace ID of the source, and of the header of each block |
//! | `source`, `returns`, `ete`, `rules` | out | as of [`FlowSettings`](super::FlowSettings) |
//! | `is_a32`, `last_place[12:0]` | out | as of [`CompressorSettings`](super::CompressorSettings) |
//!
//! Latency 1 cycle, but 0 to those as of the registers.

use super::held_fields::{RETURN_STACK_BIT, held_rules, source_settings};
use super::recompressor::{SETTINGS_W, Settings};
use coretrace_hdl_compress::{BlockSize, PLACE_W, SIZE_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_flow::RULES_W;
use rust_hdl::prelude::*;

/// Settings that keep their values; see the module text.
#[derive(LogicBlock, Default)]
pub struct RecompressorSettings {
    pub clock: Signal<In, Clock>,
    pub settings: Signal<In, Bus<SETTINGS_W>>,
    pub is_busy: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub loss_enable: Signal<Out, Bit>,
    pub block_enable: Signal<Out, Bit>,
    pub stopped_enable: Signal<Out, Bit>,
    pub most_cycles: Signal<Out, Bits<32>>,
    pub table_memory: Signal<Out, Bits<3>>,
    pub table_index: Signal<Out, Bits<24>>,
    pub table_word: Signal<Out, Bits<64>>,
    pub trace_id: Signal<Out, Bits<7>>,
    pub source: Signal<Out, Bus<SOURCE_SETTINGS_W>>,
    pub returns: Signal<Out, Bit>,
    pub ete: Signal<Out, Bit>,
    pub rules: Signal<Out, Bus<RULES_W>>,
    pub is_a32: Signal<Out, Bit>,
    pub last_place: Signal<Out, Bits<PLACE_W>>,
    held: DFF<Bus<SETTINGS_W>>,
    step: RecompressorSettingsStep<1>,
    size: BlockSize<1>,
}

impl Logic for RecompressorSettings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.step.settings.next = self.settings.val();
        self.step.held.next = self.held.q.val();
        self.step.is_busy.next = self.is_busy.val();
        self.held.d.next = self.step.held_next.val();
        self.enable.next = self.step.enable.val();
        self.loss_enable.next = self.step.loss_enable.val();
        self.block_enable.next = self.step.block_enable.val();
        self.stopped_enable.next = self.step.stopped_enable.val();
        self.most_cycles.next = self.step.most_cycles.val();
        self.table_memory.next = self.step.table_memory.val();
        self.table_index.next = self.step.table_index.val();
        self.table_word.next = self.step.table_word.val();
        self.trace_id.next = self.step.trace_id.val();
        self.source.next = self.step.source.val();
        self.returns.next = self.step.returns.val();
        self.ete.next = self.step.ete.val();
        self.rules.next = self.step.rules.val();
        self.is_a32.next = self.step.is_a32.val();
        self.size.size.next = self.step.size.val();
        self.last_place.next = self.size.last_place.val();
    }
}

kernel_block! {
    /// The settings after a cycle, and the held ones by name.
    pub struct RecompressorSettingsStep;
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
        block_enable: Bit,
        stopped_enable: Bit,
        most_cycles: Bits<32>,
        table_memory: Bits<3>,
        table_index: Bits<24>,
        table_word: Bits<64>,
        trace_id: Bits<7>,
        source: Bus<SOURCE_SETTINGS_W>,
        returns: Bit,
        ete: Bit,
        rules: Bus<RULES_W>,
        is_a32: Bit,
        size: Bits<SIZE_W>,
    }
    lane_outputs {}
    kernel recompressor_settings_step;
}

fn recompressor_settings_step<T: Word, const N: usize>(
    i: StepInputs<T::Port, N>,
) -> StepOutputs<T, N> {
    let settings = Settings::<T>::unpack(&i.settings);
    let held = Settings::<T>::unpack(&i.held);
    let is_busy = T::field(&i.is_busy, 0, 1);
    // The instructions of an Armv8-M are T32, which no encoder takes.
    let source = source_settings!(held, T::constant(0, 1));
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        loss_enable: vec![settings.loss_enable],
        block_enable: vec![settings.block_enable],
        stopped_enable: vec![settings.stopped_enable],
        most_cycles: vec![settings.most_cycles],
        table_memory: vec![settings.table_memory],
        table_index: vec![settings.table_index],
        table_word: vec![settings.table_high.concat(settings.table_low)],
        trace_id: vec![held.trace_id],
        source: source.pack(),
        returns: vec![held.trcconfigr.bit(RETURN_STACK_BIT)],
        ete: vec![held.ete],
        rules: held_rules!(held),
        is_a32: vec![held.is_a32],
        size: vec![held.size],
    }
}
