// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core behind the trace port: its records reach the host, or are counted as lost.

use coretrace_abi::registers::csr::{Control, LostWords};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Kind, Record, Registers};
use coretrace_streams::{Item, Reader as Stream, Start};
use coretrace_target::plan::{Action, Part, Role, Step, order};
use coretrace_target::ring::{Reader, Ring, RingError};
use coretrace_target::{Bus, Ending, Journal, Options, Plan, Topology, Wanted, execute, undo};
use coretrace_target_sim::{Ticks, World};

use crate::session::zynqmp;
use crate::worlds::broken;

const CORE: u64 = 0xA000_0000;
/// The DMA of the preset.
pub const DMA: u64 = 0xA001_0000;

/// A ring below 32 bits.
pub fn ring() -> Ring {
    Ring::new(0x7000_0000, 0x2_0000).expect("a ring")
}

/// Above 32 bits.
fn high_ring() -> Ring {
    Ring::new(0x8_7000_0000, 0x2_0000).expect("a ring")
}

/// A session of core 0 to a core behind the port.
pub fn plan(topology: &Topology) -> Plan {
    plan_with(topology, ring())
}

fn plan_with(topology: &Topology, ring: Ring) -> Plan {
    let wanted = Wanted {
        sources: vec![topology.trace_unit(0).expect("a core")],
        sinks: vec![topology.find("tpiu").expect("a sink")],
        via: vec![],
    };
    let core = topology.receiver("core").expect("a core");
    let options = Options {
        receiver: Some((core, ring)),
        ..Options::default()
    };
    Plan::start(topology, &wanted, &options).expect("a plan")
}

/// What a session gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Got {
    ending: u8,
    is_clean: bool,
    /// How the stream says that it begins.
    starts: Vec<Start>,
    /// Records of the stream, losses in it, words lost by the counter.
    pub records: Vec<Record>,
    pub losses: usize,
    lost_words: u32,
    /// Why the host could not read the ring.
    failure: Option<RingError>,
}

/// Runs a session; `visits` says after how many ticks the host reads the ring, time after time.
fn run(topology: &Topology, steps: &[Step], visits: &[usize]) -> (Got, World) {
    run_in(topology, steps, visits, ring(), World::cold(topology))
}

/// Runs a session with a ring in a world.
fn run_in(
    topology: &Topology,
    steps: &[Step],
    visits: &[usize],
    ring: Ring,
    mut world: World,
) -> (Got, World) {
    let mut journal = Journal::default();
    let (mut time, mut words) = (Ticks::default(), Vec::new());
    let (mut reader, mut failure) = (Reader::new(ring, DMA), None);
    ring.post(&mut world).expect("memory");
    let ending = execute(topology, steps, &mut world, &mut time, &mut journal);
    let mut code = ending.exit_code();
    if ending == Ending::Done {
        for &ticks in visits {
            world.run(ticks);
            failure = failure.or(reader.take(&mut world, |packet| words.extend(packet)).err());
        }
        if !undo(topology, &mut journal, &mut world, &mut time).is_empty() {
            code = 5;
        }
        failure = failure.or(reader
            .finish(&mut world, |packet| words.extend(packet))
            .err());
    }
    let snapshot = Control::RESET.with_snapshot(true).0;
    world
        .write32(CORE + u64::from(Control::OFFSET), snapshot)
        .expect("a core");
    let lost_words = world
        .read32(CORE + u64::from(LostWords::OFFSET))
        .expect("a core");
    let got = Got {
        ending: code,
        is_clean: world.findings.violations.is_empty()
            && world.findings.lost.is_empty()
            && failure.is_none(),
        lost_words,
        failure,
        ..read(&words)
    };
    (got, world)
}

/// What a stream says.
pub fn read(words: &[u32]) -> Got {
    let mut got = Got::default();
    let mut stream = Stream::new();
    let mut take = |item: Item<'_>| match item {
        Item::Record(record) => got.records.push(*record),
        Item::Lost(_) => got.losses += 1,
        Item::Start(start) => got.starts.push(*start),
        Item::Source(_) | Item::Place(_) | Item::Skipped(_) | Item::Gap(_) => panic!("{item:?}"),
    };
    stream.words(words, &mut take);
    stream.finish(&mut take);
    got
}

/// The addresses of records, in their order.
fn addresses(records: &[Record]) -> Vec<u64> {
    let long = records
        .iter()
        .filter(|record| record.kind == Kind::AddrLong64Is0);
    long.map(|record| record.address.value).collect()
}

/// The addresses of what a trace unit sent.
fn sent(world: &World, unit: usize) -> Vec<u64> {
    let start = Start {
        registers: Registers {
            trcconfigr: 1,
            trcidr0: 0x2800_0EA1,
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::ZERO
        },
        ..Start::default()
    };
    let mut records = Vec::new();
    let mut decoder = Decoder::new(start.config(), Policy::Resync);
    decoder.feed(world.sent(unit), |record| records.push(*record));
    addresses(&records)
}

#[test]
fn a_core_gives_the_host_every_record_of_its_trace_unit() {
    let topology = zynqmp();
    let before = World::cold(&topology).at_rest();
    let steps = plan(&topology).steps;
    for visits in [&[500; 8][..], &[20; 50], &[0]] {
        let (got, world) = run(&topology, &steps, visits);
        assert!(got.is_clean && got.ending == 0, "{:?}", world.findings);
        assert_eq!((got.losses, got.lost_words), (0, 0));
        let unit = topology.trace_unit(0).expect("a core");
        assert_eq!(addresses(&got.records), sent(&world, unit));
        assert_eq!(world.at_rest(), before);
    }
}

#[test]
fn a_host_that_is_late_is_in_the_counters_and_in_the_stream() {
    let topology = zynqmp();
    let steps = plan(&topology).steps;
    let visits = [&[30_000][..], &[500; 20]].concat();
    let (got, world) = run(&topology, &steps, &visits);
    assert!(got.is_clean && got.ending == 0, "{:?}", world.findings);
    assert!(
        got.losses == 1 && got.lost_words > 1000,
        "{} {}",
        got.losses,
        got.lost_words
    );
    // What is there is exact: the beginning, and the end.
    let unit = topology.trace_unit(0).expect("a core");
    let (found, sent) = (addresses(&got.records), sent(&world, unit));
    let same = |(a, b): &(&u64, &u64)| a == b;
    let first = found.iter().zip(&sent).take_while(same).count();
    let last = found
        .iter()
        .rev()
        .zip(sent.iter().rev())
        .take_while(same)
        .count();
    assert!(first > 1000, "{first} of {}", found.len());
    assert!(
        last > 1000 && first + last <= found.len(),
        "{last} of {}",
        found.len()
    );
}

#[test]
fn a_core_session_that_is_killed_at_any_step_is_undone() {
    let topology = zynqmp();
    let steps = plan(&topology).steps;
    let before = World::cold(&topology).at_rest();
    for done in 0..=steps.len() {
        let (mut world, mut journal) = (World::cold(&topology), Journal::default());
        let mut time = Ticks::default();
        ring().post(&mut world).expect("memory");
        let ending = execute(
            &topology,
            &steps[..done],
            &mut world,
            &mut time,
            &mut journal,
        );
        assert_eq!(ending, Ending::Done, "{done}");
        assert!(
            undo(&topology, &mut journal, &mut world, &mut time).is_empty(),
            "{done}"
        );
        assert_eq!(world.at_rest(), before, "{done}");
    }
}

#[test]
fn the_order_of_a_core_that_is_turned_round_is_seen() {
    let topology = zynqmp();
    let run = |steps: &[Step], ring: Ring, visits: &[usize]| {
        let (got, world) = run_in(&topology, steps, visits, ring, World::cold(&topology));
        (got, world.findings.violations)
    };
    // The host of the last one is late, so that the ring is full.
    let in_time = &[100; 2][..];
    let sessions = [
        (ring(), in_time),
        (high_ring(), in_time),
        (high_ring(), &[30_000]),
    ];
    let sessions = sessions.map(|(ring, visits)| {
        let steps = plan_with(&topology, ring).steps;
        let good = run(&steps, ring, visits);
        (steps, good, ring, visits)
    });
    let plan = plan(&topology);
    let (mut turned, mut unseen) = (0, Vec::new());
    for (b, then) in plan.steps.iter().enumerate() {
        for (a, first) in plan.steps[..b].iter().enumerate() {
            let is_ordered = order(&topology, &plan.route, first, then).is_some();
            if !is_ordered || !is_shown(&topology, first, then) {
                continue;
            }
            turned += 1;
            let is_seen = sessions.iter().any(|(steps, good, ring, visits)| {
                let mut steps = steps.clone();
                let step = steps.remove(b);
                steps.insert(a, step);
                run(&steps, *ring, visits) != *good
            });
            if !is_seen {
                unseen.push(format!("{} before {}", then.place, first.place));
            }
        }
    }
    println!("judged: {turned} rules of a core turned round, all detected");
    assert!(turned > 40, "only {turned} rules");
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}

/// Whether a pair shows the order of a core: what is written is there before the core, its DMA or its port is enabled,
/// and a copy is made when the register of the trace unit can be read and has its value.
fn is_shown(topology: &Topology, first: &Step, then: &Step) -> bool {
    let is_core = |step: &Step| matches!(step.part, Part::Receiver(_));
    match then.action {
        _ if then.role == Role::Enable => is_core(first) && first.is_write(),
        Action::Copy { from } if !is_core(first) => {
            let is_trace = topology.at(from).is_some_and(|(_, offset)| offset < 0xF00);
            let opens = matches!(first.role, Role::OsUnlock) && is_trace;
            opens || first.is_write() && first.address == from
        }
        _ => false,
    }
}

#[test]
fn a_step_of_a_core_that_is_left_out_is_seen() {
    let topology = zynqmp();
    let rings = [ring(), high_ring()].map(|ring| (ring, plan_with(&topology, ring)));
    let (_, plan) = &rings[0];
    let is_core = |number: &usize| matches!(plan.steps[*number].part, Part::Receiver(_));
    let numbers: Vec<usize> = (0..plan.steps.len()).filter(is_core).collect();
    let mut unseen = Vec::new();
    for &number in &numbers {
        let is_seen = |(ring, plan): &(Ring, Plan)| {
            let mut steps = plan.steps.clone();
            let step = steps.remove(number);
            let mut worlds = worlds(&topology);
            // A check is there for the write before it.
            let of_register = plan.steps.iter().filter(|of| of.address == step.address);
            for of in of_register {
                let with_broken = self::worlds(&topology).into_iter().map(|mut world| {
                    world.faults.push(broken(plan, of));
                    world
                });
                worlds.extend(with_broken);
            }
            worlds.into_iter().any(|world| {
                let run = |steps, world| run_in(&topology, steps, &[200; 2], *ring, world).0;
                run(&plan.steps, world.clone()) != run(&steps, world)
            })
        };
        if !rings.iter().any(is_seen) {
            unseen.push((&plan.steps[number].place, plan.steps[number].role));
        }
    }
    assert!(numbers.len() > 25, "only {} steps", numbers.len());
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn a_step_of_a_core_that_does_not_work_is_named_and_everything_is_undone() {
    let topology = zynqmp();
    let plan = plan(&topology);
    let is_core = |step: &&Step| matches!(step.part, Part::Receiver(_));
    for step in plan.steps.iter().filter(is_core) {
        for healthy in worlds(&topology) {
            let before = healthy.at_rest();
            let mut world = healthy.clone();
            world.faults.push(broken(&plan, step));
            ring().post(&mut world).expect("memory");
            let (mut time, mut journal) = (Ticks::default(), Journal::default());
            let ending = execute(&topology, &plan.steps, &mut world, &mut time, &mut journal);
            if let Some(failure) = ending.failure() {
                assert!(failure.step.place.starts_with("core."), "{failure}");
            }
            match ending {
                Ending::Refused(_) => assert_eq!(world.findings.writes, 0, "{}", step.place),
                Ending::Undone(_) => assert_eq!(world.at_rest(), before, "{}", step.place),
                // The undo relies on no read that is wrong, and a write is dropped once: all can be undone.
                Ending::Left(_, left) => panic!("{}: {left:?}", step.place),
                // What was to be written was so before.
                Ending::Done => {
                    let run = |world| run_in(&topology, &plan.steps, &[200; 2], ring(), world).0;
                    let mut broken_world = healthy.clone();
                    broken_world.faults.push(broken(&plan, step));
                    assert_eq!(run(broken_world), run(healthy), "{}", step.place);
                }
            }
        }
    }
}

/// As after reset, and as others left it.
fn worlds(topology: &Topology) -> Vec<World> {
    let cold = World::cold(topology);
    let mut dirty = cold.clone();
    dirty.make_dirty();
    vec![cold, dirty]
}
