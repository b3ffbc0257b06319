// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a source as one bus.
//!
//! [`PackSettings`] makes the bus of flat ports, for the tops of users. Combinational.

use coretrace_etm::{ArchProfile, Protocol};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use rust_hdl::prelude::*;

layout! {
    /// What decoders and encoders must know of a source. Steady while its stream is decoded.
    pub struct SourceSettings {
        /// The source is an ETE, not an ETMv4.
        ete: 1,
        /// The traced core is an Armv8-M.
        v8m: 1,
        trcconfigr: 32,
        trcidr0: 32,
        trcidr1: 32,
        trcidr2: 32,
        trcdevarch: 32,
        trcidr8: 32,
        /// Error policy: 0 resync, 1 lenient.
        lenient: 1,
        trace_id: 7,
    }
}

/// Bits of the settings of a source.
pub const SOURCE_SETTINGS_W: usize = SourceSettings::WIDTH;

impl SourceSettings<u64> {
    /// The settings for a source.
    pub fn of(trace_id: u8, source: &coretrace_etm::SourceConfig) -> SourceSettings<u64> {
        let registers = &source.registers;
        SourceSettings {
            ete: (source.protocol == Protocol::Ete).into(),
            v8m: (source.profile == ArchProfile::M8).into(),
            trcconfigr: registers.trcconfigr.into(),
            trcidr0: registers.trcidr0.into(),
            trcidr1: registers.trcidr1.into(),
            trcidr2: registers.trcidr2.into(),
            trcdevarch: registers.trcdevarch.into(),
            trcidr8: registers.trcidr8.into(),
            lenient: source.lenient.into(),
            trace_id: trace_id.into(),
        }
    }
}

kernel_block! {
    /// Flat ports to the settings of a source; see the module text.
    pub struct PackSettings;
    inputs FlatSettings {
        lenient: Bit,
        ete: Bit,
        v8m: Bit,
        trace_id: Bits<7>,
        trcconfigr: Bits<32>,
        trcidr0: Bits<32>,
        trcidr1: Bits<32>,
        trcidr2: Bits<32>,
        trcidr8: Bits<32>,
        trcdevarch: Bits<32>,
    }
    lane_inputs {}
    outputs PackedSettings { settings: Bus<SOURCE_SETTINGS_W>, }
    lane_outputs {}
    kernel pack_settings;
}

fn pack_settings<T: Word, const N: usize>(i: FlatSettings<T::Port, N>) -> PackedSettings<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let register = |port: &T::Port| T::field(port, 0, 32);
    let settings = SourceSettings {
        ete: bit(&i.ete),
        v8m: bit(&i.v8m),
        trcconfigr: register(&i.trcconfigr),
        trcidr0: register(&i.trcidr0),
        trcidr1: register(&i.trcidr1),
        trcidr2: register(&i.trcidr2),
        trcdevarch: register(&i.trcdevarch),
        trcidr8: register(&i.trcidr8),
        lenient: bit(&i.lenient),
        trace_id: T::field(&i.trace_id, 0, 7),
    };
    PackedSettings {
        settings: settings.pack(),
    }
}
