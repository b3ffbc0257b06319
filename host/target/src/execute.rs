// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the steps of a plan, and undoes them if one fails.

use crate::bus::{Bus, BusError, Time};
use crate::journal::Journal;
use crate::plan::{Part, Step};
use crate::run::{Failure, run};
use crate::topology::Topology;
use crate::undo::undo;

/// How a start ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every step was done.
    Done,
    /// A check failed before anything was written.
    Refused(Failure),
    /// A step failed, and everything was undone.
    Undone(Failure),
    /// A step failed, and so did what should undo it: this is left.
    Left(Failure, Vec<Failure>),
}

impl Ending {
    /// The exit code of a program: 0 done, 3 refused, 4 undone, 5 something is left.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused(_) => 3,
            Self::Undone(_) => 4,
            Self::Left(..) => 5,
        }
    }

    /// What failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Done => None,
            Self::Refused(failure) | Self::Undone(failure) | Self::Left(failure, _) => {
                Some(failure)
            }
        }
    }
}

/// Runs steps and enters them into the journal; after a failure the journal is undone.
pub fn execute(
    topology: &Topology,
    steps: &[Step],
    bus: &mut dyn Bus,
    time: &mut dyn Time,
    journal: &mut Journal,
) -> Ending {
    for step in steps {
        let Err((seen, error)) = run(step, bus, time, journal) else {
            continue;
        };
        let failure = Failure {
            advice: advice(topology, step, error.as_ref()),
            step: step.clone(),
            seen,
            error,
        };
        if !journal.has_written() {
            return Ending::Refused(failure);
        }
        let left = undo(topology, journal, bus, time);
        return if left.is_empty() {
            Ending::Undone(failure)
        } else {
            Ending::Left(failure, left)
        };
    }
    Ending::Done
}

/// What a user can do about a step that failed.
fn advice(topology: &Topology, step: &Step, error: Option<&BusError>) -> String {
    use crate::rules::RuleId;
    match error {
        Some(BusError::Aborted) => {
            return "check that the address is that of this chip, and that debug is allowed"
                .to_owned();
        }
        Some(BusError::Interrupted) => return "start it again when you want it".to_owned(),
        _ => {}
    }
    if let Part::Clock(clock) = step.part {
        let of = &topology.clocks[clock];
        let rate = match of.rate {
            Some(_) => " and --trace-mhz",
            None => "",
        };
        return format!("{}, or give --enable-clocks{rate}", of.advice);
    }
    match step.rules[0] {
        RuleId::Ident => "this is another component: check the topology and its addresses",
        RuleId::Owner => "end the debugger, the kernel driver or the other session that uses it",
        RuleId::Auth => {
            "the system forbids this debug: its boot or the signals of its debug must allow it"
        }
        RuleId::Claim => "somebody else took it at the same time: try again",
        RuleId::Lock | RuleId::OsLock => "something outside keeps it locked: end the debugger",
        RuleId::Decode => "the trace unit cannot do what is asked for: leave the option out",
        RuleId::Power => "keep the core online and out of idle states that turn it off",
        _ => "read its status; if it does not answer, the chip must be reset",
    }
    .to_owned()
}
