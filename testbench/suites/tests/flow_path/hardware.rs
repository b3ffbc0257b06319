// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder and the path behind it, with loaded tables: bytes in, hops and beats out.

use crate::{BEGIN, FRAME_W, RULES, SITE_W};
use coretrace_abi::flow_stream::Beat;
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{FlowPath, held_rules};
use coretrace_sites::FlowTable;
use coretrace_test_simulate::flow::{Reported, hop_events};
use coretrace_test_simulate::{hop_sites, load_flow_table};
use rust_hdl::prelude::*;

/// Cycles of a reset, and those after which nothing is in flight.
const TAIL: usize = 100;

/// A path with a FIFO of 2^A places.
pub type Flow<const A: usize> = FlowPath<SITE_W, FRAME_W, 9, A, { SITE_W + 1 }>;

/// The decoder, the path behind it, and what it said.
pub struct Hardware<const A: usize> {
    decoder: JumpDecoder<4, 2>,
    pub path: Flow<A>,
    /// Of hops.
    pub reported: Vec<Reported>,
    /// Of the stream.
    pub beats: Vec<Beat>,
    /// The stream is read in one of so many cycles.
    reads: u64,
    cycles: u64,
}

impl<const A: usize> Hardware<A> {
    pub fn new(source: &SourceConfig, table: &FlowTable, reads: u64) -> Hardware<A> {
        let mut hardware = Hardware {
            decoder: JumpDecoder::default(),
            path: Flow::default(),
            reported: Vec::new(),
            beats: Vec::new(),
            reads,
            cycles: 0,
        };
        hardware.decoder.connect_all();
        hardware.path.connect_all();
        let settings = SourceSettings::of(0x10, source);
        hardware.decoder.settings.next = Bus(settings.wide());
        hardware.path.ete.next = settings.ete == 1;
        hardware.path.returns.next = source.registers.trcconfigr >> 12 & 1 == 1;
        hardware.path.rules.next = Bus(held_rules(&RULES));
        hardware.decoder.reset.next = true;
        hardware.path.reset.next = true;
        (0..TAIL).for_each(|_| hardware.cycle(&[], false));
        load_flow_table!(&mut hardware.path, table, |path: &mut Flow<A>| cycle(
            path,
            |block, clock| block.clock.next = clock
        ));
        hardware.decoder.reset.next = false;
        hardware.path.reset.next = false;
        hardware.reported.clear();
        hardware.beats.clear();
        hardware
    }

    /// A cycle with up to four bytes, or without any.
    pub fn cycle(&mut self, bytes: &[u8], lost: bool) {
        let Hardware {
            decoder,
            path,
            reported,
            beats,
            reads,
            cycles,
        } = self;
        *cycles += 1;
        path.m_axis_tready.next = *cycles % *reads == 0;
        settle(path);
        if path.m_axis_tvalid.val() && path.m_axis_tready.val() {
            let wide = path.m_axis_tdata.val().to_wide();
            let words = std::array::from_fn(|word| wide.field(32 * word as u32, 32) as u32);
            beats.extend(Beat::of_words(&words).expect("a beat"));
        }
        decoder.s_valid.next = !bytes.is_empty() || lost;
        decoder.s_discontinuity.next = lost;
        for lane in 0..4 {
            decoder.s_keep[lane].next = lane < bytes.len();
            decoder.s_octet[lane].next = bytes.get(lane).copied().unwrap_or_default().to_bits();
        }
        path.s_valid.next = decoder.m_valid.val();
        path.s_discontinuity.next = decoder.m_discontinuity.val();
        path.s_pending.next = decoder.m_pending.val();
        for lane in 0..4 {
            path.s_keep[lane].next = decoder.m_keep[lane].val();
            path.s_lane[lane].next = decoder.m_lane[lane].val();
        }
        for pair in 0..2 {
            path.s_pair[pair].next = decoder.m_pair[pair].val();
        }
        cycle(decoder, |block, clock| block.clock.next = clock);
        cycle(path, |block, clock| block.clock.next = clock);
        reported.extend(hop_events(&path.hop.val().to_wide(), hop_sites!(path)));
    }

    /// Until nothing waits.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < TAIL {
            let before = self.reported.len();
            self.cycle(&[], false);
            let path = &self.path;
            let waits = path.level.val().to_u64() > 0
                || path.reading.val()
                || path.m_axis_tvalid.val()
                || self.reported.len() > before;
            quiet = if waits { 0 } else { quiet + 1 };
        }
    }

    /// Ends the flow, so that all atoms are in the sums.
    pub fn end(&mut self) {
        for bytes in [&BEGIN[..], &[0]] {
            self.drain();
            for (number, now) in bytes.chunks(4).enumerate() {
                self.cycle(now, number == 0);
            }
        }
        self.drain();
    }

    /// Asks for the counters.
    pub fn read_out(&mut self) {
        self.path.read_out.next = true;
        self.cycle(&[], false);
        self.path.read_out.next = false;
    }
}
