// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `etm4_recompressor_xe`: registers over the bus, words of a trace port in, blocks out.

use super::BEGINS;
use crate::RecompressorXe;
use coretrace_abi::registers::recompressor_xe_csr::{Bus, Registers};
use coretrace_abi::registers::{BlockOptions, RECOMPRESSOR_XE, recompressor_xe_writes};
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use rust_hdl::prelude::*;

/// A core under simulation. Both clocks rise together.
pub struct RecompressorXeSim {
    top: Box<RecompressorXe>,
    /// The blocks so far, also a part of one.
    pub memory: Vec<u8>,
    /// Where in `memory` a block ended: TLAST.
    pub ends: Vec<usize>,
}

impl Default for RecompressorXeSim {
    /// A core after its reset.
    fn default() -> RecompressorXeSim {
        let mut top = Box::new(RecompressorXe::default());
        top.connect_all();
        let mut sim = RecompressorXeSim {
            top,
            memory: Vec::new(),
            ends: Vec::new(),
        };
        sim.reset();
        sim
    }
}

impl RecompressorXeSim {
    /// Resets the core.
    pub fn reset(&mut self) {
        self.top.aresetn.next = false;
        settle(&mut *self.top);
        (0..4).for_each(|_| self.step(None, true));
        self.top.aresetn.next = true;
        (0..BEGINS).for_each(|_| self.step(None, true));
    }

    /// One cycle, with or without a word at the port and a consumer that takes a beat.
    pub fn step(&mut self, word: Option<u32>, ready: bool) {
        let top = &mut *self.top;
        top.trace_valid.next = word.is_some();
        top.trace_data.next = u64::from(word.unwrap_or(0)).into();
        top.m_axis_blocks_tready.next = ready;
        // TVALID depends on registers and the reset: it is what the rising edge will see.
        if ready && top.m_axis_blocks_tvalid.val() {
            let wide = top.m_axis_blocks_tdata.val().to_wide();
            let words = [0, 64].map(|low| wide.field(low, 64).to_le_bytes());
            self.memory.extend(words.as_flattened());
            if top.m_axis_blocks_tlast.val() {
                self.ends.push(self.memory.len());
            }
        }
        cycle(top, |top, clock| {
            top.aclk.next = clock;
            top.trace_clk.next = clock;
        });
    }

    /// So many cycles without a word, and with TREADY.
    pub fn idle(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step(None, true));
    }

    /// Whether the core interrupts.
    pub fn interrupts(&self) -> bool {
        self.top.irq.val()
    }

    /// The registers by their types.
    pub fn registers(&mut self) -> Registers<&mut Self> {
        Registers(self)
    }

    /// Reads a register by its name, as of now.
    ///
    /// # Panics
    /// If there is none of this name, or the bus refuses it.
    pub fn register(&mut self, name: &str) -> u32 {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_snapshot(true));
        let mut all = RECOMPRESSOR_XE.placed();
        let found = all.find(|(_, register)| register.name == name);
        let (offset, _) = found.expect("a register of this name");
        self.read(offset)
    }

    /// Describes a source and its blocks, and enables it.
    pub fn enable(&mut self, trace_id: u8, config: &SourceConfig, blocks: &BlockOptions) {
        for (offset, value) in recompressor_xe_writes(trace_id, config, blocks) {
            self.write(offset, value);
        }
        self.idle(BEGINS);
    }

    /// Closes the block behind the elements so far.
    pub fn flush(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_flush(true));
    }

    /// Disables the source, and waits until its last block has left.
    ///
    /// # Panics
    /// If it does not leave.
    pub fn disable(&mut self) {
        let kept = self.registers().source_control(0);
        self.registers()
            .set_source_control(0, kept.with_enable(false));
        for _ in 0..200 {
            self.idle(400);
            if !self.registers().status().busy() {
                return;
            }
        }
        panic!("the core stays busy");
    }
}

/// The bus of the core. Nothing comes at the port, and nobody takes a beat.
///
/// # Panics
/// If it refuses a transaction.
impl Bus for RecompressorXeSim {
    fn read(&mut self, offset: u32) -> u32 {
        self.top.trace_valid.next = false;
        self.top.m_axis_blocks_tready.next = false;
        let (response, value) = AxiMaster::new(|| false).read(&mut *self.top, offset);
        assert_eq!(response, Response::Okay, "{offset:#x}");
        value
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.top.trace_valid.next = false;
        self.top.m_axis_blocks_tready.next = false;
        let response = AxiMaster::new(|| false).write(&mut *self.top, offset, value, 0xF);
        assert_eq!(response, Response::Okay, "{offset:#x}");
    }
}
