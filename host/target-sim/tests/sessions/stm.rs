// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system trace of software: it arrives as STP packets, alone and beside the trace of cores.

use coretrace_stm::{Kind, Parser, State, Step, nibbles};
use coretrace_target::{
    Ending, Journal, Options, Plan, PlanError, Topology, Wanted, execute, undo,
};
use coretrace_target_sim::{Ticks, World};

use crate::session::{options, plan_of, run, zynqmp};

/// The data of an STP stream, with the time of each.
fn written(bytes: &[u8]) -> Vec<(u64, u64)> {
    let (mut parser, mut state, mut written) = (Parser::new(), State::default(), Vec::new());
    let mut last = Step::Packet;
    for nibble in bytes.iter().copied().flat_map(nibbles) {
        last = parser.step(nibble);
        match last {
            Step::More => {}
            Step::Packet => {
                let packet = parser.packet();
                state.apply(packet).expect("a legal packet");
                if packet.opcode.kind == Kind::Data32 {
                    written.push((packet.data, state.timestamp));
                }
            }
            Step::Reserved | Step::Broken => panic!("{last:?}"),
        }
    }
    assert_eq!(last, Step::Packet);
    written
}

#[test]
fn what_a_program_writes_arrives_at_every_sink_beside_any_core() {
    let topology = zynqmp();
    for cores in [&[][..], &["etm0"], &["etm1", "etm3"]] {
        for sinks in [&["tpiu"][..], &["etr"], &["tpiu", "etr"], &["etf2"]] {
            let sources = [&["stm"], cores].concat();
            let plan = plan_of(&topology, &sources, sinks, &options());
            let world = World::cold(&topology);
            let before = world.at_rest();
            let mut verdict = run(&topology, &plan, &plan.steps, world);
            assert_eq!(verdict.at_rest, before, "{sources:?} {sinks:?}");
            verdict.running.clear();
            assert!(verdict.is_good(), "{sources:?} {sinks:?}: {verdict:#?}");
        }
    }
}

#[test]
fn a_stop_ends_a_stream_behind_a_whole_packet_with_or_without_times() {
    let topology = zynqmp();
    for timestamps in [false, true] {
        let options = Options {
            timestamps,
            ..options()
        };
        let plan = plan_of(&topology, &["stm"], &["etf2"], &options);
        let stm = topology.find("stm").expect("an STM");
        for ticks in 0..140 {
            let (mut world, mut journal) = (World::cold(&topology), Journal::default());
            let mut time = Ticks::default();
            let ending = execute(&topology, &plan.steps, &mut world, &mut time, &mut journal);
            assert_eq!(ending, Ending::Done);
            world.run(ticks);
            assert!(undo(&topology, &mut journal, &mut world, &mut time).is_empty());
            let written = written(world.sent(stm));
            assert!(written.is_sorted() && written.len() + 16 > ticks, "{ticks}");
            let has_times = written.iter().any(|(_, time)| *time > 0);
            assert_eq!(has_times, timestamps, "{ticks}");
        }
    }
}

/// Why there is no plan for sources to a sink.
fn refused(topology: &Topology, sources: &[&str], options: &Options) -> PlanError {
    let find = |name: &&str| topology.find(name).expect("a component");
    let wanted = Wanted {
        sources: sources.iter().map(find).collect(),
        sinks: vec![find(&"tpiu")],
        via: vec![],
    };
    Plan::start(topology, &wanted, options).expect_err("refused")
}

#[test]
fn an_stm_is_not_asked_for_what_only_trace_units_send() {
    let topology = zynqmp();
    let asked = [
        Options {
            branch_broadcast: true,
            ..options()
        },
        Options {
            cycle_threshold: Some(64),
            ..options()
        },
        Options {
            user_only: true,
            ..options()
        },
    ];
    for options in asked {
        let error = refused(&topology, &["stm"], &options).to_string();
        assert!(error.contains("sent by trace units"), "{error}");
        plan_of(&topology, &["stm", "etm0"], &["tpiu"], &options);
    }
}
