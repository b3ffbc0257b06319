// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `etm4_core_stm` and `etm4_core_itm`: registers over their bus, words of a trace port in, streams out.

use super::core_sim::words;
use crate::SoftwareCoreTop;
use coretrace_abi::registers::csr::Bus;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use rust_hdl::prelude::*;

/// A core under simulation. Both clocks rise together.
pub struct SoftwareCoreSim<const STM: usize, const ITM: usize> {
    top: Box<SoftwareCoreTop<STM, ITM>>,
    /// The words of the record stream so far.
    pub records: Vec<u32>,
    /// The words of the profile stream so far.
    pub profile: Vec<u32>,
    /// The words of the software stream so far.
    pub software: Vec<u32>,
}

impl<const STM: usize, const ITM: usize> Default for SoftwareCoreSim<STM, ITM> {
    /// A core after its reset.
    fn default() -> Self {
        let mut top = Box::new(SoftwareCoreTop::default());
        top.connect_all();
        top.aresetn.next = false;
        settle(&mut *top);
        let mut sim = SoftwareCoreSim {
            top,
            records: Vec::new(),
            profile: Vec::new(),
            software: Vec::new(),
        };
        (0..4).for_each(|_| sim.step(None, [false; 3]));
        sim.top.aresetn.next = true;
        settle(&mut *sim.top);
        (0..32).for_each(|_| sim.step(None, [false; 3]));
        sim
    }
}

impl<const STM: usize, const ITM: usize> SoftwareCoreSim<STM, ITM> {
    /// One cycle, with or without a word at the port; which consumers take a beat: of records, of the profile, of the
    /// software stream.
    pub fn step(&mut self, word: Option<u32>, ready: [bool; 3]) {
        let top = &mut *self.top;
        top.trace_valid.next = word.is_some();
        top.trace_data.next = u64::from(word.unwrap_or(0)).into();
        top.m_axis_records_tready.next = ready[0];
        top.m_axis_profile_tready.next = ready[1];
        top.m_axis_software_tready.next = ready[2];
        // TVALID depends on registers and the reset: it is what the rising edge will see.
        if ready[0] && top.m_axis_records_tvalid.val() {
            self.records.extend(words(top.m_axis_records_tdata.val()));
        }
        if ready[1] && top.m_axis_profile_tvalid.val() {
            self.profile.extend(words(top.m_axis_profile_tdata.val()));
        }
        if ready[2] && top.m_axis_software_tvalid.val() {
            self.software.extend(words(top.m_axis_software_tdata.val()));
        }
        cycle(top, |top, clock| {
            top.aclk.next = clock;
            top.trace_clk.next = clock;
        });
    }

    /// Whether the core interrupts.
    pub fn interrupts(&self) -> bool {
        self.top.irq.val()
    }

    /// Does these writes of a byte offset and a value.
    pub fn write_all(&mut self, writes: &[(u32, u32)]) {
        writes.iter().for_each(|&(at, value)| self.write(at, value));
    }

    /// Reads a register over the bus; `None` if the bus refuses it.
    pub fn try_read(&mut self, offset: u32) -> Option<u32> {
        self.rest();
        let (response, value) = AxiMaster::new(|| false).read(&mut *self.top, offset);
        (response == Response::Okay).then_some(value)
    }

    /// Writes a register over the bus; `false` if the bus refuses it.
    pub fn try_write(&mut self, offset: u32, value: u32) -> bool {
        self.rest();
        let response = AxiMaster::new(|| false).write(&mut *self.top, offset, value, 0xF);
        response == Response::Okay
    }

    /// Nothing at the port, and nobody takes a beat.
    fn rest(&mut self) {
        self.top.trace_valid.next = false;
        self.top.m_axis_records_tready.next = false;
        self.top.m_axis_profile_tready.next = false;
        self.top.m_axis_software_tready.next = false;
    }
}

/// The bus of the core.
///
/// # Panics
/// If it refuses a transaction.
impl<const STM: usize, const ITM: usize> Bus for SoftwareCoreSim<STM, ITM> {
    fn read(&mut self, offset: u32) -> u32 {
        let value = self.try_read(offset);
        value.unwrap_or_else(|| panic!("the bus refuses a read of {offset:#x}"))
    }

    fn write(&mut self, offset: u32, value: u32) {
        let is_taken = self.try_write(offset, value);
        assert!(is_taken, "the bus refuses a write to {offset:#x}");
    }
}
