// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is traced, where to, and how.

use std::ops::Range;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use coretrace_target::ring::Ring;
use coretrace_target::topology::{Index, PathError, Topology};
use coretrace_target::{Options, Plan, PlanError, Wanted};

use crate::error::say;
use crate::target::chip::{Chip, ChipArgs};
use crate::target::clocks::ClockArgs;
use crate::target::number::memory;

/// Heading of the options of the trace units.
const TRACE: &str = "What the trace units send";

/// The arguments of a plan.
#[derive(Debug, Args)]
pub struct WishArgs {
    #[command(flatten)]
    chip: ChipArgs,

    /// The cores to trace, by number or by the names of their trace units
    #[arg(
        long,
        value_name = "CORES",
        value_delimiter = ',',
        required_unless_present = "source"
    )]
    cpu: Vec<String>,

    /// More sources of trace by name: `stm` is the system trace macrocell of a Zynq UltraScale+, for what programs write
    /// to its stimulus ports
    #[arg(long, value_name = "SOURCES", value_delimiter = ',')]
    source: Vec<String>,

    /// Where the trace ends: trace ports and buffers, or a core behind a port
    #[arg(
        long,
        value_name = "SINKS",
        value_delimiter = ',',
        default_value = "tpiu"
    )]
    sink: Vec<String>,

    /// What the trace must pass, where several ways are equally short
    #[arg(long, value_name = "COMPONENTS", value_delimiter = ',')]
    via: Vec<String>,

    /// Memory for an ETR: address and bytes
    #[arg(long, value_name = "ADDRESS:BYTES", value_parser = memory)]
    memory: Option<(u64, u32)>,

    /// Memory for the records of a core: address and bytes
    #[arg(long, value_name = "ADDRESS:BYTES", value_parser = memory)]
    ring: Option<(u64, u32)>,

    #[command(flatten)]
    clocks: ClockArgs,

    /// An address for every branch that is taken
    #[arg(long, help_heading = TRACE)]
    bb: bool,

    /// Cycle counts, each sent when this many cycles have passed
    #[arg(long, value_name = "CYCLES", help_heading = TRACE)]
    cc: Option<u32>,

    /// Timestamps
    #[arg(long, help_heading = TRACE)]
    ts: bool,

    /// Context IDs
    #[arg(long, help_heading = TRACE)]
    ctxt: bool,

    /// No addresses for returns that a return stack predicts
    #[arg(long, help_heading = TRACE)]
    rs: bool,

    /// EL0 only
    #[arg(long, help_heading = TRACE)]
    el0: bool,
}

/// What was planned.
pub struct Wish {
    /// The chip.
    pub chip: Chip,
    /// The plan.
    pub plan: Plan,
    /// The core that receives the trace, if one does, and the buffers for its records.
    pub receiver: Option<(Index, Ring)>,
    /// The memory that trace or records are stored in.
    pub memory: Vec<Range<u64>>,
}

impl WishArgs {
    /// The plan for a chip. Says what of the chip was ever run.
    ///
    /// # Errors
    /// If a name is not known, or there is no plan.
    pub fn plan(&self) -> Result<Wish> {
        let chip = self.chip.open()?;
        let topology = &chip.topology;
        say(&format!("note: {}: {}", topology.name, topology.status));
        let find = |name: &String| {
            let found = topology.find(name);
            found.with_context(|| format!("{} has no component {name}", topology.name))
        };
        let receiver = self.sink.iter().find_map(|name| topology.receiver(name));
        let sink = |name: &String| match topology.receiver(name) {
            Some(receiver) => Ok(topology.receivers[receiver].port),
            None => find(name),
        };
        let receiver = match receiver {
            Some(receiver) => Some((receiver, self.ring()?)),
            None => None,
        };
        let cores = self.cpu.iter().map(|cpu| core(topology, cpu));
        let wanted = Wanted {
            sources: cores
                .chain(self.source.iter().map(find))
                .collect::<Result<_>>()?,
            sinks: self.sink.iter().map(sink).collect::<Result<_>>()?,
            via: self.via.iter().map(find).collect::<Result<_>>()?,
        };
        let options = Options {
            receiver,
            ..self.options()
        };
        let plan = Plan::start(topology, &wanted, &options).map_err(|error| match error {
            PlanError::Path(PathError::Several(..)) => anyhow!("{error}: choose one with --via"),
            _ => error.into(),
        })?;
        Ok(Wish {
            chip,
            plan,
            receiver,
            memory: options.memory(),
        })
    }

    fn ring(&self) -> Result<Ring> {
        let (address, bytes) = self
            .ring
            .context("a core needs memory for its records: give --ring ADDRESS:BYTES")?;
        Ring::new(address, bytes.into())
            .context("--ring begins at a multiple of 64 and has 66,560 bytes or more")
    }

    fn options(&self) -> Options {
        Options {
            branch_broadcast: self.bb,
            cycle_threshold: self.cc,
            timestamps: self.ts,
            context_ids: self.ctxt,
            return_stack: self.rs,
            user_only: self.el0,
            memory: self.memory,
            ..self.clocks.options()
        }
    }
}

/// The trace unit of a core, by number or by its own name.
fn core(topology: &Topology, name: &str) -> Result<Index> {
    let found = match name.parse() {
        Ok(number) => topology.trace_unit(number),
        Err(_) => topology.find(name),
    };
    found.with_context(|| format!("{} has no trace unit of core {name}", topology.name))
}
