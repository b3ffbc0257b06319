// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of the decoders of one source, a word at a time.

use crate::sim::ResultWord;
use crate::{ChainedTop, JumpTop, OneHotTop, UnrolledTop};
use coretrace_etm::{ArchProfile, Protocol, SourceConfig};
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use rust_hdl::prelude::*;

/// A word at the input of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct InputWord {
    /// The bytes, lane 0 in bits 7:0.
    pub data: u128,
    /// Which lanes count, lane 0 in bit 0.
    pub keep: u32,
    /// Bytes were lost before the word.
    pub discontinuity: bool,
}

/// A decoder of one source that is being simulated.
pub trait SourceSim {
    /// Bytes per word.
    const LANES: usize;

    /// Resets the decoder and sets its configuration.
    fn start(config: &SourceConfig) -> Self;

    /// One clock cycle, with a word at the input or a gap. Returns the results that stand at the
    /// output after the clock edge.
    fn step(&mut self, word: Option<&InputWord>) -> Option<ResultWord>;
}

/// The start of a top: one cycle with the reset, one for its register to let go.
macro_rules! start {
    ($top:ty, $config:ident) => {{
        let mut top = <$top>::default();
        top.connect_all();
        let registers = &$config.registers;
        top.cfg_lenient.next = $config.lenient;
        top.cfg_ete.next = $config.protocol == Protocol::Ete;
        top.cfg_v8m.next = $config.profile == ArchProfile::M8;
        top.cfg_trcconfigr.next = u64::from(registers.trcconfigr).into();
        top.cfg_trcidr0.next = u64::from(registers.trcidr0).into();
        top.cfg_trcidr1.next = u64::from(registers.trcidr1).into();
        top.cfg_trcidr2.next = u64::from(registers.trcidr2).into();
        top.cfg_trcdevarch.next = u64::from(registers.trcdevarch).into();
        top.step(None);
        top.aresetn.next = true;
        top.step(None);
        top
    }};
}

/// A top of one source as a simulation.
macro_rules! source_sim {
    ($top:ident) => {
        impl<const N: usize, const P: usize, const W: usize> SourceSim for $top<N, P, W> {
            const LANES: usize = N;

            fn start(config: &SourceConfig) -> Self {
                start!($top<N, P, W>, config)
            }

            fn step(&mut self, word: Option<&InputWord>) -> Option<ResultWord> {
                let input = word.copied().unwrap_or_default();
                self.s_axis_tvalid.next = word.is_some();
                self.s_axis_tdata.next = wide_bits(input.data);
                self.s_axis_tkeep.next = u64::from(input.keep & (u32::MAX >> (32 - N))).into();
                self.s_axis_tuser.next = input.discontinuity;
                cycle(self, |top, clock| top.aclk.next = clock);
                self.m_axis_tvalid.val().then(|| ResultWord {
                    discontinuity: self.m_axis_tuser.val(),
                    keep: self.m_axis_tkeep.val().to_u32(),
                    pending: self.m_axis_pending.val().to_u32(),
                    lanes: self.m_axis_lane.iter().map(|lane| lane.val().to_wide()).collect(),
                    pairs: self.m_axis_pair.iter().map(|pair| pair.val().to_wide()).collect(),
                })
            }
        }
    };
}

source_sim!(ChainedTop);
source_sim!(UnrolledTop);
source_sim!(OneHotTop);
source_sim!(JumpTop);

/// The lowest `W` bits of a number.
fn wide_bits<const W: usize>(value: u128) -> Bits<W> {
    let half = |shift: u32| bit_cast::<W, 64>(((value >> shift) as u64).into());
    if W <= 64 {
        let mask = u64::MAX >> (64 - W);
        return (value as u64 & mask).into();
    }
    half(0) | (half(64) << 64_u64)
}
