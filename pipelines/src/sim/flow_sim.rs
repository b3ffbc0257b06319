// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `flow_core` and `flow_core_x2`: registers over its bus, words of a trace port in, the flow stream out.

use super::BEGINS;
use crate::flow_core::FlowCoreTop;
use coretrace_abi::flow_stream::Beat;
use coretrace_abi::flow_table::{SpaceRules, TableKind};
use coretrace_abi::registers::flow_csr::{Bus, Control, Registers};
use coretrace_abi::registers::{FLOW, flow_source_writes, table_writes};
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use rust_hdl::prelude::*;

/// A core under simulation. Both clocks rise together.
pub struct FlowCoreSim {
    top: Box<dyn FlowTop>,
    /// The flow stream so far.
    pub beats: Vec<Beat>,
}

/// What a simulation does with a top.
trait FlowTop {
    fn set_resetn(&mut self, resetn: bool);
    /// Sets the inputs of a cycle.
    fn drive(&mut self, word: Option<u32>, ready: bool);
    /// The beat that the consumer takes at the rising edge.
    fn beat(&self) -> Option<Beat>;
    fn cycle(&mut self);
    fn read(&mut self, offset: u32) -> (Response, u32);
    fn write(&mut self, offset: u32, value: u32) -> Response;
    fn waiting_rows(&self) -> u64;
    fn interrupts(&self) -> bool;
}

impl<const ONE: usize, const TWO: usize> FlowTop for FlowCoreTop<ONE, TWO> {
    fn set_resetn(&mut self, resetn: bool) {
        self.aresetn.next = resetn;
        settle(self);
    }

    fn drive(&mut self, word: Option<u32>, ready: bool) {
        self.trace_valid.next = word.is_some();
        self.trace_data.next = u64::from(word.unwrap_or(0)).into();
        self.m_axis_flow_tready.next = ready;
    }

    fn beat(&self) -> Option<Beat> {
        // TVALID depends on registers and the reset: it is what the rising edge will see.
        if !self.m_axis_flow_tvalid.val() {
            return None;
        }
        let wide = self.m_axis_flow_tdata.val().to_wide();
        let words = std::array::from_fn(|word| wide.field(32 * word as u32, 32) as u32);
        Beat::of_words(&words).expect("a beat")
    }

    fn cycle(&mut self) {
        cycle(self, |top, clock| {
            top.aclk.next = clock;
            top.trace_clk.next = clock;
        });
    }

    fn read(&mut self, offset: u32) -> (Response, u32) {
        AxiMaster::new(|| false).read(self, offset)
    }

    fn write(&mut self, offset: u32, value: u32) -> Response {
        AxiMaster::new(|| false).write(self, offset, value, 0xF)
    }

    fn waiting_rows(&self) -> u64 {
        FlowCoreTop::waiting_rows(self)
    }

    fn interrupts(&self) -> bool {
        self.irq.val()
    }
}

impl FlowCoreSim {
    /// `flow_core` with one walker, or `flow_core_x2` with two, after its reset.
    ///
    /// # Panics
    /// If there is another number of walkers.
    pub fn new(walkers: usize) -> FlowCoreSim {
        let mut sim = FlowCoreSim {
            top: match walkers {
                1 => connected::<1, 0>(),
                2 => connected::<0, 1>(),
                _ => panic!("{walkers} walkers"),
            },
            beats: Vec::new(),
        };
        sim.reset();
        sim
    }

    /// Resets the core.
    pub fn reset(&mut self) {
        self.top.set_resetn(false);
        (0..4).for_each(|_| self.step(None, false));
        self.top.set_resetn(true);
        (0..BEGINS).for_each(|_| self.step(None, false));
    }

    /// One cycle, with or without a word at the port and a consumer that takes a beat.
    ///
    /// # Panics
    /// If a beat is none.
    pub fn step(&mut self, word: Option<u32>, ready: bool) {
        self.top.drive(word, ready);
        if ready {
            self.beats.extend(self.top.beat());
        }
        self.top.cycle();
    }

    /// Rows that wait for the walker.
    pub fn waiting(&self) -> u64 {
        self.top.waiting_rows()
    }

    /// Copies all counters to where they are read.
    pub fn snapshot(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_snapshot(true));
    }

    /// Whether the core interrupts.
    pub fn interrupts(&self) -> bool {
        self.top.interrupts()
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
        self.snapshot();
        let mut all = FLOW.placed().filter(|(_, register)| register.name == name);
        let (offset, _) = all.next().expect("a register of this name");
        self.read(offset)
    }

    /// Writes words of a flow table, while the source is disabled.
    pub fn load(&mut self, words: impl Iterator<Item = (TableKind, u32, u64)>) {
        words.for_each(|(kind, index, word)| self.write_all(&table_writes(kind, index, word)));
    }

    /// Disables the source, describes another one, and enables it once it is quiet.
    pub fn enable(&mut self, trace_id: u8, config: &SourceConfig, rules: &SpaceRules) {
        self.write_all(&flow_source_writes(trace_id, config, rules));
        (0..BEGINS).for_each(|_| self.step(None, true));
    }

    /// Asks for the sums of all sites.
    pub fn read_out(&mut self) {
        let kept: Control = self.registers().control();
        self.registers().set_control(kept.with_read_out(true));
    }

    fn write_all(&mut self, writes: &[(u32, u32)]) {
        for &(offset, value) in writes {
            self.write(offset, value);
        }
    }
}

fn connected<const ONE: usize, const TWO: usize>() -> Box<dyn FlowTop> {
    let mut top = Box::new(FlowCoreTop::<ONE, TWO>::default());
    top.connect_all();
    top
}

/// The bus of the core. Nothing comes at the port, and nobody takes a beat.
///
/// # Panics
/// If it refuses a transaction.
impl Bus for FlowCoreSim {
    fn read(&mut self, offset: u32) -> u32 {
        self.top.drive(None, false);
        let (response, value) = self.top.read(offset);
        assert_eq!(response, Response::Okay, "{offset:#x}");
        value
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.top.drive(None, false);
        let response = self.top.write(offset, value);
        assert_eq!(response, Response::Okay, "{offset:#x}");
    }
}
