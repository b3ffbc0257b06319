// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `tpiu_etm4_x4`, a port word at a time.

use crate::TpiuEtm4X4;
use crate::collector::LaneWord;
use crate::source_sim::SourceConfig;
use crate::tpiu_etm4_x4::SOURCES;
use etm4_hdl::dataflow::Carrier;
use etm4_hdl::sim::cycle;
use etm4_protocol::{Profile, Protocol};
use rust_hdl::prelude::*;

/// A source behind a trace port. The error policy is that of the first source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSource {
    /// Trace ID.
    pub trace_id: u8,
    /// Its decoder's configuration.
    pub config: SourceConfig,
}

/// The status ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PortStatus {
    /// The frame generator is aligned.
    pub in_sync: bool,
    /// Alignments lost.
    pub sync_losses: u32,
    /// Alignments found.
    pub sync_acquisitions: u32,
    /// Bytes with the null trace ID.
    pub null_drops: u32,
    /// Bytes with a reserved trace ID.
    pub reserved_drops: u32,
    /// Bytes of sources that nobody asked for, or before any trace ID.
    pub unclaimed_drops: u32,
}

/// `tpiu_etm4_x4` in simulation.
pub struct PortSim {
    top: TpiuEtm4X4,
}

impl PortSim {
    /// Resets the decoder and configures up to four sources; more are left out.
    pub fn start(sources: &[PortSource]) -> PortSim {
        let mut top = TpiuEtm4X4::default();
        top.connect_all();
        let sources = &sources[..sources.len().min(SOURCES)];
        top.cfg_enables.next = ((1u64 << sources.len()) - 1).into();
        top.cfg_lenient.next = sources.first().is_some_and(|source| source.config.lenient);
        for (index, source) in sources.iter().enumerate() {
            let registers = &source.config.registers;
            top.cfg_id[index].next = u64::from(source.trace_id & 0x7F).into();
            top.cfg_ete[index].next = source.config.protocol == Protocol::Ete;
            top.cfg_v8m[index].next = source.config.profile == Profile::M8;
            top.cfg_trcconfigr[index].next = u64::from(registers.trcconfigr).into();
            top.cfg_trcidr0[index].next = u64::from(registers.trcidr0).into();
            top.cfg_trcidr1[index].next = u64::from(registers.trcidr1).into();
            top.cfg_trcidr2[index].next = u64::from(registers.trcidr2).into();
            top.cfg_trcidr8[index].next = u64::from(registers.trcidr8).into();
            top.cfg_trcdevarch[index].next = u64::from(registers.trcdevarch).into();
        }
        let mut sim = PortSim { top };
        sim.step(None);
        sim.top.aresetn.next = true;
        sim.step(None);
        sim
    }

    /// One clock cycle, with a word at the port or a gap. Returns what stands at the result ports
    /// after the clock edge.
    pub fn step(&mut self, word: Option<u32>) -> [Option<LaneWord>; SOURCES] {
        let top = &mut self.top;
        top.s_axis_tvalid.next = word.is_some();
        top.s_axis_tdata.next = u64::from(word.unwrap_or(0)).into();
        cycle(top, |top, clock| top.aclk.next = clock);
        std::array::from_fn(|source| {
            top.m_axis_tvalid[source].val().then(|| LaneWord {
                discontinuity: top.m_axis_tuser[source].val(),
                keep: top.m_axis_tkeep[source].val().to_u32(),
                pending: top.m_axis_pending[source].val().to_u32(),
                lanes: vec![
                    top.m_axis_record0[source].val().to_wide(),
                    top.m_axis_record1[source].val().to_wide(),
                    top.m_axis_record2[source].val().to_wide(),
                    top.m_axis_record3[source].val().to_wide(),
                ],
            })
        })
    }

    /// The status ports now.
    pub fn status(&self) -> PortStatus {
        PortStatus {
            in_sync: self.top.sts_in_sync.val(),
            sync_losses: self.top.sts_sync_losses.val().to_u32(),
            sync_acquisitions: self.top.sts_sync_acquisitions.val().to_u32(),
            null_drops: self.top.sts_null_drops.val().to_u32(),
            reserved_drops: self.top.sts_reserved_drops.val().to_u32(),
            unclaimed_drops: self.top.sts_unclaimed_drops.val().to_u32(),
        }
    }
}
