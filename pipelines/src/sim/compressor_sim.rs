// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulation of `trace_compressor` and its variants: registers over the bus, branches in, blocks out.

use crate::{Preset, TraceCompressor, TraceCompressorM4, TraceCompressorRBase, TraceCompressorX1};
use coretrace_abi::compressed::branch_beat::{BranchBeat, WORDS};
use coretrace_abi::registers::compressor_csr::{Bus, Registers};
use coretrace_abi::registers::{COMPRESSOR, compressor_writes};
use coretrace_hdl_compress::{BEAT_BITS, BRANCH_BEAT_W};
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus as Signals, Carrier, Wide};
use coretrace_hdl_parts::axi::master::{AxiMaster, Response};
use rust_hdl::prelude::*;

/// A core under simulation.
pub struct CompressorSim {
    top: Box<dyn CompressorTop>,
    /// The blocks so far, also a part of one.
    pub memory: Vec<u8>,
    /// Where in `memory` a block ended: TLAST.
    pub ends: Vec<usize>,
}

/// What a simulation does with a top.
trait CompressorTop {
    fn set_resetn(&mut self, resetn: bool);
    /// Sets the inputs of a cycle.
    fn drive(&mut self, beat: Option<&BranchBeat>, ready: bool);
    /// The words that the consumer takes at the rising edge, and TLAST.
    fn beat(&self) -> Option<([u64; 2], bool)>;
    fn cycle(&mut self);
    fn read(&mut self, offset: u32) -> (Response, u32);
    fn write(&mut self, offset: u32, value: u32) -> Response;
    fn interrupts(&self) -> bool;
}

macro_rules! compressor_sim {
    ($top:ident) => {
        impl CompressorTop for $top {
            fn set_resetn(&mut self, resetn: bool) {
                self.aresetn.next = resetn;
                settle(self);
            }

            fn drive(&mut self, beat: Option<&BranchBeat>, ready: bool) {
                self.s_axis_branches_tvalid.next = beat.is_some();
                if let Some(beat) = beat {
                    self.s_axis_branches_tdata.next = signals(&beat.words());
                }
                self.m_axis_blocks_tready.next = ready;
            }

            fn beat(&self) -> Option<([u64; 2], bool)> {
                // TVALID depends on registers and the reset: it is what the rising edge will see.
                if !self.m_axis_blocks_tvalid.val() {
                    return None;
                }
                let wide = self.m_axis_blocks_tdata.val().to_wide();
                let words =
                    [0, 1].map(|word| wide.field(word * BEAT_BITS as u32, BEAT_BITS as u32));
                Some((words, self.m_axis_blocks_tlast.val()))
            }

            fn cycle(&mut self) {
                cycle(self, |top, clock| top.aclk.next = clock);
            }

            fn read(&mut self, offset: u32) -> (Response, u32) {
                AxiMaster::new(|| false).read(self, offset)
            }

            fn write(&mut self, offset: u32, value: u32) -> Response {
                AxiMaster::new(|| false).write(self, offset, value, 0xF)
            }

            fn interrupts(&self) -> bool {
                self.irq.val()
            }
        }
    };
}

compressor_sim!(TraceCompressor);
compressor_sim!(TraceCompressorX1);
compressor_sim!(TraceCompressorM4);
compressor_sim!(TraceCompressorRBase);

/// A beat of branches as a port has it.
fn signals(words: &[u64; WORDS]) -> Signals<BRANCH_BEAT_W> {
    let mut wide = Wide::default();
    for (low, &word) in (0..).step_by(64).zip(words) {
        wide.or_field(low, 64, word);
    }
    Signals(wide)
}

impl CompressorSim {
    /// A core after its reset.
    ///
    /// # Panics
    /// If the preset is no compressor.
    pub fn new(preset: Preset) -> CompressorSim {
        let mut sim = CompressorSim {
            top: match preset {
                Preset::TraceCompressor => connected::<TraceCompressor>(),
                Preset::TraceCompressorX1 => connected::<TraceCompressorX1>(),
                Preset::TraceCompressorM4 => connected::<TraceCompressorM4>(),
                Preset::TraceCompressorRBase => connected::<TraceCompressorRBase>(),
                _ => panic!("{} compresses nothing", preset.name()),
            },
            memory: Vec::new(),
            ends: Vec::new(),
        };
        sim.reset(1);
        sim
    }

    /// Holds the core in reset for some cycles.
    pub fn reset(&mut self, cycles: usize) {
        self.top.set_resetn(false);
        (0..cycles).for_each(|_| self.step(None, true));
        self.top.set_resetn(true);
        (0..4).for_each(|_| self.step(None, true));
    }

    /// One cycle, with or without a beat of branches and a consumer that takes a beat of blocks.
    pub fn step(&mut self, beat: Option<&BranchBeat>, ready: bool) {
        self.top.drive(beat, ready);
        if ready && let Some((words, is_last)) = self.top.beat() {
            self.memory
                .extend(words.map(u64::to_le_bytes).as_flattened());
            if is_last {
                self.ends.push(self.memory.len());
            }
        }
        self.top.cycle();
    }

    /// So many cycles without a branch, and with TREADY.
    pub fn idle(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step(None, true));
    }

    /// Whether the core interrupts.
    pub fn interrupts(&self) -> bool {
        self.top.interrupts()
    }

    /// The registers by their types.
    pub fn registers(&mut self) -> Registers<&mut CompressorSim> {
        Registers(self)
    }

    /// Reads a register by its name, as of now.
    ///
    /// # Panics
    /// If there is none of this name, or the bus refuses it.
    pub fn register(&mut self, name: &str) -> u32 {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_snapshot(true));
        let mut all = COMPRESSOR
            .placed()
            .filter(|(_, register)| register.name == name);
        let (offset, _) = all.next().expect("a register of this name");
        self.read(offset)
    }

    /// Closes the block behind the events so far.
    pub fn flush(&mut self) {
        let kept = self.registers().control();
        self.registers().set_control(kept.with_flush(true));
    }

    /// Enables the source, with blocks of so many bytes.
    pub fn enable(&mut self, trace_id: u8, is_a32: bool, block_bytes: usize, time_out: u32) {
        for (offset, value) in compressor_writes(trace_id, is_a32, block_bytes, time_out) {
            self.write(offset, value);
        }
    }

    /// Disables the source, and waits until its last block has left.
    ///
    /// # Panics
    /// If it does not leave.
    pub fn disable(&mut self) {
        let kept = self.registers().source_control(0);
        self.registers()
            .set_source_control(0, kept.with_enable(false));
        for _ in 0..100 {
            self.idle(400);
            let status = self.registers().status();
            if !status.running() && !status.busy() {
                return;
            }
        }
        panic!("the core stays busy");
    }
}

fn connected<T: CompressorTop + Block + Default + 'static>() -> Box<dyn CompressorTop> {
    let mut top = Box::new(T::default());
    top.connect_all();
    top
}

/// The bus of the core. No branch comes, and nobody takes a beat.
///
/// # Panics
/// If it refuses a transaction.
impl Bus for CompressorSim {
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
