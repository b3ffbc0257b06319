// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder and the path behind it, with loaded tables: bytes in, hops and beats out.

use crate::flow::{Reported, hop_events, hop_field, table_writes};
use crate::flow_case::FlowCase;
use crate::{hop_sites, write_flow_table};
use coretrace_abi::flow_stream::Beat;
use coretrace_etm::Protocol;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{FlowPath, held_rules};
use rust_hdl::prelude::*;

/// Cycles of a reset, and those after which nothing is in flight.
const TAIL: usize = 100;
/// Address bits of the ring of what is not committed.
const RING_W: usize = 9;

/// An A-Sync and a Trace Info. Bytes are lost before it and behind it, so that the sums of atoms have
/// all of them.
pub const BEGIN: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0];

/// The decoder, the path behind it, and what it said. The widths are those of [`FlowPath`], and there is one
/// walker or two.
pub struct FlowPathSim<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const ONE: usize,
    const TWO: usize,
> {
    decoder: JumpDecoder<4, 2>,
    /// The path.
    pub path: FlowPath<SW, FW, RW, AW, CW, RING_W, ONE, TWO>,
    /// Of hops of each walker.
    pub reported: [Vec<Reported>; 2],
    /// Of the stream.
    pub beats: Vec<Beat>,
    /// The stream is read in one of so many cycles.
    reads: u64,
    cycles: u64,
}

impl<
    const SW: usize,
    const FW: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const ONE: usize,
    const TWO: usize,
> FlowPathSim<SW, FW, RW, AW, CW, ONE, TWO>
{
    /// After a reset, with the table of a program. The stream is read in one of `reads` cycles.
    pub fn new(case: &FlowCase, reads: u64) -> Self {
        let FlowCase {
            source,
            table,
            rules,
            ..
        } = case;
        let mut sim = FlowPathSim {
            decoder: JumpDecoder::default(),
            path: FlowPath::default(),
            reported: Default::default(),
            beats: Vec::new(),
            reads,
            cycles: 0,
        };
        sim.decoder.connect_all();
        sim.path.connect_all();
        let settings = SourceSettings::of(0x10, source);
        sim.decoder.settings.next = Bus(settings.wide());
        sim.path.source.next = Bus(settings.wide());
        sim.path.returns.next = source.registers.trcconfigr >> 12 & 1 == 1;
        sim.path.ete.next = source.protocol == Protocol::Ete;
        sim.path.windowed.next = case.windowed;
        sim.path.freeze_after.next = u64::from(case.freeze_after).into();
        sim.path.rules.next = Bus(held_rules(rules));
        sim.decoder.reset.next = true;
        sim.path.reset.next = true;
        (0..TAIL).for_each(|_| sim.cycle(&[], false));
        for write in table_writes(table) {
            write_flow_table!(sim.path, write);
            sim.cycle(&[], false);
        }
        sim.decoder.reset.next = false;
        sim.path.reset.next = false;
        sim.reported = Default::default();
        sim.beats.clear();
        sim
    }

    /// From now on the stream is read in one of so many cycles.
    pub fn read_in(&mut self, cycles: u64) {
        self.reads = cycles;
    }

    /// A cycle with up to four bytes, or without any.
    ///
    /// # Panics
    /// If the stream has no beat where it says so.
    pub fn cycle(&mut self, bytes: &[u8], lost: bool) {
        let FlowPathSim {
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
        for (walker, reported) in reported.iter_mut().enumerate() {
            let hop = path.hop[walker].val().to_wide();
            reported.extend(hop_events(&hop, hop_sites!(path, [walker])));
        }
    }

    fn events(&self) -> usize {
        self.reported.iter().map(Vec::len).sum()
    }

    /// Rows that wait.
    pub fn level(&self) -> u64 {
        self.path.level.val().to_u64()
    }

    /// A field of the hop of the first walker in this cycle; 0 if there is none.
    pub fn hop(&self, field: &str) -> u64 {
        let hop = self.path.hop[0].val().to_wide();
        hop_field(&hop, "valid") * hop_field(&hop, field)
    }

    /// Until nothing waits.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < TAIL {
            let before = self.events();
            self.cycle(&[], false);
            let path = &self.path;
            let waits = self.level() > 0
                || path.reading.val()
                || path.m_axis_tvalid.val()
                || self.events() > before;
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
