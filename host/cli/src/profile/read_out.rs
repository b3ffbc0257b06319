// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counts of a core that followed the program: read-outs in a flow stream.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_abi::flow_stream::Hop;
use coretrace_abi::flow_table::NOWHERE;
use coretrace_counts::{Counts, Who};
use coretrace_program::Symbols;
use coretrace_sites::{Balance, Compiler, Executed, FlowReader, ReadOuts};

use super::counting::Counted;
use super::read_out_sums::{ReadOutSums, RingHop};
use crate::error::say;
use crate::follow::FollowArgs;
use crate::stream_file::{open, read_stream};
use crate::table_args::{CompiledTable, TableArgs, read_table};
use crate::traced::Traced;

/// The ending of the names of flow streams.
const EXTENSION: &str = "flow";

/// Heading of the options of read-outs.
const READ_OUT: &str = "Flow streams";

/// The most contradictions that are listed.
const MOST_LISTED: usize = 20;

/// How flow streams are read.
#[derive(Debug, Args)]
pub struct ReadOutArgs {
    /// Every FILE is a flow stream, whatever its name is
    #[arg(long, help_heading = READ_OUT)]
    flow: bool,

    /// The flow table that the core had: other programs than its own are refused, and its sizes are
    /// taken
    #[arg(long, value_name = "FILE", help_heading = READ_OUT)]
    flow_table: Option<PathBuf>,

    #[command(flatten)]
    table: TableArgs,
}

impl ReadOutArgs {
    /// Whether a file is a flow stream.
    pub fn is_one(&self, path: &Path) -> bool {
        self.flow || path.extension().is_some_and(|ending| ending == EXTENSION)
    }

    /// The code of the table, which is that of the core, if it is there.
    fn compile(&self, follow: &FollowArgs) -> Result<CompiledTable> {
        let loaded = self.flow_table.as_deref().map(read_table).transpose()?;
        let widths = match &loaded {
            None => self.table.widths()?,
            Some(table) => table.widths(),
        };
        let compiled = self.table.compile(widths, &follow.elf, &follow.image)?;
        ensure!(
            loaded.is_none_or(|table| table.without_triggers() == *compiled.compiler.table()),
            "the flow table is not that of these programs: give those of `etm4 flow-table`, with its options"
        );
        Ok(compiled)
    }

    /// Reads a flow stream; its counts, and whether nothing contradicts them.
    ///
    /// # Errors
    /// If a file cannot be used, or the counts are of another program.
    pub fn count(&self, path: &Path, follow: &FollowArgs) -> Result<(Counted, bool)> {
        let name = path.display().to_string();
        let CompiledTable {
            compiler,
            modules,
            program,
            ..
        } = self.compile(follow)?;
        let mut reader = FlowReader::new(compiler.table().widths());
        read_stream(path, open(path)?, |bytes| {
            reader.bytes(bytes);
            Ok(())
        })?;
        let read = reader.finish();
        let symbols = program.symbols()?;
        let hops = ring(&read.hops, &compiler, &symbols);
        let mut is_sound = !read.damage.is_any() && read.overflows == 0;
        if read.damage.is_any() {
            say(&format!("warning: {name}: {}", read.damage));
        }
        if read.overflows > 0 {
            say(&format!(
                "warning: {name}: {} sums have passed 2^32 in a read-out and may be larger: read out more often",
                read.overflows
            ));
        }
        if read.whole == 0 {
            say(&format!("warning: {name}: no whole read-out is in it"));
        }
        check_sites(&read, compiler.numbers()).with_context(|| format!("{name} cannot be used"))?;
        let balance = Balance::new(compiler.table(), &read.counts);
        is_sound &= balance.imbalances.is_empty();
        let sum = |sums: &[u64]| sums.iter().fold(0_u64, |all, sum| all.saturating_add(*sum));
        let (taken, not_taken) = (sum(&read.counts.taken), sum(&balance.not_taken));
        let branches = taken.saturating_add(not_taken) as u32;
        if let Some(atoms) = read.followed()
            && is_sound
            && !self.table.has_passes()
            && atoms != branches
        {
            is_sound = false;
            say(&format!(
                "warning: {name}: {branches} branches are counted, and {atoms} atoms were followed: counts are \
                 missing"
            ));
        }
        say_imbalances(&name, &balance, &compiler, &symbols);
        let function = |first, last| {
            let start = symbols.function(last)?.start;
            (first <= start).then_some(start)
        };
        let (found, sums) = (&read.found, &read.counts);
        let executed = Executed::new(
            &compiler,
            &modules,
            sums,
            &balance,
            found,
            read.windowed,
            function,
        );
        let mut counts = Counts::default();
        let who = Who::default();
        for (range, visits) in &executed.ranges {
            counts.add_range(who, range, *visits);
        }
        for (range, cycles) in &executed.cycles {
            counts.add_cycles(who, range, *cycles);
        }
        for (range, to, count) in executed.branches.iter().chain(&executed.indirect) {
            counts.add_branch(who, range, *to, *count);
        }
        let arrivals = arrivals(&executed, &symbols);
        let calls = executed.calls_by_address(&arrivals);
        for (range, to, count) in &calls {
            counts.add_branch(who, range, *to, *count);
        }
        for (function, count) in arrivals.iter().filter(|_| calls.is_empty()) {
            counts.add_arrivals(who, *function, *count);
        }
        let elsewhere: Vec<u64> = executed.elsewhere.iter().map(|(_, count)| *count).collect();
        let known: Vec<u64> = calls.iter().map(|(.., count)| *count).collect();
        let began: Vec<u64> = executed.began.iter().map(|began| began.flows).collect();
        let instructions = counts.ranges().map(|(_, _, sums)| sums.instructions);
        let sums = ReadOutSums {
            instructions: instructions.fold(0_u64, u64::saturating_add),
            taken,
            not_taken,
            indirect: sum(&elsewhere) - sum(&known),
            began: sum(&began),
            assumed: executed.assumed,
            doubtful: executed.doubtful,
            ended: executed.ended,
            cycles: executed
                .cycles
                .iter()
                .fold(0, |all, (_, cycles)| all.saturating_add(*cycles)),
            hops,
            is_sound,
            read,
        };
        drop(symbols);
        let counted = Counted {
            name,
            counts: BTreeMap::from([(None, counts)]),
            is_decoded: sums.read.whole > 0,
            traced: Traced::of_program(program),
            read_out: Some(sums),
        };
        Ok((counted, is_sound))
    }
}

/// The functions at whose beginnings flows began that a branch led there, but for the branches whose
/// targets are counted.
fn arrivals(executed: &Executed, symbols: &Symbols<'_>) -> Vec<(u64, u64)> {
    let began = executed.began.iter().filter(|began| !began.may_be_found);
    let begins = |address| {
        let function = symbols.function(address);
        function.is_some_and(|function| function.start == address)
    };
    let mut counted: BTreeMap<u64, u64> = BTreeMap::new();
    for (_, to, count) in &executed.indirect {
        let sum = counted.entry(*to).or_default();
        *sum = sum.saturating_add(*count);
    }
    let arrived = began.filter(|began| begins(began.address));
    let others = arrived.map(|began| {
        let counted = counted.get(&began.address).copied().unwrap_or_default();
        (began.address, began.flows.saturating_sub(counted))
    });
    others.filter(|(_, flows)| *flows > 0).collect()
}

/// The hops of a ring, the oldest first.
fn ring(hops: &[Hop], compiler: &Compiler, symbols: &Symbols<'_>) -> Vec<RingHop> {
    let sites = compiler.sites();
    let site = |number: u32| {
        let place = sites.binary_search_by_key(&number, |it| it.number);
        place.ok().map(|place| &sites[place].site)
    };
    let in_ring = |hop: &Hop| RingHop {
        begins: hop.begins,
        is_taken: hop.is_taken,
        range: site(hop.site)
            .zip(site(hop.branch))
            .map(|(first, last)| (first.start, last.address)),
        place: place(hop.branch, compiler, symbols),
    };
    hops.iter().map(in_ring).collect()
}

/// The address of a site and its symbol.
fn place(site: u32, compiler: &Compiler, symbols: &Symbols<'_>) -> String {
    let sites = compiler.sites();
    match sites.binary_search_by_key(&site, |it| it.number) {
        Ok(place) => {
            let address = sites[place].site.address;
            format!("{address:#x} {}", symbols.place(address))
                .trim_end()
                .to_owned()
        }
        Err(_) => "the end of code".to_owned(),
    }
}

/// A sum of a site that the table does not have.
fn check_sites(read: &ReadOuts, numbers: Range<usize>) -> Result<()> {
    let counts = &read.counts;
    let sums = [&counts.taken, &counts.entered, &counts.left];
    let counted = sums
        .into_iter()
        .flat_map(|sums| (0..).zip(sums).filter(|(_, sum)| **sum > 0))
        .map(|(site, _)| site)
        .chain(counts.cycles.keys().map(|site| *site as usize));
    let is_other = |site: &usize| *site != NOWHERE as usize && !numbers.contains(site);
    if let Some(site) = counted.filter(is_other).max() {
        let Range { start, end } = numbers;
        bail!(
            "branch {site} is counted, and those of the programs are {start} up to {end}: name those that the table \
             of the core was made of, with its options"
        );
    }
    Ok(())
}

/// Says where counts contradict each other.
fn say_imbalances(name: &str, balance: &Balance, compiler: &Compiler, symbols: &Symbols<'_>) {
    let all = balance.imbalances.len();
    for found in balance.imbalances.iter().take(MOST_LISTED) {
        let place = place(found.site, compiler, symbols);
        say(&format!(
            "warning: {name}: the counts contradict each other at {}: by the others this branch was not taken {} \
             times",
            place, found.not_taken
        ));
    }
    if all > MOST_LISTED {
        say(&format!(
            "warning: {name}: the counts contradict each other at {all} branches in all: is it the program that \
             the core followed?"
        ));
    }
}
