// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecompressorXeSettings`: the settings of `etm4_recompressor_xe`, which keep their values while it is busy.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `settings` | in | [`Settings`], as of the registers |
//! | `is_busy` | in | keep all values but those as of the registers |
//! | `enable` | out | decode the source; as of the registers |
//! | `loss_enable`, `block_enable`, `stopped_enable` | out | what interrupts; as of the registers |
//! | `most_cycles[31:0]` | out | how long a block may be open; as of the registers |
//! | `trace_id[6:0]` | out | trace ID of the source, and of the header of each block |
//! | `source` | out | as of [`HeldSettings`](super::HeldSettings) |
//! | `last_place[12:0]` | out | as of [`CompressorSettings`](super::CompressorSettings) |
//!
//! Latency 1 cycle, but 0 to those as of the registers.

use super::held_fields::source_settings;
use super::recompressor_xe::{SETTINGS_W, Settings};
use coretrace_hdl_compress::{BlockSize, PLACE_W, SIZE_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use rust_hdl::prelude::*;

/// Settings that keep their values; see the module text.
#[derive(LogicBlock, Default)]
pub struct RecompressorXeSettings {
    pub clock: Signal<In, Clock>,
    pub settings: Signal<In, Bus<SETTINGS_W>>,
    pub is_busy: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub loss_enable: Signal<Out, Bit>,
    pub block_enable: Signal<Out, Bit>,
    pub stopped_enable: Signal<Out, Bit>,
    pub most_cycles: Signal<Out, Bits<32>>,
    pub trace_id: Signal<Out, Bits<7>>,
    pub source: Signal<Out, Bus<SOURCE_SETTINGS_W>>,
    pub last_place: Signal<Out, Bits<PLACE_W>>,
    held: DFF<Bus<SETTINGS_W>>,
    step: RecompressorXeSettingsStep<1>,
    size: BlockSize<1>,
}

impl Logic for RecompressorXeSettings {
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
        self.trace_id.next = self.step.trace_id.val();
        self.source.next = self.step.source.val();
        self.size.size.next = self.step.size.val();
        self.last_place.next = self.size.last_place.val();
    }
}

kernel_block! {
    /// The settings after a cycle, and the held ones by name.
    pub struct RecompressorXeSettingsStep;
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
        trace_id: Bits<7>,
        source: Bus<SOURCE_SETTINGS_W>,
        size: Bits<SIZE_W>,
    }
    lane_outputs {}
    kernel recompressor_xe_settings_step;
}

fn recompressor_xe_settings_step<T: Word, const N: usize>(
    i: StepInputs<T::Port, N>,
) -> StepOutputs<T, N> {
    let settings = Settings::<T>::unpack(&i.settings);
    let held = Settings::<T>::unpack(&i.held);
    let is_busy = T::field(&i.is_busy, 0, 1);
    let source = source_settings!(held, held.v8m);
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        loss_enable: vec![settings.loss_enable],
        block_enable: vec![settings.block_enable],
        stopped_enable: vec![settings.stopped_enable],
        most_cycles: vec![settings.most_cycles],
        trace_id: vec![held.trace_id],
        source: source.pack(),
        size: vec![held.size],
    }
}
