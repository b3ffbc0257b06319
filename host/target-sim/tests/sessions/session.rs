// SPDX-License-Identifier: MIT OR Apache-2.0
//! A session from start to stop, and its verdict.

use std::collections::{BTreeMap, BTreeSet};

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Format, RunEvent};
use coretrace_target::plan::Step;
use coretrace_target::{
    Journal, NotTaken, Options, Plan, Preset, Topology, Wanted, execute, not_taken, noted, undo,
};
use coretrace_target_sim::{Lost, Ticks, Violation, World};

/// Memory for an ETR.
const MEMORY: (u64, u32) = (0x6B30_0000, 0x10_0000);

/// The topology of a Zynq UltraScale+.
pub fn zynqmp() -> Topology {
    Preset::find("zynqmp")
        .expect("a preset")
        .topology()
        .expect("a topology")
}

/// The topology of a Juno.
pub fn juno() -> Topology {
    let preset = Preset::find("juno").expect("a preset");
    preset.topology().expect("a topology")
}

/// A funnel that feeds a replicator, without a buffer between them.
const NO_BUFFER: &str = r#"
name = "no buffer"
status = "not run"
component = [
    { name = "etm0", kind = "etm4", base = 0x1000, cpu = 0, mark = "I" },
    { name = "funnel", kind = "funnel", base = 0x2000, mark = "I" },
    { name = "replicator", kind = "replicator", base = 0x3000, mark = "I" },
    { name = "etb", kind = "etb", base = 0x4000, mark = "I" },
    { name = "tpiu", kind = "tpiu", base = 0x5000, mark = "I" },
]
link = [
    { from = "etm0:0", to = "funnel:0" },
    { from = "funnel:0", to = "replicator:0" },
    { from = "replicator:0", to = "etb:0" },
    { from = "replicator:1", to = "tpiu:0" },
]
"#;

/// The topology with that.
pub fn no_buffer() -> Topology {
    Topology::parse(NO_BUFFER).expect("a topology")
}

/// Options that every sink can use.
pub fn options() -> Options {
    Options {
        memory: Some(MEMORY),
        ..Options::default()
    }
}

/// The plan of a session.
pub fn plan(topology: &Topology, cpus: &[u32], sinks: &[&str]) -> Plan {
    plan_with(topology, cpus, sinks, &options())
}

/// The plan of a session with everything that can be asked for.
pub fn full_plan(topology: &Topology) -> Plan {
    let all = Options {
        branch_broadcast: true,
        cycle_threshold: Some(64),
        timestamps: true,
        context_ids: true,
        return_stack: true,
        user_only: true,
        enable_clocks: true,
        trace_mhz: Some(250),
        ..options()
    };
    plan_with(topology, &[1, 3], &["tpiu", "etr"], &all)
}

/// The plan of a session of an STM and a core, with timestamps.
pub fn stm_plan(topology: &Topology) -> Plan {
    let options = Options {
        timestamps: true,
        ..options()
    };
    plan_of(topology, &["stm", "etm2"], &["etr"], &options)
}

fn plan_with(topology: &Topology, cpus: &[u32], sinks: &[&str], options: &Options) -> Plan {
    let unit = |cpu: &u32| topology.trace_unit(*cpu).expect("a core");
    let name = |cpu: &u32| &topology.components[unit(cpu)].name[..];
    let names: Vec<&str> = cpus.iter().map(name).collect();
    plan_of(topology, &names, sinks, options)
}

/// The plan of a session of sources by name.
pub fn plan_of(topology: &Topology, sources: &[&str], sinks: &[&str], options: &Options) -> Plan {
    let find = |name: &&str| topology.find(name).expect("a component");
    let wanted = Wanted {
        sources: sources.iter().map(find).collect(),
        sinks: sinks.iter().map(find).collect(),
        via: vec![],
    };
    Plan::start(topology, &wanted, options).expect("a plan")
}

/// What a session did in a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Exit code.
    pub ending: u8,
    /// Broken rules.
    pub violations: BTreeSet<Violation>,
    /// Components that answered with an error.
    pub aborted: BTreeSet<String>,
    /// Where trace ended.
    pub lost: BTreeSet<Lost>,
    /// Whether each sink has exactly what each source sent.
    pub arrived: bool,
    /// Registers while it runs; none after a failure, because how far it got does not matter.
    pub running: Vec<(String, Vec<u32>)>,
    /// What the session knows of its trace units; none after a failure.
    pub noted: Vec<(&'static str, u32)>,
    /// What its trace units did not take; nothing after a failure.
    pub not_taken: Vec<NotTaken>,
    /// What lasts after it.
    pub at_rest: Vec<String>,
}

impl Verdict {
    /// Whether everything is as it should be.
    pub fn is_good(&self) -> bool {
        let is_clean =
            self.violations.is_empty() && self.aborted.is_empty() && self.lost.is_empty();
        self.ending == 0 && is_clean && self.arrived
    }
}

/// Runs steps, lets time pass, and stops.
pub fn run(topology: &Topology, plan: &Plan, steps: &[Step], mut world: World) -> Verdict {
    let (mut journal, mut time) = (Journal::default(), Ticks::default());
    let ending = execute(topology, steps, &mut world, &mut time, &mut journal);
    let mut ending = ending.exit_code();
    let is_started = ending == 0;
    let running = if is_started {
        world.registers()
    } else {
        Vec::new()
    };
    if is_started {
        world.run(40);
        world.forget();
        if !undo(topology, &mut journal, &mut world, &mut time).is_empty() {
            ending = 5;
        }
    }
    let sources = plan.trace_ids.iter().filter(|_| is_started);
    let noted = sources.flat_map(|(unit, _)| noted(topology, &journal, *unit));
    let not_taken = if is_started {
        not_taken(&journal)
    } else {
        Vec::new()
    };
    Verdict {
        not_taken,
        noted: noted.collect(),
        ending,
        violations: world.findings.violations.clone(),
        aborted: world.findings.aborted.clone(),
        lost: world.findings.lost.keys().cloned().collect(),
        arrived: arrived(topology, plan, &world),
        running,
        at_rest: world.at_rest(),
    }
}

/// Whether each sink has exactly what each source sent.
pub fn arrived(topology: &Topology, plan: &Plan, world: &World) -> bool {
    let mut sinks = plan.route.hops.iter().filter(|hop| hop.outputs.is_empty());
    sinks.all(|hop| {
        let received = bytes_of(topology, hop.component, world);
        plan.trace_ids.iter().all(|(source, id)| {
            let sent = world.sent(*source);
            !sent.is_empty() && received.get(id).is_some_and(|got| got == sent)
        })
    })
}

/// What a sink received, by trace ID.
fn bytes_of(topology: &Topology, sink: usize, world: &World) -> BTreeMap<u8, Vec<u8>> {
    let is_memory = topology.components[sink].kind.is_memory();
    let format = if is_memory {
        Format::Frames
    } else {
        Format::TpiuFsync
    };
    let mut received: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    Deframer::new(format).feed(world.received(sink), |event| {
        if let RunEvent::Run(run) = event
            && let Some(id) = run.id.filter(|id: &TraceId| id.is_source())
        {
            received.entry(id.value()).or_default().extend(run.bytes);
        }
    });
    received
}
