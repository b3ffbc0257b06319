// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets up a trace unit of ETMv4.
//!
//! Every register that must be programmed before EN is written, and every resource is set to 0. Address,
//! context and single-shot comparators are left as they are: no selector and no range uses them.

use coretrace_coresight::map::Register;
use coretrace_coresight::map::trace_unit::{
    TRCAUXCTLR, TRCBBCTLR, TRCCCCTLR, TRCCNTCTLR, TRCCNTRLDVR, TRCCNTVR, TRCCONFIGR, TRCEVENTCTL0R,
    TRCEVENTCTL1R, TRCEXTINSELR, TRCIDR0, TRCIDR1, TRCIDR2, TRCIDR3, TRCIDR8, TRCPDCR, TRCPDSR,
    TRCPRGCTLR, TRCRSCTLR, TRCSEQEVR, TRCSEQRSTEVR, TRCSEQSTR, TRCSTALLCTLR, TRCSTATR, TRCSYNCPR,
    TRCTRACEIDR, TRCTSCTLR, TRCVICTLR, TRCVIIECTLR, TRCVIPCSSCTLR, TRCVISSCTLR, trcauxctlr,
    trcconfigr, trcidr0, trcidr1, trcidr2, trcidr3, trcpdcr, trcpdsr, trcprgctlr, trcstatr,
    trcvictlr,
};

use crate::plan::Options;
use crate::plan::builder::Builder;
use crate::plan::step::{Action, Inverse};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::Index;

/// Resource selectors of a Cortex-A53, A57 and A72 that are not fixed: 2 to 15.
const SELECTORS: u32 = 14;

/// Bytes between periodic syncs, as a power of two: 4096, as Linux.
const SYNC_PERIOD: u32 = 12;

pub fn set_up(builder: &mut Builder<'_>, unit: Index, trace_id: u8, options: &Options) {
    let (pu, power) = (trcpdcr::PU.mask(), trcpdsr::POWER.mask());
    let action = Action::Write {
        mask: pu,
        value: pu,
    };
    let step = builder.add(unit, (&TRCPDCR, 0), Role::Power, RuleId::Power, action);
    step.inverse = Inverse::Restore;
    builder.check(unit, &TRCPDCR, Role::Powered, RuleId::Verify, (pu, &[pu]));
    builder.wait(unit, &TRCPDSR, Role::Powered, RuleId::Power, (power, power));
    capable(builder, unit, options);
    let idle = trcstatr::IDLE.mask();
    builder.write(unit, &TRCPRGCTLR, Role::Halt, RuleId::Idle, 0);
    builder.wait(unit, &TRCSTATR, Role::Halted, RuleId::Idle, (idle, idle));
    for (register, value) in settings(trace_id, options) {
        for index in 0..register.count.min(SELECTORS) {
            builder.configure(unit, (register, index), RuleId::Idle, value);
        }
    }
    // A unit with a fixed period does not take it.
    builder.write(unit, &TRCSYNCPR, Role::Configure, RuleId::Idle, SYNC_PERIOD);
    builder.check(unit, &TRCSYNCPR, Role::Taken, RuleId::Verify, (0, &[0]));
    let on = trcprgctlr::EN.mask();
    let step = builder.write(unit, &TRCPRGCTLR, Role::Enable, RuleId::Sink, on);
    step.inverse = Inverse::Stop;
    builder.wait(unit, &TRCSTATR, Role::Enabled, RuleId::Idle, (idle, 0));
}

/// Notes what decoders must know of the unit, and checks that it is an ETMv4 that can trace what is asked
/// for.
fn capable(builder: &mut Builder<'_>, unit: Index, options: &Options) {
    let features = [
        (options.branch_broadcast, trcidr0::TRCBB),
        (options.cycle_threshold.is_some(), trcidr0::TRCCCI),
        (options.return_stack, trcidr0::RETSTACK),
    ];
    let asked = features.iter().filter(|(is_asked, _)| *is_asked);
    let features = asked.fold(0, |mask, (_, field)| mask | field.mask());
    let (size, words) = (trcidr2::CIDSIZE.mask(), trcidr2::CIDSIZE.with(4));
    let (size, words) = match options.context_ids {
        true => (size, words),
        false => (0, 0),
    };
    let mut has = |register: &Register, rule: RuleId, mask: u32, value: u32| {
        builder.check(unit, register, Role::Capable, rule, (mask, &[value]));
    };
    has(&TRCIDR0, RuleId::Decode, features, features);
    has(&TRCIDR2, RuleId::Decode, size, words);
    has(&TRCIDR8, RuleId::Decode, 0, 0);
    let version = trcidr1::TRCARCHMAJ;
    has(&TRCIDR1, RuleId::Ident, version.mask(), version.with(4));
    // A unit for several cores needs TRCPROCSELR, and its cores are not numbered alike.
    has(&TRCIDR3, RuleId::Ident, trcidr3::NUMPROC.mask(), 0);
    if let Some(value) = options.cycle_threshold {
        let mask = trcidr3::CCITMIN.mask();
        let action = Action::AtMost { mask, value };
        let place = (&TRCIDR3, 0);
        builder.add(unit, place, Role::Capable, RuleId::Decode, action);
    }
}

/// The registers and their values, in the order of Linux.
fn settings(trace_id: u8, options: &Options) -> [(&'static Register, u32); 21] {
    let on = |is_on: bool, mask: u32| if is_on { mask } else { 0 };
    let config = trcconfigr::ONE.mask()
        | on(options.branch_broadcast, trcconfigr::BB.mask())
        | on(options.cycle_threshold.is_some(), trcconfigr::CCI.mask())
        | on(options.context_ids, trcconfigr::CID.mask())
        | on(options.timestamps, trcconfigr::TS.mask())
        | on(options.return_stack, trcconfigr::RS.mask());
    // Non-secure EL2 and, if asked for, EL1 are left out, and all secure levels that a core has.
    let levels = if options.user_only { 0b0110 } else { 0b0100 };
    let include = trcvictlr::EVENT.with(1)
        | trcvictlr::SSSTATUS.mask()
        | trcvictlr::EXLEVEL_S.with(0b1011)
        | trcvictlr::EXLEVEL_NS.with(levels);
    [
        (&TRCCONFIGR, config),
        (&TRCAUXCTLR, trcauxctlr::SYNCDELAY.mask()),
        (&TRCEVENTCTL0R, 0),
        (&TRCEVENTCTL1R, 0),
        (&TRCSTALLCTLR, 0),
        (&TRCTSCTLR, 0),
        (&TRCCCCTLR, options.cycle_threshold.unwrap_or(0)),
        (&TRCBBCTLR, 0),
        (&TRCTRACEIDR, trace_id.into()),
        (&TRCVICTLR, include),
        (&TRCVIIECTLR, 0),
        (&TRCVISSCTLR, 0),
        // A unit without PE comparators does not have it, and leaves the write out.
        (&TRCVIPCSSCTLR, 0),
        (&TRCSEQEVR, 0),
        (&TRCSEQRSTEVR, 0),
        (&TRCSEQSTR, 0),
        (&TRCEXTINSELR, 0),
        (&TRCCNTRLDVR, 0),
        (&TRCCNTCTLR, 0),
        (&TRCCNTVR, 0),
        (&TRCRSCTLR, 0),
    ]
}
