// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `flow_core` and `flow_core_x2`: registers over its bus, words of a trace port in, the flow stream out.

use super::BEGINS;
use crate::flow_core::FlowCoreTop;
use coretrace_abi::flow_stream::Beat;
use coretrace_abi::flow_table::{SPACE_RULES, SpaceRule, TableKind};
use coretrace_abi::registers::flow_csr::{Bus, Control, Registers};
use coretrace_abi::registers::{FLOW, flow_source_writes, table_writes};
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use rust_hdl::prelude::*;

/// A core under simulation. Both clocks rise together.
pub struct FlowCoreSim<const ONE: usize, const TWO: usize> {
    top: FlowCoreTop<ONE, TWO>,
    /// The flow stream so far.
    pub beats: Vec<Beat>,
}

/// `flow_core` under simulation.
pub type FlowSim = FlowCoreSim<1, 0>;
/// `flow_core_x2` under simulation.
pub type FlowX2Sim = FlowCoreSim<0, 1>;

impl<const ONE: usize, const TWO: usize> Default for FlowCoreSim<ONE, TWO> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const ONE: usize, const TWO: usize> FlowCoreSim<ONE, TWO> {
    /// A core after its reset.
    pub fn new() -> Self {
        let mut top = FlowCoreTop::default();
        top.connect_all();
        let mut sim = FlowCoreSim {
            top,
            beats: Vec::new(),
        };
        sim.reset();
        sim
    }

    /// Resets the core.
    pub fn reset(&mut self) {
        self.top.aresetn.next = false;
        settle(&mut self.top);
        (0..4).for_each(|_| self.step(None, false));
        self.top.aresetn.next = true;
        settle(&mut self.top);
        (0..BEGINS).for_each(|_| self.step(None, false));
    }

    /// One cycle, with or without a word at the port and a consumer that takes a beat.
    ///
    /// # Panics
    /// If a beat is none.
    pub fn step(&mut self, word: Option<u32>, ready: bool) {
        let top = &mut self.top;
        top.trace_valid.next = word.is_some();
        top.trace_data.next = u64::from(word.unwrap_or(0)).into();
        top.m_axis_flow_tready.next = ready;
        // TVALID depends on registers and the reset: it is what the rising edge will see.
        if ready && top.m_axis_flow_tvalid.val() {
            let wide = top.m_axis_flow_tdata.val().to_wide();
            let words = std::array::from_fn(|word| wide.field(32 * word as u32, 32) as u32);
            self.beats.extend(Beat::of_words(&words).expect("a beat"));
        }
        cycle(top, |top, clock| {
            top.aclk.next = clock;
            top.trace_clk.next = clock;
        });
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
    pub fn enable(
        &mut self,
        trace_id: u8,
        config: &SourceConfig,
        rules: &[Option<SpaceRule>; SPACE_RULES],
    ) {
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

    /// Nothing at the port, and nobody takes a beat.
    fn rest(&mut self) {
        self.top.trace_valid.next = false;
        self.top.m_axis_flow_tready.next = false;
    }
}

/// The bus of the core.
///
/// # Panics
/// If it refuses a transaction.
impl<const ONE: usize, const TWO: usize> Bus for FlowCoreSim<ONE, TWO> {
    fn read(&mut self, offset: u32) -> u32 {
        self.rest();
        let (response, value) = AxiMaster::new(|| false).read(&mut self.top, offset);
        assert_eq!(response, Response::Okay, "{offset:#x}");
        value
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.rest();
        let response = AxiMaster::new(|| false).write(&mut self.top, offset, value, 0xF);
        assert_eq!(response, Response::Okay, "{offset:#x}");
    }
}
