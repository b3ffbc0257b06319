// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow table of a core: what it is made of.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use coretrace_abi::flow_table::{SpaceRules, Widths};
use coretrace_capture::MemoryImage;
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_program::Program;
use coretrace_sites::{AddressSpaces, Compiler, FlowTable, Module};

use crate::images::{dumps, program_images};
use crate::maps::{mapped_code, say_unnamed};
use crate::only::Only;
use crate::programs::{Placed, programs};

/// Heading of the options that describe a flow table.
const TABLE: &str = "Flow table";

/// What a flow table is made of, besides code.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Instruction sets as which all code is read
    #[arg(long, value_enum, value_delimiter = ',', default_value = "a64", help_heading = TABLE)]
    isa: Vec<IsaName>,

    /// What the process had mapped, the text of its /proc/PID/maps: programs of --elf without an address are where it
    /// has their code
    #[arg(long, value_name = "FILE", help_heading = TABLE)]
    maps: Option<PathBuf>,

    /// A program that is loaded when the core has the table of the others: its branches have the numbers behind
    /// theirs. May be given several times
    #[arg(long, value_name = "FILE[@ADDRESS]", help_heading = TABLE)]
    later: Vec<PathBuf>,

    /// The table with which a core follows a program now: this one is a shadow copy, with the numbers that it leaves
    /// free
    #[arg(long, value_name = "TABLE", help_heading = TABLE)]
    shadow_of: Option<PathBuf>,

    /// Only this code is in the table: a function, or what is between two addresses, 0x1000-0x2000. May be given several
    /// times
    #[arg(long, value_name = "PLACE", help_heading = TABLE)]
    only: Vec<String>,

    /// Bits of the number of a branch
    #[arg(long, value_name = "N", default_value_t = 15, help_heading = TABLE)]
    site_bits: u32,

    /// Bits of the number of a page
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = TABLE)]
    frame_bits: u32,

    /// The trace unit reports WFI and WFE (TRCIDR2.WFXMODE)
    #[arg(long, help_heading = TABLE)]
    waits: bool,

    /// The trace unit is an ETE, which reports the start of a transaction
    #[arg(long, help_heading = TABLE)]
    ete: bool,
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsaName {
    /// AArch64.
    A64,
    /// AArch32, units of four bytes.
    A32,
    /// AArch32, units of two bytes.
    T32,
}

impl From<IsaName> for Isa {
    fn from(name: IsaName) -> Isa {
        match name {
            IsaName::A64 => Isa::A64,
            IsaName::A32 => Isa::A32,
            IsaName::T32 => Isa::T32,
        }
    }
}

/// A compiled table, and the code that it is of.
pub struct CompiledTable {
    /// The table and its sites.
    pub compiler: Compiler,
    /// The code.
    pub modules: Vec<Module>,
    /// The rules by which a core knows their address spaces.
    pub rules: SpaceRules,
    /// The programs, for their symbols.
    pub program: Program,
    /// The table that it is a shadow copy of.
    pub active: Option<FlowTable>,
}

impl TableArgs {
    /// How large the table is.
    ///
    /// # Errors
    /// If there is no such table.
    pub fn widths(&self) -> Result<Widths> {
        let (site, frame) = (self.site_bits, self.frame_bits);
        let Some(widths) = Widths::new(site, frame) else {
            bail!(
                "there is no table with {site} bits for a branch and {frame} for a page: 15 and 8 are usual"
            );
        };
        Ok(widths)
    }

    /// The instructions that the trace unit reports besides branches and barriers.
    pub fn reported(&self) -> Reported {
        Reported {
            waits: self.waits,
            transactions: self.ete,
        }
    }

    /// Branches in front of an exception may have no atom: those of an ETE.
    pub fn has_passes(&self) -> bool {
        self.ete
    }

    /// Compiles programs, which are in every context, and memory dumps.
    ///
    /// # Errors
    /// If a file cannot be used, the code does not fit, or there are more address spaces than a core knows.
    pub fn compile(
        &self,
        widths: Widths,
        elf: &[PathBuf],
        image: &[MemoryImage],
    ) -> Result<CompiledTable> {
        let mappings = match &self.maps {
            None => Vec::new(),
            Some(path) => mapped_code(path)?,
        };
        let mappings: Vec<Placed<'_>> = mappings.iter().map(Placed::in_every).collect();
        let named = [elf, &self.later].concat();
        say_unnamed(&mappings, &named);
        let program = programs(&named, &mappings)?;
        let images = memory(&program, image)?;
        let only = Only::new(&self.only, &images, &program.symbols()?)?;
        let (modules, rules) = self.modules(only.of(images))?;
        let (first, later) = if self.later.is_empty() {
            (modules, Vec::new())
        } else {
            let first = memory(&programs(elf, &mappings)?, image)?;
            let (first, _) = self.modules(only.of(first))?;
            let is_later = |module: &Module| !first.contains(module);
            let later = modules.into_iter().filter(is_later).collect();
            (first, later)
        };
        let active = self.shadow_of.as_deref();
        let active = active.map(|path| read_table_of(widths, path)).transpose()?;
        let mut compiler = match &active {
            Some(active) => Compiler::shadow(active, self.reported()),
            None => Compiler::new(widths, self.reported()),
        };
        compiler.add_all(&first).context(
            "the code does not fit: --site-bits and --frame-bits make the table larger, --only takes less code",
        )?;
        compiler
            .add_all(&later)
            .context("what is loaded later does not fit beside the other code")?;
        Ok(CompiledTable {
            compiler,
            modules: [first, later].concat(),
            rules,
            program,
            active,
        })
    }

    /// What is in memory, as modules, and the rules of their address spaces.
    fn modules(&self, images: Vec<Image>) -> Result<(Vec<Module>, SpaceRules)> {
        let isas: Vec<Isa> = self.isa.iter().copied().map(Isa::from).collect();
        let (spaces, rules) = AddressSpaces::with_rules(Images::new(images))?;
        Ok((spaces.modules(&isas), rules))
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

/// Reads a flow table of this size.
///
/// # Errors
/// If the file cannot be read, or is none.
pub fn read_table_of(widths: Widths, path: &Path) -> Result<FlowTable> {
    let table = read_table(path)?;
    ensure!(
        table.widths() == widths,
        "{} has another size than the table",
        path.display()
    );
    Ok(table)
}

/// What is in memory.
fn memory(program: &Program, image: &[MemoryImage]) -> Result<Vec<Image>> {
    let mut images = dumps(image)?;
    images.extend(program_images(program));
    ensure!(
        !images.is_empty(),
        "there is no code: --elf names programs, --image memory dumps"
    );
    Ok(images)
}
