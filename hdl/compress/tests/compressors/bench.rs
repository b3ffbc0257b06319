// SPDX-License-Identifier: MIT OR Apache-2.0
//! A compressor in simulation, and what it sends.

use coretrace_abi::compressed::branch::Event;
use coretrace_hdl_compress::ADDRESS_W;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use rust_hdl::prelude::*;

use crate::compressor::{BLOCK, Compressor};

/// The trace ID in each header.
pub const TRACE_ID: u8 = 0x2A;

/// An address as a port has it.
pub fn address(address: u64) -> Bus<ADDRESS_W> {
    let mut wide = Wide::default();
    wide.or_field(0, ADDRESS_W as u32, address >> 2);
    Bus(wide)
}

/// What comes in.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Execution begins at an address.
    Begin(u64),
    /// So many events were lost in front of the compressor, and execution goes on at an address.
    Resume(u32, u64),
    Event(Event),
    /// An event that the compressor lost.
    Lost(Event),
    Flush,
}

/// A compressor that takes inputs.
pub struct Bench<C> {
    compressor: C,
    /// All bytes that were sent.
    pub memory: Vec<u8>,
}

impl<C: Compressor> Bench<C> {
    /// Blocks are closed after so many cycles; 0 is never.
    pub fn new(most_cycles: u32) -> Bench<C> {
        let mut compressor = C::default();
        compressor.connect_all();
        let ports = compressor.ports();
        ports.trace_id.next = TRACE_ID.to_bits();
        ports.last_place.next = (BLOCK as u64 / 8 - 2).into();
        ports.most_cycles.next = most_cycles.to_bits();
        let mut bench = Bench {
            compressor,
            memory: vec![],
        };
        bench.reset();
        bench
    }

    /// A cycle of reset: everything begins again.
    pub fn reset(&mut self) {
        self.compressor.ports().reset.next = true;
        self.clock(None, false);
        self.compressor.ports().reset.next = false;
        self.memory.clear();
    }

    /// A cycle with an input or none, and with or without TREADY.
    pub fn clock(&mut self, input: Option<&Input>, ready: bool) {
        let ports = self.compressor.ports();
        ports.begins.next = false;
        ports.lost_before.next = 0.into();
        ports.event_valid.next = false;
        ports.flush.next = false;
        ports.m_axis_tready.next = ready;
        match input {
            None => {}
            Some(Input::Flush) => ports.flush.next = true,
            Some(&Input::Begin(start)) => {
                ports.event_valid.next = true;
                ports.begins.next = true;
                ports.next_pc.next = address(start);
            }
            Some(&Input::Resume(lost, next)) => {
                ports.event_valid.next = true;
                ports.begins.next = true;
                ports.lost_before.next = lost.to_bits();
                ports.next_pc.next = address(next);
            }
            Some(Input::Event(event) | Input::Lost(event)) => {
                ports.event_valid.next = true;
                ports.instructions.next = event.instructions().to_bits();
                ports.next_pc.next = address(event.next());
                ports.is_discontinuity.next = true;
                if let Event::Branch(branch) = event {
                    ports.is_discontinuity.next = false;
                    ports.pc.next = address(branch.address);
                    ports.kind.next = branch.kind.0.to_bits();
                    ports.taken.next = branch.taken;
                }
            }
        }
        if ready && ports.m_axis_tvalid.val() {
            let word = ports.m_axis_tdata.val().to_wide().field(0, 64);
            self.memory.extend(word.to_le_bytes());
            let is_end = self.memory.len().is_multiple_of(BLOCK);
            assert_eq!(ports.m_axis_tlast.val(), is_end, "TLAST");
        }
        self.step();
    }

    /// So many cycles without an input, and with TREADY.
    pub fn idle(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.clock(None, true));
    }

    /// All that waits goes out.
    pub fn drain(&mut self) {
        self.idle(6000);
    }

    /// Events that were lost.
    pub fn lost(&mut self) -> u64 {
        self.compressor.ports().lost.val().to_u64()
    }

    fn step(&mut self) {
        cycle(&mut self.compressor, |block, clock| {
            block.ports().clock.next = clock;
        });
    }
}
