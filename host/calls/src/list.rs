// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events as lines: columns for people, JSON for programs.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::around::instructions_up_to;
use crate::event::{At, Begin, Callee, Cut, Event, Thread, What};
use crate::names::Names;
use crate::symbols::ThreadSymbols;

/// The value of `schema` in every object.
pub const FLOW_SCHEMA: &str = "etm4.flow.1";

/// Names that are remembered, at most.
const MAX_NAMES: usize = 1 << 16;

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// Columns.
    Text,
    /// One JSON object a line.
    Json,
}

/// What is written.
enum Entry<'a> {
    Enter(Callee, Begin),
    Leave(Callee),
    Line(&'a str, u32, u64),
    Cut(Cut),
    Arrival(u64),
}

/// Writes events as lines.
pub struct FlowList<'a> {
    symbols: &'a ThreadSymbols<'a>,
    format: ListFormat,
    has_lines: bool,
    names: HashMap<Callee, String>,
    /// The depth of each thread, and the last line that was written of it.
    threads: HashMap<Thread, (u32, Option<(String, u32)>)>,
    /// Text that was not taken yet.
    pub text: String,
}

impl<'a> FlowList<'a> {
    /// A list of functions, and of lines of their sources if `has_lines`.
    pub fn new(
        symbols: &'a ThreadSymbols<'a>,
        format: ListFormat,
        has_lines: bool,
    ) -> FlowList<'a> {
        FlowList {
            symbols,
            format,
            has_lines,
            names: HashMap::new(),
            threads: HashMap::new(),
            text: String::new(),
        }
    }

    /// Appends the titles of the columns, if there are columns.
    pub fn head(&mut self) {
        if self.format == ListFormat::Text {
            let _ = writeln!(
                self.text,
                " {:>15} {:>14}  who  what",
                "time", "instructions"
            );
        }
    }

    /// Appends the lines of an event.
    pub fn event(&mut self, event: &Event) {
        let Event { at, thread, what } = event;
        match *what {
            What::Enter(callee, depth, begin) => {
                self.entry(at, thread, depth, &Entry::Enter(callee, begin));
                self.threads.insert(*thread, (depth + 1, None));
            }
            What::Leave(callee, depth) => {
                self.entry(at, thread, depth, &Entry::Leave(callee));
                self.threads.insert(*thread, (depth, None));
            }
            What::Ran { start, end, .. } if self.has_lines => self.ran(event, start, end),
            What::Cut(cut) => {
                self.threads.retain(|open, _| open.id != thread.id);
                self.entry(at, thread, 0, &Entry::Cut(cut));
            }
            What::Arrival(address) => {
                let depth = self.threads.get(thread).map_or(0, |(depth, _)| *depth);
                self.entry(at, thread, depth, &Entry::Arrival(address));
            }
            What::End => self.threads.retain(|open, _| open.id != thread.id),
            What::Ran { .. } | What::Switch => {}
        }
    }

    /// The lines of instructions, each where it is entered.
    fn ran(&mut self, event: &Event, start: u64, end: u64) {
        let What::Ran { count, isa, .. } = event.what else {
            return;
        };
        let step = if isa == coretrace_isa::Isa::T32 { 2 } else { 4 };
        let thread = event.thread;
        let symbols = self.symbols.of(self.symbols.process(&thread));
        let mut address = start;
        while address < end {
            if let Some((file, line)) = symbols.line(address) {
                let (depth, last) = self.threads.entry(thread).or_default();
                let is_new = last
                    .as_ref()
                    .is_none_or(|(old, number)| *number != line || old != file);
                if is_new {
                    *last = Some((file.to_owned(), line));
                    let depth = *depth;
                    let mut at = event.at;
                    let passed = instructions_up_to(address - start, end - start, count, isa);
                    at.instructions = at.instructions.saturating_add(passed);
                    self.entry(&at, &thread, depth, &Entry::Line(file, line, address));
                }
            }
            let Some(next) = address.checked_add(step) else {
                break;
            };
            address = next;
        }
    }

    fn name(&mut self, callee: Callee) -> String {
        if self.names.len() >= MAX_NAMES {
            self.names.clear();
        }
        let symbols = self.symbols;
        let name = self.names.entry(callee);
        name.or_insert_with(|| symbols.name(callee)).clone()
    }

    fn entry(&mut self, at: &At, thread: &Thread, depth: u32, entry: &Entry<'_>) {
        match self.format {
            ListFormat::Text => self.text_line(at, thread, depth, entry),
            ListFormat::Json => self.json_line(at, thread, depth, entry),
        }
    }

    fn text_line(&mut self, at: &At, thread: &Thread, depth: u32, entry: &Entry<'_>) {
        let what = match *entry {
            Entry::Enter(callee, _) => format!("> {}", self.name(callee).escape_debug()),
            Entry::Leave(callee) => format!("< {}", self.name(callee).escape_debug()),
            Entry::Line(file, line, _) => format!("  {}:{line}", file.escape_debug()),
            Entry::Cut(cut) => format!("-- {}", cut_text(cut)),
            Entry::Arrival(address) => format!("* {address:#x}"),
        };
        let estimated = if at.is_estimated { '~' } else { ' ' };
        let (time, instructions) = (at.time, at.instructions);
        let thread = self.symbols.thread(thread);
        let indent = 2 * depth.min(40) as usize;
        // Writing to a string never fails.
        let _ = writeln!(
            self.text,
            "{estimated}{time:>15} {instructions:>14}  {thread}  {:indent$}{what}",
            ""
        );
    }

    fn json_line(&mut self, at: &At, thread: &Thread, depth: u32, entry: &Entry<'_>) {
        let kind = match entry {
            Entry::Enter(..) => "ENTER",
            Entry::Leave(_) => "LEAVE",
            Entry::Line(..) => "LINE",
            Entry::Cut(_) => "LOST",
            Entry::Arrival(_) => "ARRIVAL",
        };
        let mut object = json!({
            "schema": FLOW_SCHEMA,
            "id": thread.id,
            "type": kind,
            "time": at.time,
            "instructions": at.instructions,
            "cycles": at.cycles,
            "depth": depth,
        });
        let mut put = |key: &str, value: Value| object[key] = value;
        if at.is_estimated {
            put("estimated", true.into());
        }
        if let Some(vmid) = thread.vmid {
            put("vmid", hex(vmid.into()));
        }
        if let Some(cid) = thread.cid {
            put("cid", hex(cid.into()));
        }
        if let Some(name) = self.symbols.thread_name(thread) {
            put("thread", name.into());
        }
        if let Entry::Enter(_, Begin::Call) = entry {
            put("call", true.into());
        }
        match *entry {
            Entry::Enter(callee, _) | Entry::Leave(callee) => {
                put("function", self.name(callee).into());
                match callee {
                    Callee::Function(entry) => put("address", hex(entry.start)),
                    Callee::Exception(number) => put("exception", number.into()),
                    Callee::Unknown => {}
                }
            }
            Entry::Line(file, line, address) => {
                put("file", file.into());
                put("line", line.into());
                put("address", hex(address));
            }
            Entry::Cut(cut) => put("reason", cut_text(cut).into()),
            Entry::Arrival(address) => put("address", hex(address)),
        }
        let _ = writeln!(self.text, "{object}");
    }
}

/// Addresses are strings, because readers of JSON round numbers above 2^53.
fn hex(value: u64) -> Value {
    format!("{value:#x}").into()
}

/// Why frames ended, for people.
pub fn cut_text(cut: Cut) -> &'static str {
    use coretrace_flow::Loss;
    match cut {
        Cut::Gap => "lost: tracing was off",
        Cut::Lost(Loss::Begin) => "lost: another recording begins",
        Cut::Lost(Loss::Overflow) => "lost: the trace unit overflowed",
        Cut::Lost(Loss::Discard) => "lost: the trace unit discarded what was speculative",
        Cut::Lost(Loss::Discontinuity) => "lost: bytes of the trace are missing",
        Cut::Lost(Loss::BadPacket) => "lost: bytes that are no packet, or contradict the program",
        Cut::Threads => "lost: there are too many threads",
    }
}
