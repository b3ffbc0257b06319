// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow-table`: the table with which a core follows a program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use coretrace_abi::flow_table::{SpaceRules, TableKind, Widths};
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS, space_writes, table_writes, window_write};
use coretrace_capture::MemoryImage;
use coretrace_isa::Isa;
use coretrace_sites::{BranchTable, Compiler, FlowTable};

use crate::capture_args::STANDARD;
use crate::error::{Outcome, say};
use crate::images::parse_image;
use crate::output::{Output, create};
use crate::table_args::{CompiledTable, IsaName, TableArgs};
use crate::triggers::TriggerArgs;

const EXAMPLES: &str = "\
The table has a number for each branch of the code, and says where it leads. Files that overlap
count as in memory: the last one does. What is printed says how full the table is, and which pages
are in no set any more; of code that is not in the table a core says that it is not loaded.

A trigger at a function or an address is what happens when a branch, a return or an exception leads into
its block; what runs through by itself is no trigger. With one that starts or stops, flow_core counts only
between them. Events freeze its ring of hops: TRIGGER_FREEZE says how many.

Examples:
  etm4 flow-table --elf testbench/traces/sort-a64/sort.elf --out sort.table
  etm4 flow-table --elf a.out --elf libc.so.6@0x7f80000000 --site-bits 17 --frame-bits 10
  etm4 flow-table --image dump.bin@0x8000 --isa a32,t32
  etm4 flow-table --elf kernel.elf --image one.bin@0x1000,cid=1 --image two.bin@0x1000,cid=2
  etm4 flow-table --elf a.out --trigger start=work --trigger stop=return:work --out work.table
  etm4 flow-table --elf a.out --elf libc.so.6 --maps maps --only main --only malloc --out a.table
  etm4 flow-table --elf a.out --site-bits 12 --frame-bits 6 --axi writes.txt --out a.table
  etm4 flow-table --elf a.out --later plugin.so@0x7f00000000 --site-bits 12 --frame-bits 6 --loaded a.table --axi more.txt
  etm4 flow-table --elf a.out --site-bits 12 --frame-bits 6 --axi writes.txt --branches a64";

/// Make the table with which a core follows a program
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FlowTableArgs {
    /// A program, as an ELF file; at this address, or where it is linked to be. May be given several
    /// times
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    elf: Vec<PathBuf>,

    /// A memory dump at this address, with `,space=EL1N`, `,vmid=1` or `,cid=0x10` for the contexts that
    /// see it. May be given several times; programs count more
    #[arg(long, value_name = "FILE@ADDRESS", value_parser = parse_image)]
    image: Vec<MemoryImage>,

    #[command(flatten)]
    table: TableArgs,

    #[command(flatten)]
    triggers: TriggerArgs,

    /// The file to write, - is standard output; without it there is only the report
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Also write how software loads the table and the rules of address spaces into flow_core, - is
    /// standard output: a line for each write of a register, with its byte offset and the value
    #[arg(long, value_name = "FILE")]
    axi: Option<PathBuf>,

    /// The table that the core has: --axi has the words that differ from it, and no others
    #[arg(
        long,
        value_name = "TABLE",
        requires = "axi",
        conflicts_with = "branches"
    )]
    loaded: Option<PathBuf>,

    /// Write how software loads them into etm4_recompressor, which compresses the branches of this instruction
    /// set, not into flow_core
    #[arg(
        long,
        value_name = "ISA",
        value_enum,
        requires = "axi",
        conflicts_with = "triggers"
    )]
    branches: Option<IsaName>,
}

impl FlowTableArgs {
    /// The words that the core has, in the order of those of the table; none if it is not known.
    fn loaded(&self, table: &FlowTable) -> Result<Vec<(TableKind, u32, u64)>> {
        let Some(path) = &self.loaded else {
            return Ok(Vec::new());
        };
        let loaded = read_table(path)?;
        ensure!(
            loaded.widths() == table.widths(),
            "{} has another size than the table",
            path.display()
        );
        Ok(loaded.words().collect())
    }
}

/// Reads a flow table.
///
/// # Errors
/// If the file cannot be read, or is none.
pub fn read_table(path: &Path) -> Result<FlowTable> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let table = FlowTable::from_bytes(&bytes);
    table.with_context(|| format!("{name} cannot be used"))
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be used, or the code does not fit into the table.
pub fn run(args: &FlowTableArgs) -> Result<Outcome> {
    let widths = args.table.widths()?;
    let compiled = args.table.compile(widths, &args.elf, &args.image)?;
    let table = args.triggers.table(&compiled)?;
    if let Some(out) = &args.out {
        create(out)?
            .write_all(&table.to_bytes())
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if let Some(axi) = &args.axi {
        ensure!(
            (widths.site, widths.frame) == (SITE_BITS, FRAME_BITS),
            "the cores have a table of --site-bits {SITE_BITS} --frame-bits {FRAME_BITS}"
        );
        let mut file = std::io::BufWriter::new(create(axi)?);
        let loaded = args.loaded(&table)?;
        let is_new = |(place, word): &(usize, _)| loaded.get(*place) != Some(word);
        let words = table.words().enumerate().filter(is_new);
        let writes = words.flat_map(|(_, (kind, index, word))| table_writes(kind, index, word));
        let own = match args.branches {
            Some(isa) => branch_writes(&compiled, isa.into())?,
            None => vec![window_write(args.triggers.is_windowed())],
        };
        let writes = writes.chain(own).chain(space_writes(&compiled.rules));
        for (offset, value) in writes {
            writeln!(file, "{offset:#05x} {value:#010x}")
                .with_context(|| format!("cannot write {}", axi.display()))?;
        }
        file.flush()
            .with_context(|| format!("cannot write {}", axi.display()))?;
    }
    let report = report(&compiled.compiler, &compiled.rules, widths);
    if [&args.out, &args.axi]
        .map(Option::as_deref)
        .contains(&Some(Path::new(STANDARD)))
    {
        say(report.trim_end());
    } else {
        let mut output = Output::new();
        output.text_of(&report);
        output.finish();
    }
    Ok(Outcome::Complete)
}

/// The writes of the branch table of `etm4_recompressor`.
fn branch_writes(compiled: &CompiledTable, isa: Isa) -> Result<Vec<(u32, u32)>> {
    ensure!(
        isa != Isa::T32,
        "no encoder takes the branches of T32 code: --branches is a64 or a32"
    );
    let branches = BranchTable::new(&compiled.compiler, &compiled.modules, isa);
    let words = branches.memory_words();
    Ok(words
        .flat_map(|(kind, index, word)| table_writes(kind, index, word))
        .collect())
}

fn report(compiler: &Compiler, rules: &SpaceRules, widths: Widths) -> String {
    let report = compiler.report();
    let mut text = String::new();
    let rows = [
        ("branches and ends of code", report.sites, widths.sites()),
        ("pages", report.frames, widths.frames()),
        (
            "address spaces",
            rules.iter().flatten().count(),
            rules.len(),
        ),
    ];
    for (name, used, size) in rows {
        let _ = writeln!(text, "{used:>8} of {size:>8}  {name}");
    }
    let outside = report.outside;
    let _ = writeln!(
        text,
        "{outside:>8}              branches to code that is not there"
    );
    let left_out = report.left_out.len();
    let _ = writeln!(
        text,
        "{left_out:>8}              pages for which there is no slot"
    );
    let kbits = widths.bits().div_ceil(1024);
    let _ = writeln!(
        text,
        "{kbits:>8}              Kbit of memory, without counters"
    );
    text
}
