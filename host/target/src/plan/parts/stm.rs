// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets up a system trace macrocell: every stimulus port is on for every master, and what programs write there is
//! traced. Hardware events are left as they are.
//!
//! Source: Arm DDI 0528; AMD UG1087, CORESIGHT_SOC_STM.

use coretrace_coresight::map::triggers::stm::{SPER, SPMSCR, SPSCR, SYNCR, TCSR, syncr, tcsr};

use crate::plan::Options;
use crate::plan::builder::Builder;
use crate::plan::step::{Action, Inverse};
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::Index;

/// Bytes between syncs: 1024, in units of 8.
const SYNC_PERIOD: u32 = syncr::COUNT.with(1024 / 8);

pub fn set_up(builder: &mut Builder<'_>, stm: Index, trace_id: u8, options: &Options) {
    let (on, busy) = (tcsr::EN.mask(), tcsr::BUSY.mask());
    let off = Action::Write { mask: on, value: 0 };
    builder.add(stm, (&TCSR, 0), Role::Halt, RuleId::Busy, off);
    builder.wait(stm, &TCSR, Role::Halted, RuleId::Busy, (busy, 0));
    for (register, value) in [
        (&SPMSCR, 0),
        (&SPSCR, 0),
        (&SPER, u32::MAX),
        (&SYNCR, SYNC_PERIOD),
    ] {
        builder.configure(stm, (register, 0), RuleId::Busy, value);
    }
    let value = on | tcsr::TSEN.with(options.timestamps.into()) | tcsr::ID.with(trace_id.into());
    let written = on | tcsr::TSEN.mask() | tcsr::ID.mask();
    let step = builder.write(stm, &TCSR, Role::Enable, RuleId::Sink, value);
    step.inverse = Inverse::Stop;
    builder.check(
        stm,
        &TCSR,
        Role::Enabled,
        RuleId::Verify,
        (written, &[value]),
    );
}
