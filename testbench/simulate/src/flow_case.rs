// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs to follow: a trace, and the tables of its program.

use crate::flow::{flow_table, random_triggers};
use anyhow::Result;
use coretrace_abi::flow_table::{SpaceRules, Widths};
use coretrace_etm::SourceConfig;
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_sites::FlowTable;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::{RandomProgram, Speculation, TraceUnit, random_unit};
use coretrace_test_gen::{GoldenStream, Rng, rng};
use rand::RngExt;

/// A trace of a program, and the tables of the program.
#[derive(Clone, Debug)]
pub struct FlowCase {
    /// Its name in messages.
    pub name: String,
    /// The trace unit.
    pub source: SourceConfig,
    /// The tables.
    pub table: FlowTable,
    /// The rules of its address spaces.
    pub rules: SpaceRules,
    /// The trace.
    pub bytes: Vec<u8>,
    /// What is between triggers is counted, with one walker.
    pub windowed: bool,
    /// So many triggers freeze the ring of hops, with one walker; 0: none.
    pub freeze_after: u32,
}

impl FlowCase {
    /// A walk through a random program. `None` if the tables have no room for it.
    ///
    /// # Panics
    /// If no instruction can be what a site of the program is.
    pub fn of_program(
        widths: Widths,
        program: &RandomProgram,
        unit: &TraceUnit,
        random: &mut Rng,
    ) -> Option<FlowCase> {
        let case = FlowCase::of_trace(widths, &program.trace(random), unit);
        let case = case.expect("instructions")?;
        Some(FlowCase {
            name: format!("{program:?}, {unit:?}"),
            ..case
        })
    }

    /// A branch trace through a trace unit. `None` if the tables have no room for its program.
    ///
    /// # Errors
    /// If no instruction can be what a site of the program is.
    pub fn of_trace(
        widths: Widths,
        trace: &BranchTrace,
        unit: &TraceUnit,
    ) -> Result<Option<FlowCase>> {
        let pages = unit.pages(trace)?;
        let pages = pages
            .iter()
            .map(|page| Image::new(page.address, &page.bytes[..]));
        let source = unit.source();
        let images = Images::new(pages.collect());
        let table = flow_table(widths, &source, &[trace.isa], &images);
        Ok(table.map(|(table, rules)| FlowCase {
            name: format!("{unit:?}"),
            source,
            table,
            rules,
            bytes: unit.trace(trace, &mut ()),
            windowed: false,
            freeze_after: 0,
        }))
    }

    /// A random program with so many branches under a random trace unit, with or without speculation; a third
    /// of the seeds have triggers. `None` if the tables have no room for it.
    pub fn random(widths: Widths, seed: u64, steps: u64, speculates: bool) -> Option<FlowCase> {
        let mut random = rng(seed);
        let blocks = 2 << random.random_range(0..7);
        let mut unit = random_unit(&mut random, seed);
        unit.speculation = speculates.then(|| {
            unit.speculation.unwrap_or_else(|| Speculation {
                max_spec: 1 << random.random_range(0..8),
                counts_commit: random.random(),
                mispredicts: 0.2,
                commits: 0.1,
            })
        });
        let program = RandomProgram { blocks, steps };
        let mut case = FlowCase::of_program(widths, &program, &unit, &mut random)?;
        case.name = format!("seed {seed}");
        if seed % 3 == 2 {
            case.add_triggers(&mut random);
        }
        Some(case)
    }

    /// A program that ran. `None` if the tables have no room for it.
    ///
    /// # Errors
    /// If the memory of the program cannot be read.
    pub fn golden(widths: Widths, stream: &GoldenStream) -> Result<Option<FlowCase>> {
        let memory = stream.memory()?.into_iter();
        let images = memory.map(|(address, bytes)| Image::new(address, bytes));
        let isa = match stream.name.contains(".a32.") {
            true => Isa::A32,
            false => Isa::A64,
        };
        let table = flow_table(
            widths,
            &stream.source,
            &[isa],
            &Images::new(images.collect()),
        );
        Ok(table.map(|(table, rules)| FlowCase {
            name: stream.name.clone(),
            source: stream.source,
            table,
            rules,
            bytes: stream.bytes.clone(),
            windowed: false,
            freeze_after: 0,
        }))
    }

    /// Random triggers, and what they do.
    fn add_triggers(&mut self, random: &mut Rng) {
        let rate = [0.01, 0.1][random.random_range(0..2)];
        let sites = 1..self.table.used_sites() as u32;
        random_triggers(&mut self.table, sites, rate, random);
        self.windowed = random.random();
        self.freeze_after = [1, 100, 5000][random.random_range(0..3)];
    }

    /// All sites of the table: one behind the program has no sums, which is checked too.
    pub fn sites(&self) -> usize {
        self.table.widths().sites()
    }
}
