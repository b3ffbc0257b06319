// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask sources`: one core that takes several trace IDs of a port, beside several cores.
//!
//! What sources of a port can share is estimated block by block, each synthesized alone. The figures of `etm4_core` are
//! those that `cargo xtask report` put into the document.

use std::fmt::Write;
use std::fs;
use std::ops::{Add, Sub};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use coretrace_hdl_coresight::{Demux, FrameDecoder, FrameGenerator};
use coretrace_hdl_parts::stream::AsyncFifo;
use coretrace_hdl_verilog::{Findings, verilog};
use coretrace_pipelines::CoreRegisters;
use coretrace_pipelines::etm4_core::PLACES_W;
use coretrace_test_estimate::design::Design;
use coretrace_test_estimate::estimate::{PLAIN, estimate};
use coretrace_test_estimate::netlist::area::Area;
use coretrace_test_estimate::report::document_block;
use coretrace_test_estimate::tools::{PACKAGES, Tools};

/// The document with the figures of the core, and with the tables of this command.
const RESULTS: &str = "docs/results.md";
/// The core that one source takes.
const CORE: &str = "etm4_core";
/// Numbers of sources in the table; a demultiplexer is estimated for each.
const SOURCES: [usize; 3] = [1, 2, 4];

#[derive(Args)]
pub struct Options {
    /// Where Verilog and netlists go; target/sources unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// What a design takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    /// LUT, SRL, LUT as memory and INV.
    luts: usize,
    /// Flip-flops.
    ff: usize,
    /// Block RAMs of 18 Kbit.
    bram18: usize,
}

impl Figures {
    fn of(area: &Area) -> Figures {
        Figures {
            luts: area.lut_sites + area.inverters,
            ff: area.ff,
            bram18: area.bram18,
        }
    }

    fn times(self, number: usize) -> Figures {
        Figures {
            luts: self.luts * number,
            ff: self.ff * number,
            bram18: self.bram18 * number,
        }
    }
}

impl Add for Figures {
    type Output = Figures;

    fn add(self, other: Figures) -> Figures {
        Figures {
            luts: self.luts + other.luts,
            ff: self.ff + other.ff,
            bram18: self.bram18 + other.bram18,
        }
    }
}

impl Sub for Figures {
    type Output = Figures;

    fn sub(self, other: Figures) -> Figures {
        Figures {
            luts: self.luts - other.luts,
            ff: self.ff - other.ff,
            bram18: self.bram18 - other.bram18,
        }
    }
}

/// What sources of a port can share.
struct Shared {
    /// The blocks that do not depend on the number of sources, by name.
    blocks: Vec<(&'static str, Figures)>,
    /// The demultiplexer of each number of [`SOURCES`].
    demuxes: [Figures; SOURCES.len()],
}

impl Shared {
    /// All of it for a number of sources, by its index.
    fn of(&self, index: usize) -> Figures {
        let blocks = self.blocks.iter().map(|(_, figures)| *figures);
        blocks.fold(self.demuxes[index], Figures::add)
    }
}

/// Estimates the blocks, prints the tables and puts them into the document at `root`.
///
/// # Errors
/// If a tool fails, the document has no figures of the core, or a file cannot be read or written.
pub fn run(root: &Path, target: &Path, options: Options) -> Result<()> {
    let path = root.join(RESULTS);
    let document = fs::read_to_string(&path).context(RESULTS)?;
    let core = figures_in(&document)?;
    let out = options.out.unwrap_or_else(|| target.join("sources"));
    let out = std::path::absolute(out)?;
    let tools = Tools::install(&target.join("report-tools"), &PACKAGES)?;
    let text = tables(core, &shared(&tools, &out)?)?;
    print!("{text}");
    let document = document_block::replace(&document, "sources", &text);
    fs::write(&path, document).context(RESULTS)
}

/// The figures of the core in the table of all designs.
fn figures_in(document: &str) -> Result<Figures> {
    let start = format!("| `{CORE}` | ");
    let mut rows = document
        .lines()
        .filter_map(|line| line.strip_prefix(&start));
    let figures = rows.find_map(|row| {
        let cells = row.split(" | ").map_while(|cell| cell.parse().ok());
        let numbers: Vec<usize> = cells.collect();
        match numbers[..] {
            [lut, srl, lut_ram, inverters, ff, bram18, ..] => Some(Figures {
                luts: lut + srl + lut_ram + inverters,
                ff,
                bram18,
            }),
            _ => None,
        }
    });
    figures.with_context(|| {
        format!("{RESULTS} has no figures of {CORE}: run `cargo xtask report --no-route`")
    })
}

fn shared(tools: &Tools, out: &Path) -> Result<Shared> {
    let figures = |name: &str, text: Result<String, Findings>| -> Result<Figures> {
        let text = text.map_err(|findings| anyhow!("{name}: {findings}"))?;
        let directory = out.join(name);
        fs::create_dir_all(&directory)?;
        let sources = format!("{name}.v");
        fs::write(directory.join(&sources), text)?;
        let design = Design {
            directory: &directory,
            sources: &sources,
            top: name,
        };
        Ok(Figures::of(&estimate(tools, &design, PLAIN)?.area))
    };
    let fifo = AsyncFifo::<32, PLACES_W, 32>::default();
    let blocks = [
        ("async_fifo", verilog(fifo, "async_fifo")),
        (
            "frame_generator",
            verilog(FrameGenerator::default(), "frame_generator"),
        ),
        (
            "frame_decoder",
            verilog(FrameDecoder::default(), "frame_decoder"),
        ),
        (
            "core_registers",
            verilog(CoreRegisters::default(), "core_registers"),
        ),
    ];
    let blocks = blocks.map(|(name, text)| Ok((name, figures(name, text)?)));
    Ok(Shared {
        blocks: blocks.into_iter().collect::<Result<_>>()?,
        demuxes: [
            figures("demux_1", verilog(Demux::<1>::default(), "demux_1"))?,
            figures("demux_2", verilog(Demux::<2>::default(), "demux_2"))?,
            figures("demux_4", verilog(Demux::<4>::default(), "demux_4"))?,
        ],
    })
}

/// What is shared, and what cores take with and without it.
fn tables(core: Figures, shared: &Shared) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "| shared block, alone | LUT + SRL + memory + INV | FF | BRAM18 |\n|---|---:|---:|---:|"
    )?;
    let demuxes = SOURCES.iter().zip(&shared.demuxes);
    let demuxes = demuxes.map(|(sources, figures)| (format!("demux` of {sources}"), *figures));
    let blocks = shared.blocks.iter();
    let blocks = blocks.map(|(name, figures)| (format!("{name}`"), *figures));
    for (name, Figures { luts, ff, bram18 }) in blocks.chain(demuxes) {
        writeln!(text, "| `{name} | {luts} | {ff} | {bram18} |")?;
    }
    writeln!(
        text,
        "\n| sources | `{CORE}` for each: LUT + SRL + memory + INV | one core for all, at least | saves at most \
         | FF | at least | at most | BRAM18 | at least | at most |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    let own = core - shared.of(0);
    for (index, sources) in SOURCES.into_iter().enumerate() {
        let cores = core.times(sources);
        let one = shared.of(index) + own.times(sources);
        let columns = [
            (cores.luts, one.luts),
            (cores.ff, one.ff),
            (cores.bram18, one.bram18),
        ];
        write!(text, "| {sources} |")?;
        for (cores, one) in columns {
            let saved = 100.0 * (1.0 - one as f64 / cores as f64);
            write!(text, " {cores} | {one} | {saved:.1} % |")?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn figures(luts: usize, ff: usize, bram18: usize) -> Figures {
        Figures { luts, ff, bram18 }
    }

    #[test]
    fn the_document_has_the_figures_of_the_core() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let document = fs::read_to_string(root.join(RESULTS)).expect("the results");
        let core = figures_in(&document).expect("the core");
        assert!(core.luts > 1000 && core.ff > 1000 && core.bram18 > 0);
        assert!(figures_in("| `etm4_core` | fast |").is_err());
    }

    #[test]
    fn one_core_has_what_is_shared_once_and_the_rest_for_each_source() {
        let shared = Shared {
            blocks: vec![("a", figures(100, 200, 30)), ("b", figures(50, 10, 0))],
            demuxes: [figures(50, 90, 0), figures(60, 90, 0), figures(90, 150, 0)],
        };
        let text = tables(figures(1000, 2000, 60), &shared).expect("the tables");
        let rows: Vec<&str> = text.lines().rev().take(SOURCES.len()).collect();
        assert_eq!(
            rows,
            [
                "| 4 | 4000 | 3440 | 14.0 % | 8000 | 7160 | 10.5 % | 240 | 150 | 37.5 % |",
                "| 2 | 2000 | 1810 | 9.5 % | 4000 | 3700 | 7.5 % | 120 | 90 | 25.0 % |",
                "| 1 | 1000 | 1000 | 0.0 % | 2000 | 2000 | 0.0 % | 60 | 60 | 0.0 % |",
            ]
        );
    }
}
