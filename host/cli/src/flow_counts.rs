// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow-counts`: the read-outs that a core would make of a trace.

use std::io::{BufWriter, Write};
use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use coretrace_abi::flow_stream::{Beat, MOST_CYCLES};
use coretrace_abi::flow_table::{SpaceRules, space};
use coretrace_capture::{MemoryImage, Pass, RecordSink};
use coretrace_coresight::TraceId;
use coretrace_decode::Policy;
use coretrace_etm::{Kind, Record, SourceConfig};
use coretrace_flow::Reported;
use coretrace_sites::{
    CountWindow, Event, FlowItem, FlowTable, FlowUnit, FlowWriter, HopRing, Items,
};

use crate::capture_args::{CaptureArgs, Input};
use crate::error::{Outcome, say};
use crate::images::parse_image;
use crate::output::create;
use crate::selection::{Protocols, select_one};
use crate::table_args::TableArgs;
use crate::trace_id;
use crate::triggers::{TRIGGERS, TriggerArgs};

const EXAMPLES: &str = "\
flow_core follows a program on chip and counts its branches; this is its model. The table is that of
`etm4 flow-table` with the same options. `etm4 profile` takes what is written if its name ends in .flow.

Examples:
  etm4 flow-counts testbench/traces/sort-a64 --elf testbench/traces/sort-a64/sort.elf --out sort.flow
  etm4 profile sort.flow --elf testbench/traces/sort-a64/sort.elf
  etm4 flow-counts testbench/traces/framed --id 10 --elf a.out --every 100000 --out a.flow";

/// Write the flow stream that a core would store for a trace: counts of its branches
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FlowCountsArgs {
    #[command(flatten)]
    capture: CaptureArgs,

    /// Follow the source with this trace ID (hexadecimal)
    #[arg(long, value_name = "HEX", value_parser = trace_id::parse)]
    id: Option<TraceId>,

    /// A program, as an ELF file; at this address, or where it is linked to be. May be given several
    /// times
    #[arg(long, value_name = "FILE[@ADDRESS]")]
    elf: Vec<PathBuf>,

    /// A memory dump at this address, with `,space=EL1N`, `,vmid=1` or `,cid=0x10` for the contexts that
    /// see it. May be given several times; programs count more
    #[arg(long, value_name = "FILE@ADDRESS", value_parser = parse_image)]
    image: Vec<MemoryImage>,

    #[command(flatten)]
    table: TableArgs,

    #[command(flatten)]
    triggers: TriggerArgs,

    /// So many events freeze the ring of hops
    #[arg(long, value_name = "N", default_value_t = NonZero::<u32>::MIN, help_heading = TRIGGERS)]
    freeze_after: NonZero<u32>,

    /// Read out after so many atoms, and at the end; without it at the end only
    #[arg(long, value_name = "N")]
    every: Option<NonZero<u64>>,

    /// The file to write, - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If the trace or the code cannot be used, or the stream cannot be written.
pub fn run(args: &FlowCountsArgs) -> Result<Outcome> {
    let Input::Trace(trace) = args.capture.open_input(args.id)? else {
        bail!(
            "{} is a record stream: the read-outs are made of a trace",
            args.capture.path().display()
        );
    };
    let (selected, source) = select_one(&trace, args.id, Protocols::Instructions, "a flow stream")?;
    let config = source
        .config
        .context("there is no decoder for the source")?;
    let config = SourceConfig {
        protocol: config.protocol,
        profile: config.profile,
        registers: source.registers,
        lenient: false,
    };
    check_reported(Reported::new(&config), args.table.reported())?;
    let widths = args.table.widths()?;
    let compiled = args.table.compile(widths, &args.elf, &args.image)?;
    let table = args.triggers.table(&compiled)?;
    let is_windowed = args.triggers.is_windowed();
    let mut core = Core {
        items: Items::new(&config),
        unit: FlowUnit::new(&config),
        table: &table,
        window: CountWindow::new(is_windowed),
        ring: HopRing::new(args.freeze_after.get()),
        is_frozen: false,
        rules: compiled.rules,
        writer: FlowWriter::new(widths).windowed(is_windowed),
        every: args.every.map(NonZero::get),
        read: 0,
        out: BufWriter::new(create(&args.out)?),
        written: Ok(()),
    };
    let pass = Pass {
        buffer: selected.buffer,
        sources: &selected.sources,
        policy: Policy::Resync,
        sync_limit: args.capture.options.sync_limit,
    };
    pass.run(&mut core)?;
    core.item(FlowItem::ReadOut);
    let (walked, _) = core.unit.atoms();
    let written = core.written.and_then(|()| core.out.flush());
    written.with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(if walked > 0 {
        Outcome::Complete
    } else {
        say("warning: no atom was followed: is it the traced program, and at the right address?");
        Outcome::Incomplete
    })
}

/// The table has what the trace unit reports.
fn check_reported(unit: Reported, table: Reported) -> Result<()> {
    for (option, has, wants) in [
        ("--waits", table.waits, unit.waits),
        ("--ete", table.transactions, unit.transactions),
    ] {
        ensure!(
            has == wants,
            "the trace unit {} {option}: {} it here and of `etm4 flow-table` and `etm4 profile`",
            if wants { "needs" } else { "has no" },
            if wants { "give" } else { "leave out" },
        );
    }
    Ok(())
}

/// A core that follows a source, and what it writes.
struct Core<'t, W> {
    items: Items,
    unit: FlowUnit,
    table: &'t FlowTable,
    rules: SpaceRules,
    window: CountWindow,
    ring: HopRing,
    /// The ring has been written.
    is_frozen: bool,
    writer: FlowWriter,
    every: Option<u64>,
    /// Atoms in front of the last read-out.
    read: u64,
    out: W,
    /// The first failure.
    written: std::io::Result<()>,
}

impl<W: Write> Core<'_, W> {
    fn item(&mut self, item: FlowItem) {
        let Core {
            unit,
            window,
            ring,
            is_frozen,
            writer,
            out,
            written,
            ..
        } = self;
        let mut events: Vec<Event> = Vec::new();
        unit.item(item, self.table, &mut |event| {
            ring.event(&event, self.table);
            window.event(event, self.table, &mut |event| events.push(event));
        });
        let mut write = |beat: Beat| {
            let bytes = beat.words().map(u32::to_le_bytes);
            if written.is_ok() {
                *written = out.write_all(bytes.as_flattened());
            }
        };
        for event in events {
            writer.event(&event, unit.atoms(), &mut write);
        }
        if let Some(hops) = ring.frozen()
            && !std::mem::replace(is_frozen, true)
        {
            let (walked, skipped) = unit.atoms();
            FlowWriter::hops(hops, walked + skipped, &mut write);
        }
    }
}

impl<W: Write> RecordSink for Core<'_, W> {
    fn record(&mut self, _source: usize, record: &Record, _raw: &[u8]) {
        if record.kind == Kind::TraceInfo {
            let [.., threshold] = record.fields;
            self.writer.set_threshold(threshold.min(MOST_CYCLES));
        }
        let mut items = Vec::new();
        let of = |context: &_| space(&self.rules, context);
        self.items.record(record, of, |item| items.push(item));
        for item in items {
            self.item(item);
        }
        let (walked, skipped) = self.unit.atoms();
        let atoms = walked + skipped;
        if self.every.is_some_and(|every| atoms - self.read >= every) {
            self.read = atoms;
            self.item(FlowItem::ReadOut);
        }
    }

    fn is_done(&self) -> bool {
        self.written.is_err()
    }
}
