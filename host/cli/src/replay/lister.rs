// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was executed, as lines.

use std::collections::BTreeMap;

use clap::ValueEnum;
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::item::Item;
use coretrace_replay::{Block, Code};
use serde::Serialize;

use crate::output::Output;

/// Output format of what was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// Tab-separated: trace ID, addresses of the first instruction and behind the last one
    #[default]
    Ranges,
    /// Tab-separated: trace ID, address, kind, outcome, next address, instructions
    Branches,
    /// One JSON object a line for each branch
    Json,
    /// How many instructions, branches and blocks of each trace ID
    Count,
}

/// Instructions that follow each other.
#[derive(Clone, Copy)]
struct Stretch {
    /// The address of the first one.
    start: u64,
    /// The address behind the last one.
    end: u64,
}

/// What is known of a source.
#[derive(Default)]
struct Source {
    /// What the next branch may prolong.
    stretch: Option<Stretch>,
    instructions: u64,
    branches: u64,
    blocks: u64,
    /// Of the last block.
    lost: u32,
}

/// A line of JSON.
#[derive(Serialize)]
struct Line {
    id: u8,
    #[serde(flatten)]
    event: Executed,
}

/// What a line of JSON says.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Executed {
    Branch {
        address: u64,
        kind: String,
        taken: bool,
        next: u64,
        instructions: u32,
    },
    Discontinuity {
        instructions: u32,
        next: u64,
    },
}

/// Lists what blocks say.
pub struct Lister {
    format: ReplayFormat,
    sources: BTreeMap<u8, Source>,
    output: Output,
    /// Blocks that are not of the programs.
    unread: u64,
}

impl Lister {
    /// In this format.
    pub fn new(format: ReplayFormat) -> Lister {
        Lister {
            format,
            sources: BTreeMap::new(),
            output: Output::new(),
            unread: 0,
        }
    }

    /// Takes the next block.
    pub fn block(&mut self, block: &Block<'_>, code: &impl Code) {
        let header = &block.header;
        let source = self.sources.entry(header.trace_id).or_default();
        let mut listing = Listing {
            format: self.format,
            id: header.trace_id,
            source,
            address: header.address,
            output: &mut self.output,
        };
        listing.source.blocks += 1;
        listing.source.lost = header.lost;
        let Ok(items) = block.items(code) else {
            self.unread += 1;
            return;
        };
        for item in items {
            match item {
                Ok(Item::Event(event)) => listing.event(&event),
                Ok(Item::Rest { instructions }) => listing.rest(instructions),
                Ok(Item::Note { .. }) => {}
                Err(_) => self.unread += 1,
            }
        }
    }

    /// Writes the rest; returns how many blocks there were, and how many of them are not of the programs.
    pub fn finish(mut self) -> (u64, u64) {
        for (id, source) in &self.sources {
            let line = match self.format {
                ReplayFormat::Ranges => source.stretch.map(|stretch| stretch.line(*id)),
                ReplayFormat::Count => Some(source.line(*id)),
                ReplayFormat::Branches | ReplayFormat::Json => None,
            };
            self.output.text_of(&line.unwrap_or_default());
        }
        self.output.finish();
        let blocks = self.sources.values().map(|source| source.blocks);
        (blocks.sum(), self.unread)
    }
}

impl Stretch {
    fn line(self, id: u8) -> String {
        format!("{id:02x}\t{:#x}\t{:#x}\n", self.start, self.end)
    }
}

impl Source {
    fn line(&self, id: u8) -> String {
        let Source {
            instructions,
            branches,
            blocks,
            lost,
            ..
        } = self;
        format!(
            "{id:02x}\tinstructions {instructions}\tbranches {branches}\tblocks {blocks}\tlost events {lost}\n"
        )
    }
}

/// A block that is being listed.
struct Listing<'l> {
    format: ReplayFormat,
    id: u8,
    source: &'l mut Source,
    /// Of the next instruction.
    address: u64,
    output: &'l mut Output,
}

impl Listing<'_> {
    fn event(&mut self, event: &Event) {
        let instructions = event.instructions();
        self.source.instructions += u64::from(instructions);
        if let Event::Branch(_) = event {
            self.source.branches += 1;
        }
        match self.format {
            ReplayFormat::Ranges => {
                self.range(match event {
                    Event::Branch(branch) => branch.address.wrapping_add(4),
                    Event::Discontinuity { .. } => {
                        self.address.wrapping_add(4 * u64::from(instructions))
                    }
                });
            }
            ReplayFormat::Branches => self.output.text_of(&branch_line(self.id, event)),
            ReplayFormat::Json => self.output.text_of(&json_line(self.id, event)),
            ReplayFormat::Count => {}
        }
        self.address = event.next();
    }

    /// So many instructions were executed behind the last event.
    fn rest(&mut self, instructions: u64) {
        self.source.instructions += instructions;
        if self.format == ReplayFormat::Ranges {
            self.range(self.address.wrapping_add(4 * instructions));
        }
    }

    /// Instructions up to an address were executed.
    fn range(&mut self, end: u64) {
        let start = self.address;
        match &mut self.source.stretch {
            Some(stretch) if stretch.end == start => stretch.end = end,
            _ if start == end => {}
            stretch => {
                if let Some(stretch) = stretch.replace(Stretch { start, end }) {
                    self.output.text_of(&stretch.line(self.id));
                }
            }
        }
    }
}

fn branch_line(id: u8, event: &Event) -> String {
    match event {
        Event::Branch(branch) => {
            let Branch {
                address,
                next,
                instructions,
                ..
            } = branch;
            let outcome = if branch.taken { "taken" } else { "not taken" };
            let kind = kind(branch.kind);
            format!("{id:02x}\t{address:#x}\t{kind}\t{outcome}\t{next:#x}\t{instructions}\n")
        }
        Event::Discontinuity { instructions, next } => {
            format!("{id:02x}\t\tdiscontinuity\t\t{next:#x}\t{instructions}\n")
        }
    }
}

fn json_line(id: u8, event: &Event) -> String {
    let event = match *event {
        Event::Branch(branch) => Executed::Branch {
            address: branch.address,
            kind: kind(branch.kind),
            taken: branch.taken,
            next: branch.next,
            instructions: branch.instructions,
        },
        Event::Discontinuity { instructions, next } => {
            Executed::Discontinuity { instructions, next }
        }
    };
    serde_json::to_string(&Line { id, event }).unwrap_or_default() + "\n"
}

fn kind(kind: BranchKind) -> String {
    let is = |other| kind.is(other);
    let base = match kind {
        _ if is(BranchKind::EXCEPTION) => "exception",
        _ if is(BranchKind::RETURN) => "return",
        _ if is(BranchKind::LINK) && is(BranchKind::INDIRECT) => "indirect call",
        _ if is(BranchKind::LINK) => "call",
        _ if is(BranchKind::INDIRECT) => "indirect",
        _ => "direct",
    };
    if is(BranchKind::CONDITIONAL) {
        format!("conditional {base}")
    } else {
        base.to_owned()
    }
}
