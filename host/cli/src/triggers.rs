// SPDX-License-Identifier: MIT OR Apache-2.0
//! Triggers: where a core starts and stops counting, and what freezes its ring of hops.

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_abi::flow_table::Trigger;
use coretrace_program::Symbols;
use coretrace_sites::FlowTable;
use coretrace_sites::compile::NumberedSite;
use coretrace_sites::section::Exit;

use crate::places::places;
use crate::table_args::CompiledTable;

/// Heading of the options of triggers.
pub const TRIGGERS: &str = "Triggers";

/// Where what happens.
#[derive(Debug, Args)]
pub struct TriggerArgs {
    /// Where counting starts, where it stops, and what is an event. PLACE is a function, an address, `taken:` and the
    /// address of a branch, or `return:` and a function. May be given several times
    #[arg(long = "trigger", value_name = "start|stop|event=PLACE", value_parser = parse, help_heading = TRIGGERS)]
    triggers: Vec<TriggerAt>,
}

/// What happens somewhere.
#[derive(Clone, Debug)]
struct TriggerAt {
    trigger: Trigger,
    when: When,
    place: String,
}

/// When it happens at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Something led into the block of an address.
    At,
    /// The branch at an address was taken.
    Taken,
    /// A function returned.
    Return,
}

fn parse(text: &str) -> Result<TriggerAt, String> {
    let (name, place) = text.split_once('=').unwrap_or((text, ""));
    let trigger = match name {
        "start" => Trigger::Start,
        "stop" => Trigger::Stop,
        "event" => Trigger::Event,
        _ => return Err("a trigger is start=PLACE, stop=PLACE or event=PLACE".to_owned()),
    };
    let (when, place) = match place.split_once(':') {
        Some(("taken", place)) => (When::Taken, place),
        Some(("return", place)) => (When::Return, place),
        _ => (When::At, place),
    };
    if place.is_empty() {
        return Err(format!("{text} names no place: a function or an address"));
    }
    let place = place.to_owned();
    Ok(TriggerAt {
        trigger,
        when,
        place,
    })
}

impl TriggerArgs {
    /// Whether something starts or stops counting.
    pub fn is_windowed(&self) -> bool {
        self.triggers.iter().any(|at| at.trigger != Trigger::Event)
    }

    /// The table with its triggers.
    ///
    /// # Errors
    /// If a place is in no code, or two triggers are at one.
    pub fn table(&self, compiled: &CompiledTable) -> Result<FlowTable> {
        let mut table = compiled.compiler.table().clone();
        if self.triggers.is_empty() {
            return Ok(table);
        }
        let symbols = compiled.program.symbols()?;
        for at in &self.triggers {
            let sites = at.sites(compiled.compiler.sites(), &symbols)?;
            ensure!(
                !sites.is_empty(),
                "no branch of the code is at the trigger {}",
                at.place
            );
            for site in sites {
                let (number, new) = (site.number, Some(at.trigger));
                let old = match at.when {
                    When::At => table.trigger_at(number),
                    When::Taken | When::Return => table.trigger_behind(number),
                };
                ensure!(
                    old.is_none() || old == new,
                    "there are two triggers at the branch {:#x}",
                    site.site.address
                );
                match at.when {
                    When::At => table.set_trigger_at(number, new),
                    When::Taken | When::Return => table.set_trigger_behind(number, new),
                }
            }
        }
        Ok(table)
    }
}

impl TriggerAt {
    /// The sites at which it is.
    fn sites<'a>(
        &self,
        all: &'a [NumberedSite],
        symbols: &Symbols<'_>,
    ) -> Result<Vec<&'a NumberedSite>> {
        let places = places(&self.place, symbols)?;
        let starts: Vec<u64> = places.iter().map(|place| place.start).collect();
        let is_here = |it: &&NumberedSite| {
            let site = &it.site;
            let of_function = || {
                symbols
                    .function(site.address)
                    .map(|function| function.start)
            };
            match self.when {
                When::At => {
                    let block = site.start..=site.address;
                    starts.iter().any(|start| block.contains(start))
                }
                When::Taken => starts.contains(&site.address),
                When::Return => {
                    let leaves = site.exit == Exit::Indirect && !site.instruction.is_link;
                    leaves && of_function().is_some_and(|start| starts.contains(&start))
                }
            }
        };
        Ok(all.iter().filter(is_here).collect())
    }
}
