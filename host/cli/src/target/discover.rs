// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target discover`: what a chip has by its ROM tables, by reads alone.

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use coretrace_coresight::map::{COMPONENT_BYTES, Mark};
use coretrace_target::topology::{Component, Topology};
use coretrace_target::wrappers::DryRun;
use coretrace_target::{DiscoverError, Found, What, discover};
use coretrace_target_buses::linux::Access;

use crate::error::Outcome;
use crate::hardware::Hardware;
use crate::output::Output;
use crate::target::bus::BusArgs;
use crate::target::chip::ChipArgs;
use crate::target::number::address;
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
    /// A JSON object for each
    Json,
    /// A topology without links, to be completed
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
    let page = table..table.saturating_add(COMPONENT_BYTES);
    let mut bus = DryRun(args.bus.open(&chip, Access::Read, &[page], hardware)?);
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
    let mut output = Output::new();
    output.text = match args.format {
        DiscoverFormat::Text => text(topology, &found),
        DiscoverFormat::Json => found.iter().map(|found| json(topology, found)).collect(),
        DiscoverFormat::Toml => toml(topology, table, &found),
    };
    output.finish();
    Ok(Outcome::Complete)
}

/// The name that the topology has for an address.
fn name(topology: &Topology, found: &Found) -> Option<String> {
    let mut components = topology.components.iter();
    let at = components.find(|component| component.base == found.base);
    at.map(|component| component.name.clone())
}

/// What something is, in a word or with its registers.
fn what(found: &Found) -> String {
    match found.what {
        What::Table => "table".to_owned(),
        What::Kind(kind) => kind.name().to_owned(),
        What::Other(devtype, devarch) => format!("DEVTYPE={devtype:02X} DEVARCH={devarch:08X}"),
        What::Class(class) => format!("class {class:X}"),
        What::Nothing => "nothing".to_owned(),
        What::Unread => "not of the topology".to_owned(),
    }
}

/// A line for each, and for each component of the topology that is not there or is another one.
fn text(topology: &Topology, all: &[Found]) -> String {
    let mut text = String::new();
    for found in all {
        let indent = "  ".repeat(found.depth);
        let of = name(topology, found).unwrap_or_else(|| "-".to_owned());
        text += &format!(
            "{indent}{:010X} {:04X} {:<12} {of}",
            found.base,
            found.part,
            what(found)
        );
        if found.is_locked {
            text += " locked";
        }
        if found.claims != 0 {
            text += &format!(" claims={:X}", found.claims);
        }
        text.push('\n');
    }
    for component in &topology.components {
        let at = all.iter().find(|found| found.base == component.base);
        let is_same = at.is_some_and(|found| found.what == What::Kind(component.kind));
        if !is_same {
            let kind = component.kind.name();
            let at = at.map_or_else(|| "no entry, or its clock is off".to_owned(), what);
            text += &format!(
                "{:010X} {} is to be a {kind}: {at}\n",
                component.base, component.name
            );
        }
    }
    text
}

fn json(topology: &Topology, found: &Found) -> String {
    let object = serde_json::json!({
        "schema": "etm4.target-found.1",
        "base": found.base,
        "depth": found.depth,
        "part": found.part,
        "what": what(found),
        "name": name(topology, found),
        "locked": found.is_locked,
        "claims": found.claims,
    });
    format!("{object}\n")
}

/// The components that trace needs, without links and clocks, which no table has.
fn toml(topology: &Topology, table: u64, all: &[Found]) -> String {
    let component = |(number, found): (usize, &Found)| match found.what {
        What::Kind(kind) => Some(Component {
            name: name(topology, found).unwrap_or_else(|| format!("{}_{number}", kind.name())),
            kind,
            base: found.base,
            clocks: Vec::new(),
            cpu: None,
            mark: Mark::M,
        }),
        _ => None,
    };
    let found = Topology {
        name: format!("{} as found", topology.name),
        status: "not run; links, clocks and cores are missing".to_owned(),
        rom: Some(table),
        components: all.iter().enumerate().filter_map(component).collect(),
        links: Vec::new(),
        clocks: Vec::new(),
        receivers: Vec::new(),
    };
    found.toml()
}
