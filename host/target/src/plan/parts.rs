// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each kind of component needs to be set up.

mod stm;
mod trace_unit;

use coretrace_coresight::map::links::{funnel, replicator, timestamp as generator};
use coretrace_coresight::map::{ComponentKind, tmc, tpiu};

use super::Options;
use super::builder::Builder;
use super::step::{Action, Inverse};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::{Hop, Index};

/// FFCR of a TMC in a session.
pub const TMC_FORMATTER: u32 = tmc::ffcr::EN_FT.mask() | tmc::ffcr::EN_TI.mask();

/// FFCR of a TPIU in a session.
pub const TPIU_FORMATTER: u32 = tpiu::ffcr::EN_FTC.mask() | tpiu::ffcr::EN_FCONT.mask();

/// AXICTL of an ETR: bursts of 16, write back and allocate, non-secure. Linux writes the same.
const AXI: u32 =
    tmc::axictl::BURST.with(15) | tmc::axictl::CACHE.with(15) | tmc::axictl::PROT.with(2);

/// Sets up a component on a route; `trace_id` is that of a source.
pub fn set_up(builder: &mut Builder<'_>, hop: &Hop, trace_id: Option<u8>, options: &Options) {
    match builder.topology.components[hop.component].kind {
        ComponentKind::Etm4 => {
            trace_unit::set_up(builder, hop.component, trace_id.unwrap_or(0), options);
        }
        ComponentKind::Funnel => open_inputs(builder, hop),
        ComponentKind::Replicator => open_outputs(builder, hop),
        ComponentKind::Etb | ComponentKind::Etf | ComponentKind::Etr => {
            memory(builder, hop, options)
        }
        ComponentKind::Tpiu => port(builder, hop.component),
        ComponentKind::Stm => stm::set_up(builder, hop.component, trace_id.unwrap_or(0), options),
        ComponentKind::Etm3 | ComponentKind::Timestamp | ComponentKind::Cti => {}
    }
}

/// Lets the timestamp generator count.
pub fn timestamp(builder: &mut Builder<'_>, component: Index) {
    let on = generator::cntcr::EN.mask();
    enable(
        builder,
        component,
        (&generator::CNTCR, 0),
        RuleId::Sink,
        (on, on),
    );
}

/// Opens the inputs of a funnel; the others and the hold time stay as they are.
fn open_inputs(builder: &mut Builder<'_>, hop: &Hop) {
    let open = hop.inputs.iter().fold(0, |mask, input| mask | 1 << input);
    enable(
        builder,
        hop.component,
        (&funnel::CTRL, 0),
        RuleId::Sink,
        (open, open),
    );
}

/// Opens the wanted outputs of a replicator and closes the others.
fn open_outputs(builder: &mut Builder<'_>, hop: &Hop) {
    for output in 0..replicator::IDFILTER.count {
        let is_wanted = hop.outputs.contains(&(output as usize));
        let value = if is_wanted { 0 } else { replicator::BLOCK_ALL };
        let place = (&replicator::IDFILTER, output);
        enable(
            builder,
            hop.component,
            place,
            RuleId::Filter,
            (u32::MAX, value),
        );
    }
}

/// Changes what a link passes and reads it back; the old value is restored.
fn enable(
    builder: &mut Builder<'_>,
    component: Index,
    place: (&coretrace_coresight::map::Register, u32),
    rule: RuleId,
    (mask, value): (u32, u32),
) {
    let step = builder.add(
        component,
        place,
        Role::Enable,
        rule,
        Action::Write { mask, value },
    );
    step.inverse = Inverse::Restore;
    let check = Action::Check {
        mask,
        values: vec![value],
    };
    builder.add(component, place, Role::Enabled, RuleId::Verify, check);
}

/// A TMC: a FIFO if trace goes on, a circular buffer at the end of a path.
fn memory(builder: &mut Builder<'_>, hop: &Hop, options: &Options) {
    let component = hop.component;
    let is_sink = hop.outputs.is_empty();
    let ready = tmc::sts::READY.mask();
    builder.wait(
        component,
        &tmc::STS,
        Role::Halted,
        RuleId::TmcDis,
        (ready, ready),
    );
    let mode = if is_sink {
        tmc::CIRCULAR_BUFFER
    } else {
        tmc::HARDWARE_FIFO
    };
    let mut set = |register, rule, value| builder.configure(component, (register, 0), rule, value);
    set(&tmc::MODE, RuleId::TmcDis, mode);
    set(&tmc::FFCR, RuleId::Format, TMC_FORMATTER);
    set(&tmc::BUFWM, RuleId::TmcDis, 0);
    if is_sink {
        set(&tmc::TRG, RuleId::TmcDis, 0);
    }
    if builder.topology.components[component].kind == ComponentKind::Etr
        && let Some((address, bytes)) = options.memory
    {
        let words = [
            (&tmc::RSZ, bytes / 4),
            (&tmc::AXICTL, AXI),
            (&tmc::DBALO, address as u32),
            (&tmc::DBAHI, (address >> 32) as u32),
        ];
        for (register, value) in words {
            builder.configure(component, (register, 0), RuleId::TmcDis, value);
        }
    }
    let on = tmc::ctl::TRACE_CAPT_EN.mask();
    let step = builder.write(component, &tmc::CTL, Role::Enable, RuleId::Sink, on);
    step.inverse = Inverse::Stop;
    builder.check(
        component,
        &tmc::CTL,
        Role::Enabled,
        RuleId::Verify,
        (on, &[on]),
    );
}

/// A trace port that is stopped, with 32 pins.
fn stopped_port(builder: &mut Builder<'_>, component: Index) {
    let (stop, flush) = (tpiu::ffcr::STOP_FL.mask(), tpiu::ffcr::F_ON_MAN.mask());
    builder.write(component, &tpiu::FFCR, Role::Halt, RuleId::TmcDis, stop);
    builder.write(
        component,
        &tpiu::FFCR,
        Role::Halt,
        RuleId::Flush,
        stop | flush,
    );
    builder.wait(
        component,
        &tpiu::FFCR,
        Role::Halted,
        RuleId::TmcDis,
        (flush, 0),
    );
    let stopped = tpiu::ffsr::FT_STOPPED.mask();
    builder.wait(
        component,
        &tpiu::FFSR,
        Role::Halted,
        RuleId::TmcDis,
        (stopped, stopped),
    );
    builder.configure(component, (&tpiu::CSPSR, 0), RuleId::TmcDis, tpiu::PORT_32);
}

/// A trace port that makes a test pattern.
pub fn pattern(builder: &mut Builder<'_>, component: Index, value: u32) {
    stopped_port(builder, component);
    let place = (&tpiu::TESTPATTERN, 0);
    enable(builder, component, place, RuleId::TmcDis, (u32::MAX, value));
}

/// The trace port: stopped, 32 pins, no test pattern, syncs as after reset, continuous.
fn port(builder: &mut Builder<'_>, component: Index) {
    stopped_port(builder, component);
    builder.configure(component, (&tpiu::TESTPATTERN, 0), RuleId::Pattern, 0);
    builder.configure(
        component,
        (&tpiu::FSCR, 0),
        RuleId::TmcDis,
        tpiu::FULL_SYNC_FRAMES,
    );
    let step = builder.write(
        component,
        &tpiu::FFCR,
        Role::Enable,
        RuleId::Format,
        TPIU_FORMATTER,
    );
    step.inverse = Inverse::Stop;
    builder.check(
        component,
        &tpiu::FFCR,
        Role::Enabled,
        RuleId::Verify,
        (u32::MAX, &[TPIU_FORMATTER]),
    );
}
