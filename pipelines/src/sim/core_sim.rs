// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of the core: registers over its bus, words of a trace port in, the record stream out.

use crate::Etm4Core;
use coretrace_abi::record_filter::Filter;
use coretrace_abi::registers::csr::{Bus, Registers};
use coretrace_abi::registers::{filter_writes, placed, source_writes};
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus as Signals, Carrier};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use coretrace_hdl_sink::records::DATA_W;
use rust_hdl::prelude::*;

/// Cycles within which a source that is enabled begins.
pub const BEGINS: usize = 80;

/// A core under simulation. Both clocks rise together, but for pauses and bursts.
pub struct CoreSim {
    top: Etm4Core,
    /// The words of the record stream so far.
    pub words: Vec<u32>,
    /// How many of them came out with the last TLAST: those of whole packets.
    pub whole: usize,
    /// The words of the profile stream so far.
    pub entries: Vec<u32>,
}

impl Default for CoreSim {
    fn default() -> CoreSim {
        CoreSim::new()
    }
}

impl CoreSim {
    /// A core after its reset.
    pub fn new() -> CoreSim {
        let mut top = Etm4Core::default();
        top.connect_all();
        let mut sim = CoreSim {
            top,
            words: Vec::new(),
            whole: 0,
            entries: Vec::new(),
        };
        sim.reset();
        sim
    }

    /// Resets the core.
    pub fn reset(&mut self) {
        self.reset_for(4, false);
        (0..32).for_each(|_| self.step(None, false));
    }

    /// Holds the core in reset for some cycles, with consumers that take a beat or not.
    pub fn reset_for(&mut self, cycles: usize, ready: bool) {
        self.top.aresetn.next = false;
        settle(&mut self.top);
        (0..cycles).for_each(|_| self.step(None, ready));
        self.top.aresetn.next = true;
        settle(&mut self.top);
    }

    /// One cycle, with or without a word at the port and consumers that take a beat.
    pub fn step(&mut self, word: Option<u32>, ready: bool) {
        self.step_each(word, [ready; 2]);
    }

    /// The same; which of the consumers, of records and of the profile, take a beat.
    pub fn step_each(&mut self, word: Option<u32>, ready: [bool; 2]) {
        self.top.trace_valid.next = word.is_some();
        self.top.trace_data.next = u64::from(word.unwrap_or(0)).into();
        self.take(ready);
        cycle(&mut self.top, |top, clock| {
            top.aclk.next = clock;
            top.trace_clk.next = clock;
        });
    }

    /// A cycle of the core between two edges of the port's clock.
    pub fn core_cycle(&mut self, ready: [bool; 2]) {
        self.take(ready);
        cycle(&mut self.top, |top, clock| top.aclk.next = clock);
    }

    /// The consumers take what the next rising edge hands over.
    fn take(&mut self, [records, profile]: [bool; 2]) {
        let top = &mut self.top;
        top.m_axis_records_tready.next = records;
        // TVALID depends on registers and the reset: it is what the rising edge will see.
        if records && top.m_axis_records_tvalid.val() {
            self.words.extend(words(top.m_axis_records_tdata.val()));
            if top.m_axis_records_tlast.val() {
                self.whole = self.words.len();
            }
        }
        top.m_axis_profile_tready.next = profile;
        if profile && top.m_axis_profile_tvalid.val() {
            self.entries.extend(words(top.m_axis_profile_tdata.val()));
        }
    }

    /// Steps without words until everything has come out.
    pub fn drain(&mut self) {
        (0..1200).for_each(|_| self.step(None, true));
    }

    /// Cycles in which the clock of the trace port stands still.
    pub fn pause(&mut self, cycles: usize) {
        self.rest();
        for _ in 0..cycles {
            cycle(&mut self.top, |top, clock| top.aclk.next = clock);
        }
    }

    /// A word while the clock of the core stands still: the port is faster.
    pub fn burst(&mut self, word: u32) {
        self.top.trace_valid.next = true;
        self.top.trace_data.next = u64::from(word).into();
        cycle(&mut self.top, |top, clock| top.trace_clk.next = clock);
    }

    /// Nothing at the port, and nobody takes a beat.
    fn rest(&mut self) {
        self.top.trace_valid.next = false;
        self.top.m_axis_records_tready.next = false;
        self.top.m_axis_profile_tready.next = false;
    }

    /// Whether the core interrupts.
    pub fn interrupts(&self) -> bool {
        self.top.irq.val()
    }

    /// The registers by their types.
    pub fn registers(&mut self) -> Registers<&mut CoreSim> {
        Registers(self)
    }

    /// Reads a register by its name.
    ///
    /// # Panics
    /// If there is none of this name, or the bus refuses it.
    pub fn register(&mut self, name: &str) -> u32 {
        let mut all = placed().filter(|(_, register)| register.name == name);
        let (offset, _) = all
            .next()
            .unwrap_or_else(|| panic!("there is no register {name}"));
        self.read(offset)
    }

    /// Reads a register over the bus; `None` if the bus refuses it.
    pub fn try_read(&mut self, offset: u32) -> Option<u32> {
        self.rest();
        let (response, value) = AxiMaster::new(|| false).read(&mut self.top, offset);
        (response == Response::Okay).then_some(value)
    }

    /// Writes a register over the bus; `false` if the bus refuses it.
    pub fn try_write(&mut self, offset: u32, value: u32) -> bool {
        self.rest();
        let response = AxiMaster::new(|| false).write(&mut self.top, offset, value, 0xF);
        response == Response::Okay
    }

    /// Copies all counters to where they are read.
    pub fn snapshot(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_snapshot(true));
    }

    /// Restarts all counts.
    pub fn clear(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_clear(true));
    }

    /// Asks for the sums of the profile.
    pub fn flush(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_flush(true));
    }

    /// Disables the source and sets what its next record stream leaves out.
    pub fn filter(&mut self, filter: &Filter) {
        self.write_all(&filter_writes(filter));
    }

    /// Disables the source, describes another one, and enables it once it is quiet.
    pub fn enable(&mut self, trace_id: u8, config: &SourceConfig, full_addresses: bool) {
        self.set_up(trace_id, config, full_addresses);
        (0..BEGINS).for_each(|_| self.step(None, true));
    }

    /// Disables the source, describes another one, and enables it: it begins within [`BEGINS`]
    /// cycles.
    pub fn set_up(&mut self, trace_id: u8, config: &SourceConfig, full_addresses: bool) {
        self.write_all(&source_writes(trace_id, config, full_addresses));
    }

    fn write_all(&mut self, writes: &[(u32, u32)]) {
        for &(offset, value) in writes {
            self.write(offset, value);
        }
    }
}

/// The bus of the core.
///
/// # Panics
/// If it refuses a transaction.
impl Bus for CoreSim {
    fn read(&mut self, offset: u32) -> u32 {
        let value = self.try_read(offset);
        value.unwrap_or_else(|| panic!("the bus refuses a read of {offset:#x}"))
    }

    fn write(&mut self, offset: u32, value: u32) {
        let is_taken = self.try_write(offset, value);
        assert!(is_taken, "the bus refuses a write to {offset:#x}");
    }
}

/// The four words of a beat.
pub(super) fn words(beat: Signals<DATA_W>) -> impl Iterator<Item = u32> {
    let wide = beat.to_wide();
    (0..4).map(move |word| wide.field(32 * word, 32) as u32)
}
