// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HeldSettings`: the settings of the core, which keep their values while its source is busy.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `settings` | in | [`Settings`], as of the registers |
//! | `is_busy` | in | keep all values but those as of the registers |
//! | `enable` | out | decode the source; as of the registers |
//! | `loss_enable`, `flush_done_enable`, `error_enable` | out | what interrupts; as of the registers |
//! | `records`, `profile` | out | send the record stream, the profile stream |
//! | `trace_id[6:0]` | out | trace ID of the source |
//! | `source` | out | [`SourceSettings`](coretrace_hdl_etm::SourceSettings) |
//! | `record` | out | [`RecordSettings`] |
//!
//! Results in flight keep the settings that they were decoded with. Latency 1 cycle, but 0 to
//! those as of the registers.

use super::core::{SETTINGS_W, Settings};
use super::held_fields::source_settings;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_sink::records::{RECORD_SETTINGS_W, RecordSettings};
use rust_hdl::prelude::*;

/// Settings that keep their values; see the module text.
#[derive(LogicBlock, Default)]
pub struct HeldSettings {
    pub clock: Signal<In, Clock>,
    pub settings: Signal<In, Bus<SETTINGS_W>>,
    pub is_busy: Signal<In, Bit>,
    pub enable: Signal<Out, Bit>,
    pub loss_enable: Signal<Out, Bit>,
    pub flush_done_enable: Signal<Out, Bit>,
    pub error_enable: Signal<Out, Bit>,
    pub records: Signal<Out, Bit>,
    pub profile: Signal<Out, Bit>,
    pub trace_id: Signal<Out, Bits<7>>,
    pub source: Signal<Out, Bus<SOURCE_SETTINGS_W>>,
    pub record: Signal<Out, Bus<RECORD_SETTINGS_W>>,
    held: DFF<Bus<SETTINGS_W>>,
    step: SettingsStep<1>,
}

impl Logic for HeldSettings {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.step.settings.next = self.settings.val();
        self.step.held.next = self.held.q.val();
        self.step.is_busy.next = self.is_busy.val();
        self.held.d.next = self.step.held_next.val();
        self.enable.next = self.step.enable.val();
        self.loss_enable.next = self.step.loss_enable.val();
        self.flush_done_enable.next = self.step.flush_done_enable.val();
        self.error_enable.next = self.step.error_enable.val();
        self.records.next = self.step.records.val();
        self.profile.next = self.step.profile.val();
        self.trace_id.next = self.step.trace_id.val();
        self.source.next = self.step.source.val();
        self.record.next = self.step.record.val();
    }
}

kernel_block! {
    /// The settings after a cycle, and the held ones by name.
    pub struct SettingsStep;
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
        flush_done_enable: Bit,
        error_enable: Bit,
        records: Bit,
        profile: Bit,
        trace_id: Bits<7>,
        source: Bus<SOURCE_SETTINGS_W>,
        record: Bus<RECORD_SETTINGS_W>,
    }
    lane_outputs {}
    kernel settings_step;
}

fn settings_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let settings = Settings::<T>::unpack(&i.settings);
    let held = Settings::<T>::unpack(&i.held);
    let is_busy = T::field(&i.is_busy, 0, 1);
    let source = source_settings!(held, held.v8m);
    let record = RecordSettings {
        full_addresses: held.full_addresses,
        drop: held.drop,
        has_range: held.has_range,
        first_low: held.first_low,
        first_high: held.first_high,
        last_low: held.last_low,
        last_high: held.last_high,
    };
    StepOutputs {
        held_next: Settings::mux(is_busy, held, settings).pack(),
        enable: vec![settings.enable],
        loss_enable: vec![settings.loss_enable],
        flush_done_enable: vec![settings.flush_done_enable],
        error_enable: vec![settings.error_enable],
        records: vec![held.records],
        profile: vec![held.profile],
        trace_id: vec![held.trace_id],
        source: source.pack(),
        record: record.pack(),
    }
}
