// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of programs with their tables, and what the models say of them.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::flow_table::{LostReason, SpaceRules, Widths, space};
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS};
use coretrace_compress::{BlockSettings, BlockWriter};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context, SourceConfig};
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_sites::{BranchStep, BranchTable, BranchUnit, FlowItem, FlowTable, Items};
use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};
use coretrace_test_gen::{GoldenStream, Rng};
use coretrace_test_simulate::flow::{FlowTables, flow_tables};

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 4096;
/// The trace ID of the source.
pub const TRACE_ID: u8 = 0x10;

/// A trace of a program, and its tables.
pub struct Case {
    pub source: SourceConfig,
    pub bytes: Vec<u8>,
    pub images: Images,
    pub isa: Isa,
    pub table: FlowTable,
    pub branches: BranchTable,
    pub rules: SpaceRules,
}

impl Case {
    fn new(source: SourceConfig, bytes: Vec<u8>, images: Images, isa: Isa) -> Case {
        let widths = Widths::new(SITE_BITS, FRAME_BITS).expect("widths");
        let tables = flow_tables(widths, &source, &[isa], &images).expect("room");
        let FlowTables {
            compiler,
            modules,
            rules,
        } = tables;
        Case {
            source,
            bytes,
            images,
            isa,
            table: compiler.table().clone(),
            branches: BranchTable::new(&compiler, &modules, isa),
            rules,
        }
    }

    /// A stream of a real program.
    pub fn golden(stream: &GoldenStream) -> Case {
        let memory = stream.memory().expect("an image").into_iter();
        let images = memory.map(|(address, bytes)| Image::new(address, bytes));
        let isa = match stream.name.contains("a32") {
            true => Isa::A32,
            false => Isa::A64,
        };
        let images = Images::new(images.collect());
        Case::new(stream.source, stream.bytes.clone(), images, isa)
    }

    /// A random program under a trace unit; none of T32 code.
    pub fn random(program: &RandomProgram, unit: &mut TraceUnit, random: &mut Rng) -> Option<Case> {
        let trace = program.trace(random);
        if trace.isa == Isa::T32 {
            return None;
        }
        // The handler is A64, and an encoder takes one instruction set.
        unit.traces_handler &= trace.isa == Isa::A64;
        let pages = unit.pages(&trace).expect("instructions").into_iter();
        let images = pages.map(|page| Image::new(page.address, page.bytes));
        let bytes = unit.trace(&trace, &mut ());
        let images = Images::new(images.collect());
        Some(Case::new(unit.source(), bytes, images, trace.isa))
    }

    /// Where the program begins, if it does, and its events, by the model.
    pub fn events(&self) -> (Option<u64>, Vec<Event>) {
        let mut unit = BranchUnit::new(&self.source);
        let items = Items::new(&self.source);
        let mut start = None;
        let mut events = Vec::new();
        let mut item = |item| {
            unit.item(item, &self.table, &self.branches, &mut |step| match step {
                BranchStep::Start(address) => start = Some(address),
                BranchStep::Event(event) => events.push(event),
            });
        };
        item(FlowItem::Gap(LostReason::BadPacket));
        let registers = &self.source.registers;
        let config = Config::new(self.source.protocol, self.source.profile, registers);
        let mut decoder = Decoder::new(config, Policy::Resync);
        let of = |context: &Context| space(&self.rules, context);
        decoder.feed(&self.bytes, |record| items.record(record, of, &mut item));
        (start, events)
    }

    /// The blocks of these events.
    pub fn blocks(&self, start: u64, events: &[Event]) -> Vec<u8> {
        let encoder = Encoder::named("X2").expect("an encoder");
        let mut settings = BlockSettings::new(encoder, TRACE_ID, self.isa == Isa::A32);
        settings.size = BLOCK_BYTES;
        let mut memory = Vec::new();
        let mut writer = BlockWriter::new(settings, start);
        let mut put = |block: &[u8]| memory.extend_from_slice(block);
        for event in events {
            writer.event(event, &mut put);
        }
        writer.flush(&mut put);
        memory
    }
}
