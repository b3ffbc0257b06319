// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pipeline of your own: a trace port, its front end, and one decoder of four bytes per cycle.
//!
//! `cargo run -p coretrace-pipelines --example one_source` joins the blocks in a new top, simulates
//! the start of a shipped trace, prints the first records, and writes the top as Verilog.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};
use coretrace_hdl_coresight::TpiuFront;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::Etm4JumpX4;
use coretrace_pipelines::sim::{ResultDecoder, ResultWord};
use rust_hdl::prelude::*;

/// Trace port to the packets of one source.
///
/// | port | dir | meaning |
/// |---|---|---|
/// | `aclk`, `aresetn` | in | clock; synchronous reset, active low |
/// | `s_axis_tdata[31:0]`, `s_axis_tvalid` | in | a word of the trace port; always taken |
/// | `cfg_id[6:0]`, `cfg_trc...[31:0]` | in | trace ID and registers of the source, an ETMv4 |
/// | `m_axis_...` | out | result words, as from `Etm4JumpX4` |
///
/// Throughput one word per cycle.
#[derive(LogicBlock, Default)]
struct OneSource {
    pub aclk: Signal<In, Clock>,
    pub aresetn: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub cfg_id: Signal<In, Bits<7>>,
    pub cfg_trcconfigr: Signal<In, Bits<32>>,
    pub cfg_trcidr0: Signal<In, Bits<32>>,
    pub cfg_trcidr1: Signal<In, Bits<32>>,
    pub cfg_trcidr2: Signal<In, Bits<32>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bit>,
    pub m_axis_tkeep: Signal<Out, Bits<4>>,
    pub m_axis_pending: Signal<Out, Bits<32>>,
    pub m_axis_lane: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
    pub m_axis_pair: [Signal<Out, Bus<PAIR_RESULT_W>>; 2],
    reset: DFF<Bit>,
    front: TpiuFront,
    decoder: Etm4JumpX4,
}

impl Logic for OneSource {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.aclk.val();
        self.reset.d.next = !self.aresetn.val();

        // The front end has four outputs; this top uses the first.
        self.front.clock.next = self.aclk.val();
        self.front.reset.next = self.reset.q.val();
        self.front.s_axis_tdata.next = self.s_axis_tdata.val();
        self.front.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.front.s_axis_tuser.next = false;
        self.front.enables.next = 1.into();
        for i in 0..4 {
            self.front.ids[i].next = self.cfg_id.val();
        }

        self.decoder.aclk.next = self.aclk.val();
        self.decoder.aresetn.next = self.aresetn.val();
        self.decoder.cfg_lenient.next = false;
        self.decoder.cfg_ete.next = false;
        self.decoder.cfg_v8m.next = false;
        self.decoder.cfg_trcconfigr.next = self.cfg_trcconfigr.val();
        self.decoder.cfg_trcidr0.next = self.cfg_trcidr0.val();
        self.decoder.cfg_trcidr1.next = self.cfg_trcidr1.val();
        self.decoder.cfg_trcidr2.next = self.cfg_trcidr2.val();
        self.decoder.cfg_trcdevarch.next = 0.into();
        self.decoder.s_axis_tdata.next = self.front.m_axis_tdata[0].val();
        self.decoder.s_axis_tkeep.next = self.front.m_axis_tkeep[0].val();
        self.decoder.s_axis_tvalid.next = self.front.m_axis_tvalid[0].val();
        self.decoder.s_axis_tuser.next = self.front.m_axis_tuser[0].val();

        self.m_axis_tvalid.next = self.decoder.m_axis_tvalid.val();
        self.m_axis_tuser.next = self.decoder.m_axis_tuser.val();
        self.m_axis_tkeep.next = self.decoder.m_axis_tkeep.val();
        self.m_axis_pending.next = self.decoder.m_axis_pending.val();
        for i in 0..4 {
            self.m_axis_lane[i].next = self.decoder.m_axis_lane[i].val();
        }
        for i in 0..2 {
            self.m_axis_pair[i].next = self.decoder.m_axis_pair[i].val();
        }
    }
}

impl OneSource {
    /// One clock cycle with a word at the port, or a gap; the result word after it, if there is one.
    fn step(&mut self, word: Option<u32>) -> Option<ResultWord> {
        self.s_axis_tvalid.next = word.is_some();
        self.s_axis_tdata.next = u64::from(word.unwrap_or(0)).into();
        cycle(self, |top, clock| top.aclk.next = clock);
        self.m_axis_tvalid.val().then(|| ResultWord {
            discontinuity: self.m_axis_tuser.val(),
            keep: self.m_axis_tkeep.val().to_u32(),
            pending: self.m_axis_pending.val().to_u32(),
            lanes: self
                .m_axis_lane
                .iter()
                .map(|lane| lane.val().to_wide())
                .collect(),
            pairs: self
                .m_axis_pair
                .iter()
                .map(|pair| pair.val().to_wide())
                .collect(),
        })
    }
}

/// The trace unit with ID 0x10 of `testbench/traces/framed`.
const TRACE_ID: u64 = 0x10;
const REGISTERS: Registers = Registers {
    trcconfigr: 0x1001,
    trcidr0: 0x2800_0EA1,
    trcidr1: 0x4100_F403,
    trcidr2: 0x488,
    ..Registers::ZERO
};

/// Words of the port to simulate, and cycles for the last results to come out.
const WORDS: usize = 40;
const DRAIN_CYCLES: usize = 64;

fn main() -> Result<()> {
    let port = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/traces/framed/trace.bin");
    let port = fs::read(&port).with_context(|| format!("reading {}", port.display()))?;

    let mut top = OneSource::default();
    top.connect_all();
    top.cfg_id.next = TRACE_ID.into();
    top.cfg_trcconfigr.next = u64::from(REGISTERS.trcconfigr).into();
    top.cfg_trcidr0.next = u64::from(REGISTERS.trcidr0).into();
    top.cfg_trcidr1.next = u64::from(REGISTERS.trcidr1).into();
    top.cfg_trcidr2.next = u64::from(REGISTERS.trcidr2).into();
    top.aresetn.next = false;
    top.step(None);
    top.aresetn.next = true;
    top.step(None);

    let config = Config::new(Protocol::Etm4, ArchProfile::A, &REGISTERS);
    let mut records = ResultDecoder::new(config, false);
    let words = port.chunks_exact(4).take(WORDS);
    let words = words.map(|word| Some(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    for word in words.chain([None; DRAIN_CYCLES]) {
        let Some(result) = top.step(word) else {
            continue;
        };
        records.word(&result, |record| {
            let (name, address) = (record.kind.listing_name(), record.address.value);
            println!("{:4} {name:20} {address:#018x}", record.offset);
        });
    }

    let folder = Path::new("target/export/one_source");
    fs::create_dir_all(folder)?;
    let file = folder.join("one_source.v");
    // A fresh top: registers are exported with the values that they have.
    fs::write(&file, verilog(OneSource::default(), "one_source")?)?;
    println!("{}", file.display());
    Ok(())
}
