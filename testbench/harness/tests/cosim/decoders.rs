// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole decoders: `ChainedDecoder` and every preset.

use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::port_words::{PortWord, port_words};
use crate::source_words::{SourceWord, source_words};
use etm4_hdl::etm4::ChainedDecoder;
use etm4_pipelines::tpiu_etm4_x4::SOURCES;
use etm4_pipelines::{Etm4Byte, Etm4X4, TpiuEtm4X4};
use rust_hdl::prelude::*;

impl<const N: usize> Bench for ChainedDecoder<N> {
    type Cycle = SourceWord<N>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[SourceWord<N>]> {
        source_words()
    }

    fn drive(&mut self, word: &SourceWord<N>, _: &mut Mixer) {
        self.reset.next = word.reset;
        self.lenient.next = word.lenient;
        word.unit.set(
            &mut self.ete,
            &mut self.v8m,
            [
                &mut self.trcconfigr,
                &mut self.trcidr0,
                &mut self.trcidr1,
                &mut self.trcidr2,
                &mut self.trcdevarch,
            ],
        );
        self.s_valid.next = word.valid;
        self.s_discontinuity.next = word.discontinuity;
        for lane in 0..N {
            self.s_octet[lane].next = word.octets[lane].to_bits();
            self.s_keep[lane].next = word.keep[lane];
        }
    }
}

/// A preset with the bytes of one source at its input.
macro_rules! source_preset {
    ($preset:ty, $lanes:literal, |$word:ident| $keep:expr) => {
        impl Bench for $preset {
            type Cycle = SourceWord<$lanes>;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.aclk.next = clock);

            fn cycles() -> impl AsRef<[SourceWord<$lanes>]> {
                source_words()
            }

            fn drive(&mut self, $word: &SourceWord<$lanes>, _: &mut Mixer) {
                self.aresetn.next = !$word.reset;
                self.cfg_lenient.next = $word.lenient;
                $word.unit.set(
                    &mut self.cfg_ete,
                    &mut self.cfg_v8m,
                    [
                        &mut self.cfg_trcconfigr,
                        &mut self.cfg_trcidr0,
                        &mut self.cfg_trcidr1,
                        &mut self.cfg_trcidr2,
                        &mut self.cfg_trcdevarch,
                    ],
                );
                self.s_axis_tvalid.next = $word.valid;
                self.s_axis_tuser.next = $word.discontinuity;
                self.s_axis_tkeep.next = $keep;
                let bytes = $word.octets.iter().rev();
                let data = bytes.fold(0, |data, &byte| data << 8 | u64::from(byte));
                self.s_axis_tdata.next = data.into();
            }
        }
    };
}

source_preset!(Etm4Byte, 1, |word| word.keep[0]);
source_preset!(Etm4X4, 4, |word| {
    let lanes = word.keep.iter().rev();
    let mask = lanes.fold(0, |mask, &keep| mask << 1 | u64::from(keep));
    mask.into()
});

impl Bench for TpiuEtm4X4 {
    type Cycle = PortWord;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.aclk.next = clock);

    fn cycles() -> impl AsRef<[PortWord]> {
        port_words()
    }

    fn drive(&mut self, word: &PortWord, _: &mut Mixer) {
        let config = &word.config;
        self.aresetn.next = !word.reset;
        self.s_axis_tvalid.next = word.valid;
        self.s_axis_tdata.next = word.data.to_bits();
        self.cfg_lenient.next = config.lenient;
        self.cfg_enables.next = config.enables.to_bits();
        for source in 0..SOURCES {
            self.cfg_id[source].next = config.ids[source].to_bits();
            config.units[source].set(
                &mut self.cfg_ete[source],
                &mut self.cfg_v8m[source],
                [
                    &mut self.cfg_trcconfigr[source],
                    &mut self.cfg_trcidr0[source],
                    &mut self.cfg_trcidr1[source],
                    &mut self.cfg_trcidr2[source],
                    &mut self.cfg_trcdevarch[source],
                ],
            );
        }
    }
}
