// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of the presets with a trace port, a port word at a time.

use crate::sim::ResultWord;
use crate::{TpiuEtm4JumpX4, TpiuEtm4X4};
use coretrace_etm::{ArchProfile, Protocol, SourceConfig};
use coretrace_hdl_coresight::SOURCES;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
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

/// A decoder behind a trace port that is being simulated.
pub trait PortSim {
    /// Resets the decoder and configures up to four sources; more are left out.
    fn start(sources: &[PortSource]) -> Self;

    /// One clock cycle, with a word at the port or a gap. Returns the values of the result
    /// ports after the clock edge.
    fn step(&mut self, word: Option<u32>) -> [Option<ResultWord>; SOURCES];

    /// The status ports now.
    fn status(&self) -> PortStatus;
}

/// A top with a trace port as a simulation.
macro_rules! port_sim {
    ($top:ident) => {
        impl PortSim for $top {
            fn start(sources: &[PortSource]) -> $top {
                let mut top = $top::default();
                top.connect_all();
                let sources = &sources[..sources.len().min(SOURCES)];
                top.cfg_enables.next = ((1u64 << sources.len()) - 1).into();
                top.cfg_lenient.next = sources.first().is_some_and(|source| source.config.lenient);
                for (index, source) in sources.iter().enumerate() {
                    let registers = &source.config.registers;
                    top.cfg_id[index].next = u64::from(source.trace_id & 0x7F).into();
                    top.cfg_ete[index].next = source.config.protocol == Protocol::Ete;
                    top.cfg_v8m[index].next = source.config.profile == ArchProfile::M8;
                    top.cfg_trcconfigr[index].next = u64::from(registers.trcconfigr).into();
                    top.cfg_trcidr0[index].next = u64::from(registers.trcidr0).into();
                    top.cfg_trcidr1[index].next = u64::from(registers.trcidr1).into();
                    top.cfg_trcidr2[index].next = u64::from(registers.trcidr2).into();
                    top.cfg_trcdevarch[index].next = u64::from(registers.trcdevarch).into();
                }
                top.step(None);
                top.aresetn.next = true;
                top.step(None);
                top
            }

            fn step(&mut self, word: Option<u32>) -> [Option<ResultWord>; SOURCES] {
                self.s_axis_tvalid.next = word.is_some();
                self.s_axis_tdata.next = u64::from(word.unwrap_or(0)).into();
                cycle(self, |top, clock| top.aclk.next = clock);
                std::array::from_fn(|source| {
                    self.m_axis_tvalid[source].val().then(|| ResultWord {
                        discontinuity: self.m_axis_tuser[source].val(),
                        keep: self.m_axis_tkeep[source].val().to_u32(),
                        pending: self.m_axis_pending[source].val().to_u32(),
                        lanes: vec![
                            self.m_axis_lane0[source].val().to_wide(),
                            self.m_axis_lane1[source].val().to_wide(),
                            self.m_axis_lane2[source].val().to_wide(),
                            self.m_axis_lane3[source].val().to_wide(),
                        ],
                        pairs: vec![
                            self.m_axis_pair0[source].val().to_wide(),
                            self.m_axis_pair1[source].val().to_wide(),
                        ],
                    })
                })
            }

            fn status(&self) -> PortStatus {
                PortStatus {
                    in_sync: self.sts_in_sync.val(),
                    sync_losses: self.sts_sync_losses.val().to_u32(),
                    sync_acquisitions: self.sts_sync_acquisitions.val().to_u32(),
                    null_drops: self.sts_null_drops.val().to_u32(),
                    reserved_drops: self.sts_reserved_drops.val().to_u32(),
                    unclaimed_drops: self.sts_unclaimed_drops.val().to_u32(),
                }
            }
        }
    };
}

port_sim!(TpiuEtm4X4);
port_sim!(TpiuEtm4JumpX4);
