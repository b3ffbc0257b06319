// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every component needs before it is set up.

use std::collections::BTreeSet;

use coretrace_coresight::map::common::{
    AUTHSTATUS, CIDR1, CLAIMCLR, CLAIMSET, CORESIGHT_CLASS, DEVARCH, DEVTYPE, LAR, LSR, PIDR0,
    PIDR1, UNLOCK_KEY, authstatus, cidr1, claimset, devarch, devtype, lsr, pidr0, pidr1,
};
use coretrace_coresight::map::trace_unit::{TRCOSLAR, TRCOSLSR, trcoslsr};
use coretrace_coresight::map::{ARM, ComponentKind, tmc};

use super::builder::Builder;
use super::step::{Action, Inverse};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::Index;

/// What is done with the clocks of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// They are read: each is on.
    Read,
    /// They are turned on.
    On,
    /// The same, and those whose topology says how have this rate in MHz.
    Rate(u32),
}

/// Each clock of the components is on, or is turned on.
pub fn clocks(builder: &mut Builder<'_>, used: &[Index], wanted: Clocks) {
    let topology = builder.topology;
    let clocks = used
        .iter()
        .flat_map(|&component| &topology.components[component].clocks);
    let clocks: BTreeSet<Index> = clocks.copied().collect();
    let divided = |clock: Index| match (wanted, topology.clocks[clock].rate) {
        (Clocks::Rate(mhz), Some(rate)) => Some((rate, rate.divisor(mhz)?)),
        _ => None,
    };
    // A rate is refused before anything is written.
    for &clock in &clocks {
        if let Some((rate, _)) = divided(clock) {
            let source = Action::Check {
                mask: rate.source_mask,
                values: vec![rate.source],
            };
            builder.add_clock(clock, source);
        }
    }
    for &clock in &clocks {
        let on = 1 << topology.clocks[clock].bit;
        let (mask, value) = match divided(clock) {
            Some((rate, divisor)) => (on | rate.divisor_mask(), on | divisor),
            None => (on, on),
        };
        if wanted != Clocks::Read {
            let step = builder.add_clock(clock, Action::Write { mask, value });
            step.inverse = Inverse::Restore;
        }
        let values = vec![value];
        builder.add_clock(clock, Action::Check { mask, values });
    }
}

/// The component is what the topology says.
pub fn identify(builder: &mut Builder<'_>, component: Index) {
    let kind = builder.topology.components[component].kind;
    let low: Vec<u32> = kind
        .parts()
        .iter()
        .map(|part| pidr0::PART_LOW.with(*part))
        .collect();
    let high = kind
        .parts()
        .iter()
        .map(|part| pidr1::PART_HIGH.with(part >> 8));
    let high: BTreeSet<u32> = high.map(|part| part | pidr1::DESIGNER.with(ARM)).collect();
    let high: Vec<u32> = high.into_iter().collect();
    let class = cidr1::CLASS.with(CORESIGHT_CLASS);
    let mut check = |register, role, mask, values: &[u32]| {
        builder.check(component, register, role, RuleId::Ident, (mask, values));
    };
    check(&CIDR1, Role::Class, cidr1::CLASS.mask(), &[class]);
    check(&PIDR0, Role::Class, pidr0::PART_LOW.mask(), &low);
    check(
        &PIDR1,
        Role::Class,
        pidr1::PART_HIGH.mask() | pidr1::DESIGNER.mask(),
        &high,
    );
    if let Some(value) = kind.devtype() {
        check(&DEVTYPE, Role::Ident, devtype::TYPE.mask(), &[value]);
    }
    if let Some(value) = kind.archid() {
        let mask = devarch::ARCHID.mask() | devarch::PRESENT.mask();
        check(
            &DEVARCH,
            Role::Ident,
            mask,
            &[value | devarch::PRESENT.mask()],
        );
    }
}

/// Nobody uses the component.
pub fn owner(builder: &mut Builder<'_>, component: Index) {
    let kind = builder.topology.components[component].kind;
    if kind.has_lock() {
        builder.check(
            component,
            &CLAIMCLR,
            Role::Owner,
            RuleId::Owner,
            (u32::MAX, &[0]),
        );
    }
    if kind.is_memory() {
        let running = tmc::ctl::TRACE_CAPT_EN.mask();
        builder.check(
            component,
            &tmc::CTL,
            Role::Owner,
            RuleId::Owner,
            (running, &[0]),
        );
    }
}

/// The system allows the debug that the component needs.
pub fn allowed(builder: &mut Builder<'_>, component: Index) {
    let needed = match builder.topology.components[component].kind {
        ComponentKind::Etm4 | ComponentKind::Stm => authstatus::NSNID,
        ComponentKind::Etr => authstatus::NSID,
        _ => return,
    };
    let on = needed.mask();
    builder.check(
        component,
        &AUTHSTATUS,
        Role::Allowed,
        RuleId::Auth,
        (on, &[on]),
    );
}

/// Opens its locks and claims it.
pub fn open(builder: &mut Builder<'_>, component: Index) {
    let locked = lsr::LOCKED.mask();
    builder.check(component, &LSR, Role::Note, RuleId::Lock, (0, &[0]));
    let step = builder.write(component, &LAR, Role::Unlock, RuleId::Lock, UNLOCK_KEY);
    step.inverse = Inverse::Relock;
    builder.check(
        component,
        &LSR,
        Role::Unlocked,
        RuleId::Lock,
        (locked, &[0]),
    );
    if builder.topology.components[component].kind == ComponentKind::Etm4 {
        builder.check(
            component,
            &TRCOSLSR,
            Role::OsNote,
            RuleId::OsLock,
            (0, &[0]),
        );
        let step = builder.write(component, &TRCOSLAR, Role::OsUnlock, RuleId::OsLock, 0);
        step.inverse = Inverse::OsRelock;
        let locked = trcoslsr::LOCKED.mask();
        builder.check(
            component,
            &TRCOSLSR,
            Role::OsUnlocked,
            RuleId::OsLock,
            (locked, &[0]),
        );
    }
    let tag = claimset::SELF_HOSTED.mask();
    let step = builder.write(component, &CLAIMSET, Role::Claim, RuleId::Claim, tag);
    step.inverse = Inverse::Unclaim;
    builder.check(
        component,
        &CLAIMCLR,
        Role::Claimed,
        RuleId::Claim,
        (u32::MAX, &[tag]),
    );
}
