// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs whose branches a core follows: a trace, and the tables of its program.

use crate::flow::{FlowTables, flow_tables, used_words};
use coretrace_abi::flow_table::{SpaceRules, TableKind, Widths};
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS};
use coretrace_etm::SourceConfig;
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_sites::{BranchTable, FlowTable};
use coretrace_test_gen::trace_unit::{Observer, RandomProgram, TraceUnit};
use coretrace_test_gen::{GoldenStream, Rng, rng};

/// A trace of a program, and the tables of the program for `etm4_recompressor`.
pub struct BranchCase {
    /// The trace unit.
    pub source: SourceConfig,
    /// The trace.
    pub bytes: Vec<u8>,
    /// The memory of the program.
    pub images: Images,
    /// The instruction set of its branches.
    pub isa: Isa,
    /// The flow table.
    pub table: FlowTable,
    /// The branch table.
    pub branches: BranchTable,
    /// The rules of its address spaces.
    pub rules: SpaceRules,
}

impl BranchCase {
    fn new(source: SourceConfig, bytes: Vec<u8>, images: Images, isa: Isa) -> BranchCase {
        let widths = Widths::new(SITE_BITS, FRAME_BITS).expect("widths");
        let tables = flow_tables(widths, &source, &[isa], &images).expect("room");
        let FlowTables {
            compiler,
            modules,
            rules,
        } = tables;
        BranchCase {
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
    ///
    /// # Panics
    /// If there is no memory of the program, or the tables have no room for it.
    pub fn golden(stream: &GoldenStream) -> BranchCase {
        let memory = stream.memory().expect("an image").into_iter();
        let images = memory.map(|(address, bytes)| Image::new(address, bytes));
        let isa = if stream.name.contains(".a32.") {
            Isa::A32
        } else {
            Isa::A64
        };
        let images = Images::new(images.collect());
        BranchCase::new(stream.source, stream.bytes.clone(), images, isa)
    }

    /// A random program under a trace unit, whose `observer` sees what is executed. `None` if it is T32 code.
    ///
    /// # Panics
    /// If the tables have no room for the program.
    pub fn random(
        program: &RandomProgram,
        unit: &TraceUnit,
        random: &mut Rng,
        observer: &mut impl Observer,
    ) -> Option<BranchCase> {
        let trace = program.trace(random);
        if trace.isa == Isa::T32 {
            return None;
        }
        // The handler is A64, and an encoder takes one instruction set.
        let unit = TraceUnit {
            traces_handler: unit.traces_handler && trace.isa == Isa::A64,
            ..unit.clone()
        };
        let pages = unit.pages(&trace).expect("instructions").into_iter();
        let images = pages.map(|page| Image::new(page.address, page.bytes));
        let bytes = unit.trace(&trace, observer);
        let images = Images::new(images.collect());
        Some(BranchCase::new(unit.source(), bytes, images, trace.isa))
    }

    /// A random program of A64 code with so many blocks and steps, at most four to a byte, in a trace unit with a
    /// return stack and an A-Sync now and then.
    pub fn of_a64(blocks: usize, steps: u64) -> BranchCase {
        let program = RandomProgram { blocks, steps };
        let unit = TraceUnit {
            return_stack: 15,
            sync_bytes: Some(200),
            ..TraceUnit::default()
        };
        let found = (0..).find_map(|seed| {
            let case = BranchCase::random(&program, &unit, &mut rng(seed), &mut ());
            case.filter(|case| case.isa == Isa::A64 && case.bytes.len() as u64 * 4 >= steps)
        });
        found.expect("a program of A64 code")
    }

    /// What a core whose memories are 0 must have in them: no site behind the end of the program is reached.
    pub fn words(&self) -> impl Iterator<Item = (TableKind, u32, u64)> {
        let end = self.table.used_sites();
        let is_used = move |kind, index| kind == TableKind::Calls || index as usize <= end;
        let branches = self.branches.memory_words();
        let branches =
            branches.filter(move |&(kind, index, word)| word != 0 && is_used(kind, index));
        used_words(&self.table).chain(branches)
    }
}
