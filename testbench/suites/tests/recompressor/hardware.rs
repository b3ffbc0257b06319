// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hardware: words of a trace port in, blocks out.

use crate::case::{BLOCK_BYTES, Case, TRACE_ID};
use coretrace_coresight::TraceId;
use coretrace_etm::Protocol;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_flow::held_rules;
use coretrace_isa::Isa;
use coretrace_pipelines::Recompressor;
use coretrace_test_gen::{Framing, Rng, frame_streams, rng};
use coretrace_test_simulate::flow::table_writes;
use coretrace_test_simulate::{write_branch_table, write_flow_table};
use coretrace_test_support::words_of;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles of a reset, and those after which nothing is in flight but rows and hops.
const TAIL: usize = 100;
/// Cycles until an encoder has started.
const STARTS: usize = 600;
/// Rows at which the port waits, so that nothing is dropped.
const MOST_ROWS: u64 = 300;

/// A core that follows a program.
pub struct Hardware {
    uut: Recompressor,
    random: Rng,
    /// The blocks so far.
    pub memory: Vec<u8>,
    /// Events that were kept, and lost.
    pub events: usize,
    pub lost: usize,
}

impl Hardware {
    /// After a reset, with tables, while a source is decoded.
    pub fn new(case: &Case) -> Hardware {
        let mut uut = Recompressor::default();
        uut.connect_all();
        let source = &case.source;
        uut.trace_id.next = u64::from(TRACE_ID).into();
        uut.source.next = Bus(SourceSettings::of(TRACE_ID, source).wide());
        uut.returns.next = source.registers.trcconfigr >> 12 & 1 == 1;
        uut.ete.next = source.protocol == Protocol::Ete;
        uut.is_a32.next = case.isa == Isa::A32;
        uut.rules.next = Bus(held_rules(&case.rules));
        uut.last_place.next = (BLOCK_BYTES as u64 / 8 - 2).into();
        uut.reset.next = true;
        let mut core = Hardware {
            uut,
            random: rng(1),
            memory: Vec::new(),
            events: 0,
            lost: 0,
        };
        core.rest(TAIL);
        write_branch_table!(core.uut, case.branches, core.cycle());
        for write in table_writes(&case.table) {
            write_flow_table!(core.uut, write);
            core.cycle();
        }
        core.uut.reset.next = false;
        core.rest(STARTS);
        core.uut.active.next = true;
        core.uut.begins.next = true;
        core.cycle();
        core.uut.begins.next = false;
        core
    }

    /// A cycle, with any TREADY.
    fn cycle(&mut self) {
        let uut = &mut self.uut;
        uut.m_axis_tready.next = self.random.random_bool(0.8);
        settle(uut);
        if uut.m_axis_tvalid.val() && uut.m_axis_tready.val() {
            let wide = uut.m_axis_tdata.val().to_wide();
            let words = [0, 64].map(|low| wide.field(low, 64).to_le_bytes());
            self.memory.extend(words.as_flattened());
        }
        self.events += usize::from(uut.takes.val());
        self.lost += usize::from(uut.loses_event.val());
        cycle(uut, |uut, clock| uut.clock.next = clock);
    }

    fn rest(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.cycle());
    }

    /// Sends a stream through the port, waits until its branches have been followed, and closes the last block.
    pub fn follow(&mut self, stream: &[u8]) {
        let id = TraceId::new(TRACE_ID).expect("a trace ID");
        let frames = frame_streams(&mut rng(1), &[(id, stream)], &Framing::PORT);
        for word in words_of(&frames) {
            while self.uut.level.val().to_u64() > MOST_ROWS {
                self.cycle();
            }
            self.uut.s_axis_tdata.next = u64::from(word).into();
            self.uut.s_axis_tvalid.next = true;
            self.cycle();
            self.uut.s_axis_tvalid.next = false;
        }
        let (mut quiet, mut events) = (0, 0);
        while quiet < STARTS {
            self.cycle();
            let is_quiet = self.uut.level.val().to_u64() == 0 && self.events == events;
            quiet = if is_quiet { quiet + 1 } else { 0 };
            events = self.events;
        }
        self.uut.flush.next = true;
        self.cycle();
        self.uut.flush.next = false;
        self.rest(TAIL);
        while !self.uut.is_idle.val() {
            self.cycle();
        }
        self.rest(TAIL);
    }

    /// Atoms that were dropped in front of the walk.
    pub fn dropped_atoms(&self) -> u64 {
        self.uut.dropped_atoms.val().to_u64()
    }
}
