// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ConfigDecode`: trace unit registers in, what the decoder needs of them out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `settings` | in | [`SourceSettings`] |
//! | `cfg` | out | [`DecoderConfig`] |
//! | `lenient` | out | error policy: 0 resync, 1 lenient |
//!
//! Combinational; the registers do not change while a stream is decoded. The software twin is
//! `coretrace_etm::Config::new`.

use super::layouts::{CONFIG_W, DecoderConfig};
use super::settings::{SOURCE_SETTINGS_W, SourceSettings};
use coretrace_etm::Gate;
use coretrace_hdl_dataflow::{Bus, Word, any, join, kernel_block};
use rust_hdl::prelude::*;

kernel_block! {
    /// Registers to configuration; see the module text.
    pub struct ConfigDecode;
    inputs ConfigInputs {
        settings: Bus<SOURCE_SETTINGS_W>,
    }
    lane_inputs {}
    outputs ConfigOutputs { cfg: Bus<CONFIG_W>, lenient: Bit, }
    lane_outputs {}
    kernel config_decode;
}

fn config_decode<T: Word, const N: usize>(i: ConfigInputs<T::Port, N>) -> ConfigOutputs<T, N> {
    let source = SourceSettings::<T>::unpack(&i.settings);
    let (ete, v8m) = (source.ete, source.v8m);
    let configr = |low, width| source.trcconfigr.slice(low, width);
    let idr0 = |low, width| source.trcidr0.slice(low, width);
    let idr2 = |low, width| source.trcidr2.slice(low, width);
    let one = T::constant(1, 1);

    let minor = source.trcidr1.slice(4, 4);
    let from = |version| minor.lt(T::constant(version, 4)).not();
    let devarch_minor = source.trcdevarch.slice(16, 4);
    let gate = |gate: Gate| match gate {
        Gate::Always => one,
        Gate::Never => T::constant(0, 1),
        Gate::Etm4 => ete.not(),
        Gate::Ete => ete,
        Gate::EteV13 => ete.and(devarch_minor.lt(T::constant(3, 4)).not()),
        Gate::FunctionReturn => ete.not().and(v8m).and(from(2)),
        Gate::Ignore => ete.or(from(3)),
        Gate::TimestampMarker => ete.or(from(6)),
        Gate::Conditional => idr0(6, 1).and(configr(8, 3).any()),
        Gate::DataSync => idr0(3, 2)
            .is(3)
            .and(configr(1, 2).any())
            .and(configr(16, 2).any()),
        Gate::Q => idr0(15, 2).any(),
    };
    let gates = join(Gate::ALL.into_iter().map(gate));

    let vmid_size = idr2(10, 5);
    let wide_vmid = ete.or(from(1));
    let (vmid1, vmid2, vmid4) = (
        vmid_size.is(1),
        vmid_size.is(2).and(wide_vmid),
        vmid_size.is(4).and(wide_vmid),
    );
    let config = DecoderConfig {
        gates,
        commopt: idr0(29, 1).and(idr0(7, 1)),
        ete,
        has_cid: idr2(5, 5).is(4),
        has_vmid: any(&[vmid1, vmid2, vmid4]),
        vmid_last: vmid4.concat(vmid2.or(vmid4)),
    };
    ConfigOutputs {
        cfg: config.pack(),
        lenient: vec![source.lenient],
    }
}
