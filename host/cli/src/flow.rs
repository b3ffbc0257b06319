// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow`: which functions ran, called by whom, and when.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use coretrace_calls::{
    Around, CallSink, CallTree, Edge, Event, FlowList, ListFormat, Measure, Perfetto, Samples,
    Shown, ThreadSymbols, Window, firefox, folded, write_tree,
};
use coretrace_decode::Policy;
use coretrace_software_trace::Mark;

use crate::calls::{Caller, say_counts};
use crate::capture_args::{CaptureArgs, Input};
use crate::error::{Outcome, say};
use crate::follow::FollowArgs;
use crate::output;
use crate::places::places;
use crate::selection::Protocols;
use crate::timeline::marks;

const EXAMPLES: &str = "\
Columns of the text are time, instructions, who ran, and what began (>) or ended (<). Time is that of
the timestamps, linear between two of them by cycles if they are counted, else by instructions; without
timestamps it is cycles, and without cycles instructions. ~ marks a time that no two timestamps
enclose. Functions need symbols: --elf names the programs. Each trace ID and context ID has a call
stack of its own; a perf.data has the names of its threads. For Perfetto, what an STM or ITM of the
same trace reports is on tracks of its own, at the times of its own timestamps.

Examples:
  etm4 flow testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf
  etm4 flow testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --format tree
  etm4 flow testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --around run --calls 4
  etm4 flow testbench/traces/sort-a64 --from 1000i --to 2000i
  etm4 flow testbench/traces/sort-a64 --format folded
  etm4 flow testbench/traces/sort-a64 --format perfetto --out sort.pftrace
  etm4 flow perf.data --elf a.out --lines --format json";

/// Pieces of time in a profile for Firefox, at most.
const FIREFOX_SAMPLES: usize = 100_000;

/// Paths with less of the instructions are not in the text of a call tree.
const LEAST_PERCENT: f64 = 0.1;

/// List the functions that ran, with callers and time, or convert them for a viewer
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FlowArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    #[command(flatten)]
    follow: FollowArgs,

    /// How calls are written
    #[arg(long, value_enum, default_value_t)]
    format: FlowFormat,

    /// List the lines of source files that were entered as well
    #[arg(long)]
    lines: bool,

    /// Begin at this time, or with an i behind it, after so many instructions
    #[arg(long, value_name = "TIME|Ni", value_parser = edge)]
    from: Option<Edge>,

    /// End at this time, or with an i behind it, after so many instructions
    #[arg(long, value_name = "TIME|Ni", value_parser = edge)]
    to: Option<Edge>,

    /// List only what ran before and after each arrival at an address or the beginning of a function
    #[arg(long, value_name = "ADDRESS|FUNCTION")]
    around: Option<String>,

    /// Calls and returns to list before and after an arrival
    #[arg(long, value_name = "N", default_value_t = 10)]
    calls: usize,

    /// Ticks of the timestamps in a second, for viewers: without it, a tick is a nanosecond
    #[arg(long, value_name = "HZ")]
    frequency: Option<f64>,

    /// Write to this file, not to standard output (-)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// How calls are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FlowFormat {
    /// Columns for people
    #[default]
    Text,
    /// One JSON object a line
    Json,
    /// A trace for Perfetto
    Perfetto,
    /// A profile for the Firefox Profiler
    Firefox,
    /// The call tree: instructions, cycles and time of each path of calls
    Tree,
    /// Folded stacks with their instructions, for flame graphs
    Folded,
}

fn edge(text: &str) -> Result<Edge, String> {
    let (digits, measure) = match text.strip_suffix('i') {
        Some(digits) => (digits, Measure::Instructions),
        None => (text, Measure::Time),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let value =
        value.map_err(|_| format!("{text} is no number: 5000 is a time, 5000i instructions"))?;
    Ok(Edge { measure, value })
}

/// Runs the command.
///
/// # Errors
/// If the capture or a program cannot be used, or the results cannot be written.
pub fn run(args: &FlowArgs) -> Result<Outcome> {
    let trace = match args.capture.open_input(args.follow.id)? {
        Input::Trace(trace) => trace,
        Input::Stream(_) => {
            let name = args.capture.path().display();
            bail!(
                "{name} is a record stream, by which no program is followed: `etm4 profile {name} --elf FILE` \
                 names what ran, and `etm4 records {name}` lists it; calls need the trace itself, such as that of \
                 a capture with --sink etf2 or etr"
            );
        }
    };
    if let (Some(from), Some(to)) = (args.from, args.to) {
        ensure!(
            from.measure != to.measure || from.value <= to.value,
            "--from is behind --to, so that there is nothing between them"
        );
    }
    let nanoseconds = match args.frequency {
        Some(hertz) => {
            ensure!(
                hertz.is_finite() && hertz > 0.0,
                "--frequency {hertz} is no number of ticks in a second"
            );
            1e9 / hertz
        }
        None => 1.0,
    };
    let traced = args.follow.traced(&trace)?;
    let symbols = traced.symbols()?;
    let out = args.out.as_deref();
    let out = BufWriter::new(output::create(out.unwrap_or("-".as_ref()))?);
    let writer = Writer::new(args, &symbols, nanoseconds, out);
    let reports_ranges = args.lines || args.around.is_some();
    let sync_limit = args.capture.options.sync_limit;
    let places = match &args.around {
        Some(place) => Some(places(place, &symbols.of(None))?),
        None => None,
    };
    let processes = Arc::clone(&traced.processes);
    let sink = Around::new(places, processes, args.calls, writer);
    let sink = Window::new(args.from, args.to, sink);
    let mut ignore = |_: &_, _: &_| {};
    let mut caller = Caller::new(&symbols, reports_ranges, &mut ignore, sink);
    let is_timeline = args.format == FlowFormat::Perfetto;
    let shown = if is_timeline {
        Protocols::All
    } else {
        Protocols::Instructions
    };
    let followed = args
        .follow
        .follow_beside(shown, &trace, &traced, sync_limit, &mut caller)?;
    let sources = caller.sources();
    let Around { arrivals, sink, .. } = caller.sink.sink;
    if let Some(place) = &args.around {
        say(&format!("note: {arrivals} arrivals at {place}"));
    }
    let mut writer = sink;
    if is_timeline {
        let policy = Policy::from(args.follow.on_error);
        let is_within = |time: u64| within(time, args.from, args.to);
        marks(
            &trace,
            args.follow.id,
            policy,
            sync_limit,
            |row, time, mark| {
                if is_within(time) {
                    writer.mark(row, time, mark);
                }
            },
        )?;
    }
    writer.finish(nanoseconds, &symbols)?;
    for (id, _, counts) in &sources {
        say_counts(*id, counts);
    }
    Ok(if followed.is_decoded {
        Outcome::Complete
    } else {
        Outcome::Incomplete
    })
}

/// Where calls go.
enum Kind<'a> {
    List(FlowList<'a>, Box<dyn Write>),
    Perfetto(Box<Perfetto<Box<dyn Write>>>),
    Tree {
        tree: CallTree,
        /// For flame graphs, not for people.
        is_folded: bool,
        /// For Firefox.
        samples: Option<Samples>,
        out: Box<dyn Write>,
    },
}

/// Writes calls in one of the formats.
struct Writer<'a> {
    kind: Kind<'a>,
    symbols: &'a ThreadSymbols<'a>,
    /// The first failure, behind which nothing is written.
    failure: Option<std::io::Error>,
}

impl<'a> Writer<'a> {
    fn new(
        args: &FlowArgs,
        symbols: &'a ThreadSymbols<'a>,
        nanoseconds: f64,
        out: BufWriter<Box<dyn Write>>,
    ) -> Writer<'a> {
        let list = |format| {
            let mut list = FlowList::new(symbols, format, args.lines);
            list.head();
            list
        };
        let out: Box<dyn Write> = Box::new(out);
        let kind = match args.format {
            FlowFormat::Text => Kind::List(list(ListFormat::Text), out),
            FlowFormat::Json => Kind::List(list(ListFormat::Json), out),
            FlowFormat::Perfetto => Kind::Perfetto(Box::new(Perfetto::new(out, nanoseconds))),
            FlowFormat::Firefox | FlowFormat::Folded | FlowFormat::Tree => Kind::Tree {
                is_folded: args.format == FlowFormat::Folded,
                tree: CallTree::default(),
                samples: (args.format == FlowFormat::Firefox)
                    .then(|| Samples::new(FIREFOX_SAMPLES)),
                out,
            },
        };
        Writer {
            kind,
            symbols,
            failure: None,
        }
    }

    /// Writes a mark of another source.
    fn mark(&mut self, row: &str, time: u64, mark: Mark<'_>) {
        if let (Kind::Perfetto(perfetto), None) = (&mut self.kind, &self.failure)
            && let Err(failure) = perfetto.mark(row, time, mark, self.symbols)
        {
            self.failure = quiet_if_closed(Err(failure)).err();
        }
    }

    fn finish(self, nanoseconds: f64, symbols: &ThreadSymbols<'_>) -> Result<()> {
        const FAILED: &str = "cannot write the results";
        if let Some(failure) = self.failure {
            return quiet_if_closed(Err(failure)).context(FAILED);
        }
        let written = match self.kind {
            Kind::List(list, mut out) => {
                let rest = out.write_all(list.text.as_bytes());
                rest.and_then(|()| out.flush())
            }
            Kind::Perfetto(perfetto) => perfetto.finish(),
            Kind::Tree {
                tree,
                samples: Some(samples),
                mut out,
                ..
            } => match firefox(&mut out, &tree, &samples, symbols, nanoseconds) {
                Ok(()) => out.flush(),
                Err(error) => Err(error.into()),
            },
            Kind::Tree {
                tree,
                is_folded,
                mut out,
                ..
            } => {
                let mut text = String::new();
                if is_folded {
                    folded(&mut text, &tree, symbols, |costs| costs.instructions);
                } else {
                    write_tree(&mut text, &tree, symbols, Shown::Percent(LEAST_PERCENT));
                }
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
        };
        quiet_if_closed(written).context(FAILED)
    }
}

/// The reader of a pipe may close it: then nobody wants the rest.
fn quiet_if_closed(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        written => written,
    }
}

/// Whether a time is between edges that are times.
fn within(time: u64, from: Option<Edge>, to: Option<Edge>) -> bool {
    let is_time = |edge: &Edge| edge.measure == Measure::Time;
    from.filter(is_time).is_none_or(|edge| time >= edge.value)
        && to.filter(is_time).is_none_or(|edge| time <= edge.value)
}

impl CallSink for Writer<'_> {
    fn event(&mut self, event: &Event) {
        if self.failure.is_some() {
            return;
        }
        let written = match &mut self.kind {
            Kind::List(list, out) => {
                list.event(event);
                let written = out.write_all(list.text.as_bytes());
                list.text.clear();
                written
            }
            Kind::Perfetto(perfetto) => perfetto.event(event, self.symbols),
            Kind::Tree { tree, samples, .. } => {
                if let (Some(stretch), Some(samples)) = (tree.take(event), samples) {
                    samples.push(&stretch);
                }
                Ok(())
            }
        };
        if let Err(failure) = written {
            self.failure = quiet_if_closed(Err(failure)).err();
        }
    }
}
