// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program as a trace unit sends it, and the walk of its flow table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_capture::read_xz;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context, Kind, Record, SourceConfig};
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_sites::{
    AddressSpaces, Balance, Compiler, Event, FlowItem, FlowTable, FlowUnit, Items, SiteCounts,
};
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::{Page, TraceUnit};

/// Branch traces that the repository has.
const TRACES: [&str; 2] = ["adpcm-a32", "interp-a64"];

/// A program as a trace unit sends it.
pub struct Program {
    /// Its name, for a table.
    pub name: String,
    /// Its instruction set.
    pub isa: Isa,
    /// Its image.
    pub pages: Vec<Page>,
    /// Its trace.
    pub trace: Vec<u8>,
    source: SourceConfig,
}

/// What a decoder hands to the unit that follows the program.
pub struct Decoded {
    /// The items.
    pub items: Vec<FlowItem>,
    /// Whether there were errors, or bytes that were not read.
    pub is_reported: bool,
}

/// What a walk says.
#[derive(PartialEq)]
pub struct Walked {
    /// The counters.
    pub counts: SiteCounts,
    /// Atoms walked and skipped.
    pub atoms: (u64, u64),
    /// Why the place was lost, each time.
    pub losses: Vec<LostReason>,
}

impl Walked {
    /// Whether the sums contradict the table.
    pub fn is_contradicted(&self, table: &FlowTable) -> bool {
        !Balance::new(table, &self.counts).imbalances.is_empty()
    }

    /// How often the branch at each address was taken.
    pub fn taken(&self, compiler: &Compiler) -> BTreeMap<u64, u64> {
        let sites = compiler.sites().iter();
        let taken = sites.map(|it| (it.site.address, self.counts.taken[it.number as usize]));
        taken.filter(|(_, taken)| *taken > 0).collect()
    }
}

impl Program {
    /// A branch trace through a trace unit.
    ///
    /// # Errors
    /// If there is no program with these branches.
    pub fn new(name: &str, trace: &BranchTrace, unit: &TraceUnit) -> Result<Program> {
        Ok(Program {
            name: name.to_owned(),
            isa: trace.isa,
            pages: unit.pages(trace).context("no instruction")?,
            trace: unit.trace(trace, &mut ()),
            source: unit.source(),
        })
    }

    /// The table of an image.
    ///
    /// # Errors
    /// If it is too large.
    pub fn compile(&self, pages: &[Page]) -> Result<Compiler> {
        let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
        let images = Images::new(pages.iter().map(image).collect());
        let spaces = AddressSpaces::new(images, [Context::default()]);
        let widths = Widths::new(15, 8).context("widths")?;
        let mut compiler = Compiler::new(widths, Reported::new(&self.source));
        compiler.add_all(&spaces.modules(&[self.isa]))?;
        Ok(compiler)
    }

    /// The items of stretches of trace, between which bytes were lost. The counters are read behind them.
    pub fn decode(&self, stretches: &[&[u8]]) -> Decoded {
        let source = &self.source;
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut decoder = Decoder::new(config, Policy::Resync);
        let of_record = Items::new(source);
        let mut decoded = Decoded {
            items: Vec::new(),
            is_reported: stretches.len() > 1,
        };
        let mut sink = |record: &Record| {
            decoded.is_reported |= record.kind.is_error() || record.kind == Kind::NotSync;
            of_record.record(record, |_| 0, |item| decoded.items.push(item));
        };
        for (number, bytes) in stretches.iter().enumerate() {
            if number > 0 {
                decoder.discontinuity(&mut sink);
            }
            decoder.feed(bytes, &mut sink);
        }
        decoded.items.push(FlowItem::ReadOut);
        decoded
    }

    /// The walk of items.
    pub fn walk(&self, items: &[FlowItem], table: &FlowTable) -> Walked {
        let mut unit = FlowUnit::new(&self.source);
        let mut counts = SiteCounts::new(table.widths());
        let mut losses = Vec::new();
        for &item in items {
            unit.item(item, table, &mut |event| {
                counts.add(&event);
                if let Event::Lost { reason, .. } = event {
                    losses.push(reason);
                }
            });
        }
        Walked {
            counts,
            atoms: unit.atoms(),
            losses,
        }
    }
}

/// The programs: so many instructions of each branch trace, with and without a return stack.
///
/// # Errors
/// If a file cannot be read.
pub fn programs(files: &[impl AsRef<Path>], instructions: u64) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for file in files {
        let file = file.as_ref();
        let read = || Ok(BranchTrace::read(&read_xz(file)?)?.prefix(instructions));
        let trace: Result<BranchTrace> = read();
        let trace = trace.with_context(|| file.display().to_string())?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.trim_end_matches(".btr.xz");
        for (stack, return_stack) in [("off", 0), ("on", 15)] {
            let unit = TraceUnit {
                return_stack,
                ..TraceUnit::default()
            };
            let name = format!("{name}, return stack {stack}");
            programs.push(Program::new(&name, &trace, &unit)?);
        }
    }
    Ok(programs)
}

/// The branch traces of the repository.
pub fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/branches");
    let file = |name| folder.join(format!("{name}.btr.xz"));
    TRACES.into_iter().map(file).collect()
}
