// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes that others made, found by name.

use coretrace_coresight::map::ComponentKind;
use coretrace_coresight::map::common::AUTHSTATUS;
use coretrace_target::plan::{Part, Plan, Role, Step};
use coretrace_target::rules::RuleId;
use coretrace_target::{Bus, Ending, Journal, Options, Topology, Wanted, execute, undo};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, run, zynqmp};

/// Where trace stops if some steps are left out.
fn stops_without(leave_out: impl Fn(&Topology, &Step) -> bool) -> Vec<String> {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let steps: Vec<Step> = plan
        .steps
        .iter()
        .filter(|step| !leave_out(&topology, step))
        .cloned()
        .collect();
    assert!(steps.len() < plan.steps.len());
    let verdict = run(&topology, &plan, &steps, World::cold(&topology));
    assert!(!verdict.arrived);
    verdict.lost.iter().map(ToString::to_string).collect()
}

#[test]
fn fifos_that_were_never_enabled_stop_trace_at_the_first_of_them() {
    let is_fifo = |topology: &Topology, step: &Step| {
        let Part::Component(index) = step.part else {
            return false;
        };
        topology.components[index].name.starts_with("etf")
    };
    // What the funnel holds cannot be flushed into it either.
    let held = "stops at funnel1: an input was closed before a flush";
    assert_eq!(
        stops_without(is_fifo),
        ["stops at etf1: it does not capture", held]
    );
}

#[test]
fn a_port_width_that_was_left_at_1_stops_trace_at_the_port() {
    let is_width = |_: &Topology, step: &Step| step.place == "tpiu.CSPSR";
    let why = "stops at tpiu: the port has another width than its receiver";
    assert_eq!(stops_without(is_width), [why]);
}

#[test]
fn bases_that_are_too_low_are_refused_before_any_write() {
    let mut low = zynqmp();
    for component in &mut low.components {
        component.base -= 0x80_0000;
    }
    let plan = plan(&low, &[0], &["tpiu"]);
    let mut world = World::cold(&zynqmp());
    let ending = execute(
        &low,
        &plan.steps,
        &mut world,
        &mut Ticks::default(),
        &mut Journal::default(),
    );
    let Ending::Refused(failure) = ending else {
        panic!("{ending:?}")
    };
    assert!(failure.to_string().contains("IDENT"), "{failure}");
    assert_eq!(world.findings.writes, 0);
}

#[test]
fn a_trace_clock_that_is_off_is_named_and_can_be_turned_on_and_off_again() {
    let topology = zynqmp();
    let mut world = World::cold(&topology);
    world.stop_clock(1);
    let before = world.at_rest();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let mut journal = Journal::default();
    let ending = execute(
        &topology,
        &steps,
        &mut world,
        &mut Ticks::default(),
        &mut journal,
    );
    let Ending::Refused(failure) = ending else {
        panic!("{ending:?}")
    };
    let text = failure.to_string();
    assert!(
        text.starts_with("CRF_APB.DBG_TRACE_CTRL is 0x00002500"),
        "{text}"
    );
    assert!(
        failure.advice.contains("PSU__TRACE__PERIPHERAL__ENABLE"),
        "{}",
        failure.advice
    );
    assert!(world.findings.aborted.is_empty());

    let wanted = Wanted {
        sources: vec![topology.trace_unit(0).expect("a core")],
        sinks: vec![topology.find("tpiu").expect("a sink")],
        via: vec![],
    };
    let options = Options {
        enable_clocks: true,
        ..Options::default()
    };
    let plan = Plan::start(&topology, &wanted, &options).expect("a plan");
    let mut journal = Journal::default();
    let ending = execute(
        &topology,
        &plan.steps,
        &mut world,
        &mut Ticks::default(),
        &mut journal,
    );
    assert_eq!(ending, Ending::Done);
    assert!(undo(&topology, &mut journal, &mut world, &mut Ticks::default()).is_empty());
    assert_eq!(world.at_rest(), before);
}

#[test]
fn a_rate_of_the_trace_clock_is_its_divisor_and_is_given_back() {
    let topology = zynqmp();
    let clock = topology.clocks[1].address;
    let plan = |trace_mhz| {
        let options = Options {
            trace_mhz: Some(trace_mhz),
            ..Options::default()
        };
        let wanted = Wanted {
            sources: vec![topology.trace_unit(0).expect("a core")],
            sinks: vec![topology.find("tpiu").expect("a sink")],
            via: vec![],
        };
        Plan::start(&topology, &wanted, &options)
    };
    for wrong in [0, 3, 333, 1000] {
        let error = plan(wrong).expect_err("no such rate").to_string();
        assert!(error.contains("divided by a whole number"), "{error}");
    }
    for (mhz, value) in [(250, 0x0100_0200), (100, 0x0100_0500), (500, 0x0100_0100)] {
        let mut world = World::cold(&topology);
        world.stop_clock(1);
        let before = world.at_rest();
        let (mut time, mut journal) = (Ticks::default(), Journal::default());
        let steps = plan(mhz).expect("a plan").steps;
        let ending = execute(&topology, &steps, &mut world, &mut time, &mut journal);
        assert_eq!(ending, Ending::Done);
        assert_eq!(world.read32(clock), Ok(value));
        assert!(undo(&topology, &mut journal, &mut world, &mut time).is_empty());
        assert_eq!(world.at_rest(), before);
    }
    // From another source the rate would be another one.
    let mut world = World::cold(&topology);
    world.write32(clock, 0x0100_2502).expect("written");
    world.findings.writes = 0;
    let (mut time, mut journal) = (Ticks::default(), Journal::default());
    let steps = plan(250).expect("a plan").steps;
    let ending = execute(&topology, &steps, &mut world, &mut time, &mut journal);
    assert!(matches!(ending, Ending::Refused(_)), "{ending:?}");
    assert_eq!(world.findings.writes, 0);
}

#[test]
fn debug_that_is_forbidden_is_refused_before_any_write_where_it_is_needed() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["etr"]);
    for (name, is_needed) in [("etm0", true), ("etr", true), ("etf1", false)] {
        let mut world = World::cold(&topology);
        let component = topology.find(name).expect("a component");
        world.leave(component, AUTHSTATUS.offset, 0);
        let (mut time, mut journal) = (Ticks::default(), Journal::default());
        let ending = execute(&topology, &plan.steps, &mut world, &mut time, &mut journal);
        let Ending::Refused(failure) = ending else {
            assert!(!is_needed && ending == Ending::Done, "{name}: {ending:?}");
            continue;
        };
        assert!(is_needed, "{failure}");
        let place = format!("{name}.AUTHSTATUS is 0x00000000");
        assert!(failure.to_string().starts_with(&place), "{failure}");
        assert_eq!(world.findings.writes, 0);
    }
}

#[test]
fn a_trace_unit_that_the_system_forbids_answers_with_an_error() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["etf2"]);
    let is_blind = |step: &&Step| step.role != Role::Allowed;
    let steps: Vec<Step> = plan.steps.iter().filter(is_blind).cloned().collect();
    let mut world = World::cold(&topology);
    let unit = topology.trace_unit(0).expect("a core");
    world.leave(unit, AUTHSTATUS.offset, 0);
    let before = world.at_rest();
    let verdict = run(&topology, &plan, &steps, world);
    assert_eq!((verdict.ending, verdict.at_rest), (4, before));
    assert_eq!(Vec::from_iter(verdict.aborted), ["etm0"]);
}

#[test]
fn a_trace_unit_of_another_architecture_is_refused_by_name() {
    let topology = zynqmp();
    let wanted = Wanted {
        sources: vec![topology.find("r5etm0").expect("a unit")],
        sinks: vec![topology.find("tpiu").expect("a sink")],
        via: vec![],
    };
    let error = Plan::start(&topology, &wanted, &Options::default()).expect_err("refused");
    assert!(
        error
            .to_string()
            .starts_with("r5etm0: its trace unit is an ETMv3"),
        "{error}"
    );
}

#[test]
fn an_etmv3_that_a_topology_takes_for_an_etmv4_is_left_alone() {
    let chip = zynqmp();
    let mut wrong = chip.clone();
    let unit = wrong.find("r5etm0").expect("a unit");
    wrong.components[unit].kind = ComponentKind::Etm4;
    let plan = plan(&wrong, &[4], &["tpiu"]);
    let start = |steps: &[Step], world: &mut World| {
        let (mut time, mut journal) = (Ticks::default(), Journal::default());
        execute(&wrong, steps, world, &mut time, &mut journal)
    };
    let mut world = World::cold(&chip);
    let Ending::Refused(failure) = start(&plan.steps, &mut world) else {
        panic!("it was not refused")
    };
    let text = failure.to_string();
    assert!(
        text.starts_with("r5etm0.") && text.contains("IDENT"),
        "{text}"
    );
    assert_eq!(world.findings.writes, 0);
    // Who does not look writes registers that an ETMv3 does not have.
    let is_blind = |step: &&Step| step.rules[0] != RuleId::Ident;
    let blind: Vec<Step> = plan.steps.iter().filter(is_blind).cloned().collect();
    let mut world = World::cold(&chip);
    assert_ne!(start(&blind, &mut world), Ending::Done);
    let mut violations = world.findings.violations.iter();
    assert!(violations.any(|of| of.component == "r5etm0" && of.rule == "MAP"));
}

#[test]
fn registers_that_are_read_back_while_the_unit_traces_are_reported() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let unit = Part::Component(topology.trace_unit(0).expect("a core"));
    let (late, mut steps): (Vec<Step>, Vec<Step>) = plan
        .steps
        .iter()
        .cloned()
        .partition(|step| step.part == unit && step.role == Role::Verify);
    steps.extend(late);
    let verdict = run(&topology, &plan, &steps, World::cold(&topology));
    let rules: Vec<&str> = verdict
        .violations
        .iter()
        .map(|violation| violation.rule)
        .collect();
    assert!(
        !rules.is_empty() && rules.iter().all(|rule| *rule == "IDLE"),
        "{rules:?}"
    );
    assert_eq!(verdict.ending, 4);
}
