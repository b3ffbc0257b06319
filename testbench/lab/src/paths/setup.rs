// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many of what there are.

use clap::{Args, ValueEnum};
use coretrace_sites::Replacement;
use coretrace_sites::paths::MOST_PACKETS;

/// Caches of paths and what is around them.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Bytes of the trace in a cycle.
    pub bytes: u64,
    /// Lanes, each with a cache of its own; each takes a path in a cycle.
    pub lanes: usize,
    /// Segments go to the lanes in turns, and not to the one with the most room.
    pub in_turns: bool,
    /// A path that was walked goes into the caches of all lanes.
    pub fills_all: bool,
    /// Paths that all caches hold.
    pub entries: usize,
    /// Places of a set.
    pub ways: usize,
    /// Which path makes room.
    pub replacement: Replacement,
    /// Segments that are followed in turns.
    pub contexts: usize,
    /// Walkers of all lanes.
    pub walkers: usize,
    /// Packets of a path.
    pub packets: usize,
    /// Cycles from a path to the next one of its segment.
    pub latency: u64,
}

impl Setup {
    /// 16 bytes in a cycle.
    pub const LARGE: Setup = Setup {
        bytes: 16,
        lanes: 8,
        in_turns: false,
        fills_all: true,
        entries: 32 * 1024,
        ways: 4,
        replacement: Replacement::Random,
        contexts: 64,
        walkers: 4,
        packets: 8,
        latency: 4,
    };
    /// 4 bytes in a cycle.
    pub const SMALL: Setup = Setup {
        bytes: 4,
        lanes: 2,
        entries: 4 * 1024,
        walkers: 1,
        ..Setup::LARGE
    };
}

/// Which path makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReplacementArg {
    /// The one that was not found for the longest time
    LeastRecent,
    /// Any
    Random,
}

impl From<ReplacementArg> for Replacement {
    fn from(arg: ReplacementArg) -> Replacement {
        match arg {
            ReplacementArg::LeastRecent => Replacement::LeastRecent,
            ReplacementArg::Random => Replacement::Random,
        }
    }
}

/// Other numbers than those of the design.
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// The small setup: 4 bytes, 2 lanes, 4096 entries, 1 walker
    #[arg(long)]
    small: bool,

    /// Bytes of the trace in a cycle
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    bytes: Option<u64>,

    /// Lanes, each with a cache
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    lanes: Option<u64>,

    /// Segments go to the lanes in turns, and not to the one with the most room
    #[arg(long)]
    in_turns: bool,

    /// A path that was walked goes into the cache of its lane alone
    #[arg(long)]
    own: bool,

    /// Paths that all caches hold
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    entries: Option<u64>,

    /// Places of a set
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    ways: Option<u64>,

    /// Which path of a full set makes room
    #[arg(long, value_enum)]
    replacement: Option<ReplacementArg>,

    /// Segments that are followed in turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    contexts: Option<u64>,

    /// Walkers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    walkers: Option<u64>,

    /// Packets of a path
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_PACKETS as u64))]
    packets: Option<u64>,

    /// Cycles from a path to the next one of its segment
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    latency: Option<u64>,
}

impl SetupArgs {
    /// The setup.
    pub fn setup(&self) -> Setup {
        let setup = if self.small {
            Setup::SMALL
        } else {
            Setup::LARGE
        };
        let number = |given: Option<u64>, or: usize| given.map_or(or, |given| given as usize);
        Setup {
            bytes: self.bytes.unwrap_or(setup.bytes),
            lanes: number(self.lanes, setup.lanes),
            in_turns: self.in_turns,
            fills_all: !self.own,
            entries: number(self.entries, setup.entries),
            ways: number(self.ways, setup.ways),
            replacement: self
                .replacement
                .map_or(setup.replacement, Replacement::from),
            contexts: number(self.contexts, setup.contexts),
            walkers: number(self.walkers, setup.walkers),
            packets: number(self.packets, setup.packets),
            latency: self.latency.unwrap_or(setup.latency),
        }
    }
}
