// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow table of a core: what it is made of.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use coretrace_abi::flow_table::{SpaceRules, Widths};
use coretrace_capture::MemoryImage;
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_program::Program;
use coretrace_sites::{AddressSpaces, Compiler, Module};

use crate::images::{dumps, program_images};
use crate::programs::programs;

/// Heading of the options that describe a flow table.
const TABLE: &str = "Flow table";

/// What a flow table is made of, besides code.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Instruction sets as which all code is read
    #[arg(long, value_enum, value_delimiter = ',', default_value = "a64", help_heading = TABLE)]
    isa: Vec<IsaName>,

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
        let program = programs(elf, &[])?;
        let images = Images::new(memory(&program, image)?);
        let isas: Vec<Isa> = self.isa.iter().copied().map(Isa::from).collect();
        let (spaces, rules) = AddressSpaces::with_rules(images)?;
        let modules = spaces.modules(&isas);
        let mut compiler = Compiler::new(widths, self.reported());
        compiler
            .add_all(&modules)
            .context("the code does not fit: --site-bits and --frame-bits make the table larger")?;
        Ok(CompiledTable {
            compiler,
            modules,
            rules,
            program,
        })
    }
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
