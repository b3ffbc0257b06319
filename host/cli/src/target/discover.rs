// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target discover`: what a chip has by its ROM tables, by reads alone, and what of a topology it is.

mod listing;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use coretrace_coresight::map::COMPONENT_BYTES;
use coretrace_target::wrappers::DryRun;
use coretrace_target::{DiscoverError, Place, Topology, What, as_found, discover, join};
use coretrace_target_buses::linux::{Access, driver_of};

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::output::Output;
use crate::target::bus::{BusArgs, Name};
use crate::target::chip::ChipArgs;
use crate::target::discover::listing::Listing;
use crate::target::number::{address, memory};
use crate::target::report;

/// Read which components a chip has by its ROM tables, and write nothing
#[derive(Debug, Args)]
pub struct DiscoverArgs {
    #[command(flatten)]
    chip: ChipArgs,

    #[command(flatten)]
    bus: BusArgs,

    /// Address of the first ROM table; that of the topology if absent
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    rom: Option<u64>,

    /// More addresses that may be read: without them only those of the topology and of the table are
    #[arg(long, value_name = "ADDRESS:BYTES", value_parser = memory)]
    within: Option<(u64, u32)>,

    /// How components are written
    #[arg(long, value_enum, default_value_t)]
    format: DiscoverFormat,
}

/// How components are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiscoverFormat {
    /// A line for each component
    #[default]
    Text,
    /// A JSON object for each, and for each component of the topology
    Json,
    /// A topology of what was found, with the links, clocks and cores of the one that it is compared with
    Toml,
}

/// Runs the command.
///
/// # Errors
/// If the chip or the bus cannot be used, or no table is known.
pub fn run(args: &DiscoverArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    let chip = args.chip.open()?;
    let topology = &chip.topology;
    let table = args.rom.or(topology.rom);
    let table = table.context("the topology has no ROM table: give --rom")?;
    let range = |start: u64, bytes: u64| start..start.saturating_add(bytes);
    let within = args.within.map(|(start, bytes)| range(start, bytes.into()));
    let page = range(table, COMPONENT_BYTES);
    let ranges: Vec<_> = within.into_iter().chain([page]).collect();
    let mut bus = DryRun(args.bus.open(&chip, Access::Read, &ranges, hardware)?);
    let found = match discover(topology, table, &mut bus) {
        Ok(found) => found,
        Err(DiscoverError::Clock(clock)) => {
            let clock = &topology.clocks[clock];
            return Ok(report::refused(
                &format!("{} is off", clock.register),
                &clock.advice,
            ));
        }
        Err(DiscoverError::Bus(address, error)) => {
            return Ok(report::refused(
                &format!("{address:#X}: {error}"),
                "check that the address is that of this chip, and that debug is allowed",
            ));
        }
    };
    let places = join(topology, &found);
    let listing = Listing {
        topology,
        found: &found,
        places: &places,
        driver: &|base| match &args.bus.bus {
            Name::Linux(root) => driver_of(root, base),
            Name::Sim(_) | Name::OpenOcd(..) => None,
        },
    };
    let mut output = Output::new();
    output.text = match args.format {
        DiscoverFormat::Text => listing.text(),
        DiscoverFormat::Json => listing.json(),
        DiscoverFormat::Toml => as_found(topology, table, &found, &places).toml(),
    };
    output.finish();
    let is_table = found.first().is_some_and(|first| first.what == What::Table);
    if !is_table {
        say(&format!("error: no ROM table is at {table:#X}"));
        say("  check --topology and --rom");
    }
    Ok(Outcome::of(are_good(topology, &places) && is_table))
}

/// Whether all components are as a topology has them. Says how many are not.
fn are_good(topology: &Topology, places: &[Place]) -> bool {
    let is_good = |place: &&Place| matches!(place, Place::Same | Place::Off(_));
    let (all, bad) = (
        places.len(),
        places.len() - places.iter().filter(is_good).count(),
    );
    if bad > 0 {
        let name = &topology.name;
        say(&format!(
            "error: {bad} of {all} components are not as {name} has them"
        ));
        say("  check --topology; `--format toml` writes what was found as a topology");
    }
    bad == 0
}
