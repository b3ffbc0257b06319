// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ConfigDecode`: trace unit registers in, what the decoder needs of them out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `ete` | in | the source is an ETE, not an ETMv4 |
//! | `v8m` | in | the traced core is an Armv8-M |
//! | `trcconfigr`, `trcidr0`, `trcidr1`, `trcidr2`, `trcdevarch` | in | the registers, 32 bits each |
//! | `cfg` | out | [`DecoderConfig`] |
//!
//! Combinational; the registers do not change while a stream is decoded. The software twin is
//! `coretrace_etm::Config::new`.

use super::layouts::{CONFIG_W, DecoderConfig};
use coretrace_etm::Gate;
use coretrace_hdl_dataflow::{Bus, Word, any, join, kernel_block};
use rust_hdl::prelude::*;

kernel_block! {
    /// Registers to configuration; see the module text.
    pub struct ConfigDecode;
    inputs ConfigInputs {
        ete: Bit,
        v8m: Bit,
        trcconfigr: Bits<32>,
        trcidr0: Bits<32>,
        trcidr1: Bits<32>,
        trcidr2: Bits<32>,
        trcdevarch: Bits<32>,
    }
    lane_inputs {}
    outputs ConfigOutputs { cfg: Bus<CONFIG_W>, }
    lane_outputs {}
    kernel config_decode;
}

fn config_decode<T: Word, const N: usize>(i: ConfigInputs<T::Port, N>) -> ConfigOutputs<T, N> {
    let (ete, v8m) = (T::field(&i.ete, 0, 1), T::field(&i.v8m, 0, 1));
    let configr = |low, width| T::field(&i.trcconfigr, low, width);
    let idr0 = |low, width| T::field(&i.trcidr0, low, width);
    let idr2 = |low, width| T::field(&i.trcidr2, low, width);
    let one = T::constant(1, 1);

    let minor = T::field(&i.trcidr1, 4, 4);
    let from = |version| minor.lt(T::constant(version, 4)).not();
    let devarch_minor = T::field(&i.trcdevarch, 16, 4);
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
    ConfigOutputs { cfg: config.pack() }
}
