// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of the decoders of one source, a word at a time.

use crate::collector::LaneWord;
use crate::{Etm4Byte, Etm4X4};
use etm4_hdl::dataflow::Carrier;
use etm4_hdl::sim::cycle;
use etm4_protocol::{Profile, Protocol, Registers};
use rust_hdl::prelude::*;

/// Cycles from a word at the input of a source decoder to its results at the output.
pub const LATENCY: usize = 5;

/// What the configuration ports of a decoder are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceConfig {
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// Profile of the traced core.
    pub profile: Profile,
    /// The trace unit's registers.
    pub registers: Registers,
    /// Error policy: `false` resync, `true` lenient.
    pub lenient: bool,
}

/// A word at the input of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct InputWord {
    /// The bytes, lane 0 in bits 7:0.
    pub data: u32,
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
    fn step(&mut self, word: Option<&InputWord>) -> Option<LaneWord>;
}

/// The start of a top: one cycle with the reset, one for its register to let go.
macro_rules! start {
    ($top:ty, $config:ident) => {{
        let mut top = <$top>::default();
        top.connect_all();
        let registers = &$config.registers;
        top.cfg_lenient.next = $config.lenient;
        top.cfg_ete.next = $config.protocol == Protocol::Ete;
        top.cfg_v8m.next = $config.profile == Profile::M8;
        top.cfg_trcconfigr.next = u64::from(registers.trcconfigr).into();
        top.cfg_trcidr0.next = u64::from(registers.trcidr0).into();
        top.cfg_trcidr1.next = u64::from(registers.trcidr1).into();
        top.cfg_trcidr2.next = u64::from(registers.trcidr2).into();
        top.cfg_trcidr8.next = u64::from(registers.trcidr8).into();
        top.cfg_trcdevarch.next = u64::from(registers.trcdevarch).into();
        top.step(None);
        top.aresetn.next = true;
        top.step(None);
        top
    }};
}

impl SourceSim for Etm4Byte {
    const LANES: usize = 1;

    fn start(config: &SourceConfig) -> Self {
        start!(Etm4Byte, config)
    }

    fn step(&mut self, word: Option<&InputWord>) -> Option<LaneWord> {
        let input = word.copied().unwrap_or_default();
        self.s_axis_tvalid.next = word.is_some();
        self.s_axis_tkeep.next = input.keep & 1 == 1;
        self.s_axis_tdata.next = u64::from(input.data & 0xFF).into();
        self.s_axis_tuser.next = input.discontinuity;
        cycle(self, |top, clock| top.aclk.next = clock);
        self.m_axis_tvalid.val().then(|| LaneWord {
            discontinuity: self.m_axis_tuser.val(),
            keep: u32::from(self.m_axis_tkeep.val()),
            pending: self.m_axis_pending.val().to_u32(),
            lanes: vec![self.m_axis_record0.val().to_wide()],
        })
    }
}

impl SourceSim for Etm4X4 {
    const LANES: usize = 4;

    fn start(config: &SourceConfig) -> Self {
        start!(Etm4X4, config)
    }

    fn step(&mut self, word: Option<&InputWord>) -> Option<LaneWord> {
        let input = word.copied().unwrap_or_default();
        self.s_axis_tvalid.next = word.is_some();
        self.s_axis_tdata.next = u64::from(input.data).into();
        self.s_axis_tkeep.next = u64::from(input.keep).into();
        self.s_axis_tuser.next = input.discontinuity;
        cycle(self, |top, clock| top.aclk.next = clock);
        self.m_axis_tvalid.val().then(|| LaneWord {
            discontinuity: self.m_axis_tuser.val(),
            keep: self.m_axis_tkeep.val().to_u32(),
            pending: self.m_axis_pending.val().to_u32(),
            lanes: vec![
                self.m_axis_record0.val().to_wide(),
                self.m_axis_record1.val().to_wide(),
                self.m_axis_record2.val().to_wide(),
                self.m_axis_record3.val().to_wide(),
            ],
        })
    }
}
