// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens to a chip, as a line of text. A world is what happened to it: the same events make the same
//! world again.

use std::fmt;
use std::str::FromStr;

use coretrace_target::Topology;

use crate::chip::SimulatedChip;

/// Something that happens to a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A read of an address: `R` and the address.
    Read(u64),
    /// A write: `W`, the address, the value.
    Write(u64, u32),
    /// Time passes: `T` and the ticks.
    Time(usize),
    /// A condition is imposed: `C` and its name.
    Condition(String),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Read(address) => write!(f, "R {address:010x}"),
            Event::Write(address, value) => write!(f, "W {address:010x} {value:08x}"),
            Event::Time(ticks) => write!(f, "T {ticks}"),
            Event::Condition(name) => write!(f, "C {name}"),
        }
    }
}

/// A line that is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoEvent;

impl FromStr for Event {
    type Err = NoEvent;

    fn from_str(line: &str) -> Result<Event, NoEvent> {
        let (kind, rest) = line.split_once(' ').ok_or(NoEvent)?;
        let address = |text| u64::from_str_radix(text, 16).map_err(|_| NoEvent);
        match kind {
            "R" => Ok(Event::Read(address(rest)?)),
            "W" => {
                let (to, value) = rest.split_once(' ').ok_or(NoEvent)?;
                let value = u32::from_str_radix(value, 16).map_err(|_| NoEvent)?;
                Ok(Event::Write(address(to)?, value))
            }
            "T" => rest.parse().map(Event::Time).map_err(|_| NoEvent),
            "C" => Ok(Event::Condition(rest.to_owned())),
            _ => Err(NoEvent),
        }
    }
}

impl Event {
    /// Lets it happen to a chip; what a read or a write answers is known to whoever made it.
    ///
    /// # Errors
    /// If it is a condition that cannot be imposed.
    pub fn happen(&self, topology: &Topology, chip: &mut dyn SimulatedChip) -> Result<(), String> {
        match self {
            Event::Read(address) => drop(chip.read32(*address)),
            Event::Write(address, value) => drop(chip.write32(*address, *value)),
            Event::Time(ticks) => chip.pass(*ticks),
            Event::Condition(name) => chip.world_mut().impose(topology, name)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_read_as_it_was_written_and_other_lines_are_refused() {
        for event in [
            Event::Read(0xFE98_0000),
            Event::Write(0xFE98_0304, 0x1040),
            Event::Time(100),
            Event::Condition("claimed=etf1".to_owned()),
        ] {
            assert_eq!(event.to_string().parse(), Ok(event));
        }
        for line in ["", "R", "R x", "W 10", "W 10 123456789", "T -1", "X 1"] {
            assert_eq!(line.parse::<Event>(), Err(NoEvent), "{line}");
        }
    }
}
