// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow-table`: the table with which a core follows a program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
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
use crate::table_args::{CompiledTable, IsaName, TableArgs, read_table_of};
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
  etm4 flow-table --elf b.out --site-bits 12 --frame-bits 6 --shadow-of a.table --axi ahead.txt --swap swap.txt --out b.table
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
        conflicts_with_all = ["branches", "shadow_of"]
    )]
    loaded: Option<PathBuf>,

    /// Of a shadow copy: --axi has what software may write while the core follows the other program, and this
    /// file what it writes then, while the source is disabled
    #[arg(long, value_name = "FILE", requires_all = ["axi", "shadow_of"])]
    swap: Option<PathBuf>,

    /// Write how software loads them into etm4_recompressor, which compresses the branches of this instruction
    /// set, not into flow_core
    #[arg(
        long,
        value_name = "ISA",
        value_enum,
        requires = "axi",
        conflicts_with_all = ["triggers", "shadow_of"]
    )]
    branches: Option<IsaName>,
}

impl FlowTableArgs {
    /// Writes the files of register writes.
    fn write_axi(&self, axi: &Path, table: &FlowTable, compiled: &CompiledTable) -> Result<()> {
        let widths = table.widths();
        ensure!(
            (widths.site, widths.frame) == (SITE_BITS, FRAME_BITS),
            "the cores have a table of --site-bits {SITE_BITS} --frame-bits {FRAME_BITS}"
        );
        let settings = match self.branches {
            Some(isa) => branch_writes(compiled, isa.into())?,
            None => vec![window_write(self.triggers.is_windowed())],
        };
        let settings = settings.into_iter().chain(space_writes(&compiled.rules));
        if let Some(active) = &compiled.active {
            let Some(swap) = &self.swap else {
                bail!("--swap names the file for what is written while the source is disabled");
            };
            write_writes(axi, word_writes(table.shadow_words()))?;
            write_writes(swap, word_writes(table.swap_words(active)).chain(settings))
        } else {
            let loaded = self.loaded.as_deref();
            let loaded = loaded.map(|path| read_table_of(widths, path));
            let loaded = loaded.transpose()?;
            let loaded: Vec<_> = loaded.iter().flat_map(FlowTable::words).collect();
            let words = table.words().enumerate();
            let is_new = |(place, word): &(usize, _)| loaded.get(*place) != Some(word);
            let words = words.filter(is_new).map(|(_, word)| word);
            write_writes(axi, word_writes(words).chain(settings))
        }
    }
}

/// The writes of words of a table.
fn word_writes(
    words: impl Iterator<Item = (TableKind, u32, u64)>,
) -> impl Iterator<Item = (u32, u32)> {
    words.flat_map(|(kind, index, word)| table_writes(kind, index, word))
}

/// Writes a file with the writes of registers.
fn write_writes(path: &Path, writes: impl Iterator<Item = (u32, u32)>) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut file = std::io::BufWriter::new(create(path)?);
    for (offset, value) in writes {
        writeln!(file, "{offset:#05x} {value:#010x}").with_context(failed)?;
    }
    file.flush().with_context(failed)
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
        args.write_axi(axi, &table, &compiled)?;
    }
    let report = report(&compiled.compiler, &compiled.rules, widths);
    if [&args.out, &args.axi, &args.swap]
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
