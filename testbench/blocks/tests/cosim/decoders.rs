// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole decoders: those of the blocks and every preset.

use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::port_words::{PortWord, port_words};
use crate::source_words::{SourceWord, source_words};
use coretrace_hdl_coresight::SOURCES;
use coretrace_hdl_etm::baseline::OneHotDecoder;
use coretrace_hdl_etm::chained::ChainedDecoder;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_etm::unrolled::UnrolledDecoder;
use coretrace_pipelines::{
    ChainedTop, JumpTop, OneHotTop, TpiuEtm4JumpX4, TpiuEtm4X4, UnrolledTop,
};
use rust_hdl::prelude::*;

/// A decoder with the bytes of one source at its input, a port for each lane.
macro_rules! decoder {
    ($decoder:ident) => {
        impl<const N: usize, const P: usize> Bench for $decoder<N, P> {
            type Cycle = SourceWord<N>;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.clock.next = clock);

            fn cycles() -> impl AsRef<[SourceWord<N>]> {
                source_words()
            }

            fn drive(&mut self, word: &SourceWord<N>, _: &mut Mixer) {
                self.reset.next = word.reset;
                self.settings.next = word.unit.settings(word.lenient);
                self.s_valid.next = word.valid;
                self.s_discontinuity.next = word.discontinuity;
                for lane in 0..N {
                    self.s_octet[lane].next = word.octets[lane].to_bits();
                    self.s_keep[lane].next = word.keep[lane];
                }
            }
        }
    };
}

decoder!(ChainedDecoder);
decoder!(UnrolledDecoder);
decoder!(JumpDecoder);
decoder!(OneHotDecoder);

/// A preset with the bytes of one source at its input.
macro_rules! source_preset {
    ($top:ident) => {
        impl<const N: usize, const P: usize, const W: usize> Bench for $top<N, P, W> {
            type Cycle = SourceWord<N>;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.aclk.next = clock);

            fn cycles() -> impl AsRef<[SourceWord<N>]> {
                source_words()
            }

            fn drive(&mut self, word: &SourceWord<N>, _: &mut Mixer) {
                self.aresetn.next = !word.reset;
                self.cfg_lenient.next = word.lenient;
                word.unit.set(
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
                self.s_axis_tvalid.next = word.valid;
                self.s_axis_tuser.next = word.discontinuity;
                let mask = |mask, (lane, &keep): (usize, &bool)| mask | u64::from(keep) << lane;
                self.s_axis_tkeep.next = word.keep.iter().enumerate().fold(0, mask).into();
                self.s_axis_tdata.next = joined(&word.octets);
            }
        }
    };
}

source_preset!(ChainedTop);
source_preset!(UnrolledTop);
source_preset!(JumpTop);
source_preset!(OneHotTop);

/// The bytes of a word, the first one in the lowest bits.
fn joined<const W: usize>(octets: &[u8]) -> Bits<W> {
    let octet = |octet: u8| bit_cast::<W, 8>(octet.to_bits());
    let above = |data: Bits<W>, byte: &u8| data << 8_u64 | octet(*byte);
    octets.iter().rev().fold(Bits::default(), above)
}

/// A preset with a trace port.
macro_rules! port_preset {
    ($top:ident) => {
        impl Bench for $top {
            type Cycle = PortWord;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|uut, clock| uut.aclk.next = clock);

            fn cycles() -> impl AsRef<[PortWord]> {
                port_words()
            }

            fn drive(&mut self, word: &PortWord, _: &mut Mixer) {
                let config = &word.config;
                self.aresetn.next = !word.reset;
                self.s_axis_tvalid.next = word.valid;
                self.s_axis_tuser.next = word.lost;
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
    };
}

port_preset!(TpiuEtm4X4);
port_preset!(TpiuEtm4JumpX4);
