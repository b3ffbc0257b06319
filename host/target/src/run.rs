// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs one step.

use std::fmt;
use std::time::Duration;

use crate::bus::{Bus, BusError, Time};
use crate::journal::{Entry, Journal};
use crate::plan::{Action, Step};

/// How long a wait may take.
pub const LIMIT: Duration = Duration::from_millis(100);

/// A step that did not do what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step.
    pub step: Step,
    /// The value that was read, if any.
    pub seen: Option<u32>,
    /// What the bus said, if that was it.
    pub error: Option<BusError>,
    /// What to do, in a sentence.
    pub advice: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.step.place;
        let rule = self.step.rules[0].rule().name;
        if let Some(error) = &self.error {
            return write!(f, "{place}: {error} ({rule})");
        }
        let seen = self.seen.unwrap_or(0);
        match &self.step.action {
            Action::Check { mask, values } => {
                let values: Vec<String> = values.iter().map(|v| format!("{v:#X}")).collect();
                write!(
                    f,
                    "{place} is {seen:#010X}: bits {mask:#X} must be {} ({rule})",
                    values.join(" or ")
                )
            }
            Action::AtMost { mask, value } => {
                write!(
                    f,
                    "{place} is {seen:#010X}: bits {mask:#X} must be at most {value:#X} ({rule})"
                )
            }
            Action::Wait { mask, value } => {
                let limit = LIMIT.as_millis();
                write!(
                    f,
                    "{place} is {seen:#010X} after {limit} ms: bits {mask:#X} must become {value:#X} ({rule})"
                )
            }
            Action::Write { value, .. } => {
                write!(f, "{place} was not written with {value:#X} ({rule})")
            }
            Action::Drain { .. } | Action::Rest { .. } => {
                write!(f, "{place} was not read ({rule})")
            }
            Action::Copy { from } => {
                write!(
                    f,
                    "{place} is {seen:#010X} and not what {from:#X} has ({rule})"
                )
            }
        }
    }
}

type StepError = (Option<u32>, Option<BusError>);

/// Runs a step.
///
/// # Errors
/// The value that was read, or the error of the bus.
pub(crate) fn run(
    step: &Step,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
    journal: &mut Journal,
) -> Result<(), StepError> {
    let on_bus = |error| (None, Some(error));
    let mut enter = |seen| {
        let step = step.clone();
        journal.begin(Entry { step, seen }).map_err(on_bus)
    };
    match &step.action {
        Action::Check { mask, values } => {
            let seen = bus.read32(step.address).map_err(on_bus)?;
            enter(Some(seen))?;
            values
                .contains(&(seen & mask))
                .then_some(())
                .ok_or((Some(seen), None))
        }
        Action::AtMost { mask, value } => {
            let seen = bus.read32(step.address).map_err(on_bus)?;
            enter(Some(seen))?;
            (seen & mask <= *value)
                .then_some(())
                .ok_or((Some(seen), None))
        }
        Action::Wait { mask, value } | Action::Rest { mask, value } => {
            let end = time.now() + LIMIT;
            let may_end = matches!(step.action, Action::Rest { .. });
            loop {
                let seen = bus.read32(step.address).map_err(on_bus)?;
                let is_over = time.now() >= end;
                if seen & mask == *value || may_end && is_over {
                    return enter(Some(seen));
                }
                if is_over {
                    return Err((Some(seen), None));
                }
                time.pause();
            }
        }
        Action::Write { mask, value } => {
            let old = if step.reads_first() {
                Some(bus.read32(step.address).map_err(on_bus)?)
            } else {
                None
            };
            enter(old)?;
            let kept = old.unwrap_or(0) & !mask;
            bus.write32(step.address, kept | value).map_err(on_bus)
        }
        Action::Drain { .. } => {
            let why = "a session has nothing to read here".to_owned();
            Err((None, Some(BusError::Refused(why))))
        }
        Action::Copy { from } => {
            let value = bus.read32(*from).map_err(on_bus)?;
            enter(Some(value))?;
            bus.write32(step.address, value).map_err(on_bus)?;
            let seen = bus.read32(step.address).map_err(on_bus)?;
            (seen == value).then_some(()).ok_or((Some(seen), None))
        }
    }
}
