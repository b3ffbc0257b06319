// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core behind the trace port: its records reach the host, or are counted as lost.

use coretrace_abi::registers::csr::{Control, LostWords};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Kind, Record, Registers};
use coretrace_streams::{Item, Reader as Stream, Start};
use coretrace_target::plan::Step;
use coretrace_target::ring::{Reader, Ring};
use coretrace_target::{Bus, Ending, Journal, Options, Plan, Topology, Wanted, execute, undo};
use coretrace_target_sim::{Ticks, World};

use crate::session::zynqmp;

const CORE: u64 = 0xA000_0000;
const DMA: u64 = 0xA001_0000;

fn ring() -> Ring {
    Ring::new(0x7000_0000, 0x2_0000).expect("a ring")
}

fn plan(topology: &Topology) -> Plan {
    let wanted = Wanted {
        sources: vec![topology.trace_unit(0).expect("a core")],
        sinks: vec![topology.find("tpiu").expect("a sink")],
        via: vec![],
    };
    let core = topology.receiver("core").expect("a core");
    let options = Options {
        receiver: Some((core, ring())),
        ..Options::default()
    };
    Plan::start(topology, &wanted, &options).expect("a plan")
}

/// What a session gave.
#[derive(Clone, Debug, Default, PartialEq)]
struct Got {
    ending: u8,
    is_clean: bool,
    /// How the stream says that it begins.
    starts: Vec<Start>,
    /// Records of the stream, losses in it, words lost by the counter.
    records: Vec<Record>,
    losses: usize,
    lost_words: u32,
}

/// Runs a session; `visits` says after how many ticks the host reads the ring, time after time.
fn run(topology: &Topology, steps: &[Step], visits: &[usize]) -> (Got, World) {
    let (mut world, mut journal) = (World::cold(topology), Journal::default());
    let (mut time, mut words) = (Ticks::default(), Vec::new());
    let mut reader = Reader::new(ring(), DMA);
    ring().post(&mut world).expect("memory");
    let ending = execute(topology, steps, &mut world, &mut time, &mut journal);
    let mut code = ending.exit_code();
    if ending == Ending::Done {
        for &ticks in visits {
            world.run(ticks);
            reader.take(&mut world, &mut words).expect("packets");
        }
        if !undo(topology, &mut journal, &mut world, &mut time).is_empty() {
            code = 5;
        }
        reader.finish(&mut world, &mut words).expect("packets");
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
        is_clean: world.findings.violations.is_empty() && world.findings.lost.is_empty(),
        lost_words,
        ..read(&words)
    };
    (got, world)
}

/// What a stream says.
fn read(words: &[u32]) -> Got {
    let mut got = Got::default();
    let mut stream = Stream::new();
    let mut take = |item: Item<'_>| match item {
        Item::Record(record) => got.records.push(*record),
        Item::Lost(_) => got.losses += 1,
        Item::Start(start) => got.starts.push(*start),
        Item::Source(_) | Item::Skipped(_) | Item::Gap(_) => panic!("{item:?}"),
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
    let steps = plan(&topology).steps;
    let (good, _) = run(&topology, &steps, &[500; 4]);
    let last = |place: &str| {
        let found = steps
            .iter()
            .rposition(|step| step.place == place && step.is_write());
        found.unwrap_or_else(|| panic!("no {place}"))
    };
    for (moved, before) in [
        ("core.SOURCE_CONTROL", "core.DMACR"),
        ("core.SOURCE_CONTROL", "core.TRCCONFIGR"),
        ("core.SOURCE_CONTROL", "core.CONTROL"),
        ("core.TRCCONFIGR", "etm0.TRCCONFIGR"),
        ("core.TRCIDR0", "etm0.TRCOSLAR"),
        ("core.TAILDESC", "core.CURDESC"),
    ] {
        let (from, to) = (last(moved), last(before));
        assert!(to < from, "{before} is before {moved}");
        let mut turned = steps.clone();
        let step = turned.remove(from);
        turned.insert(to, step);
        let (found, _) = run(&topology, &turned, &[500; 4]);
        assert_ne!(found, good, "{moved} before {before}");
    }
}
