// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delay lines: which registers may become shift registers of LUTs, and which stay flip-flops.
//!
//! A LUT delays a bit by up to 32 cycles and takes the room of two flip-flops in a CLB. Decoders use
//! up the LUTs of a CLB before its flip-flops, so that only long delays pay. The output of the LUT is
//! slow (408 ps after the clock edge against 79 ps in UltraScale+ at speed grade -2): the last
//! register of a delay line stays a flip-flop. So does each register that something reads besides
//! the next one.

use std::collections::HashSet;

/// The fewest registers that become a shift register: what fills CLBs best, by the wider decoders.
const SHORTEST: usize = 8;

/// What reads a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// Nothing.
    None,
    /// One register, by its number, and nothing else.
    Register(usize),
    /// The register of one output, and nothing else.
    Output,
    /// Logic, or more than one of these.
    Other,
}

impl Load {
    /// Both loads at once.
    pub(super) fn and(self, other: Load) -> Load {
        if self == Load::None {
            other
        } else {
            Load::Other
        }
    }
}

/// The registers that may become shift registers, among `registers`, which are in the order in
/// which they were made: a delay line is made from its start on. `loads` has the load of each
/// register by its number.
pub(super) fn shift_registers(
    registers: impl Iterator<Item = usize>,
    loads: &[Load],
) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut seen = HashSet::new();
    for first in registers {
        let mut line = Vec::new();
        let mut register = first;
        while seen.insert(register) {
            line.push(register);
            match loads[register] {
                Load::Register(next) => register = next,
                _ => break,
            }
        }
        // What an output reads has the register of that output behind it.
        if line.last().is_some_and(|&last| loads[last] != Load::Output) {
            line.pop();
        }
        if line.len() >= SHORTEST {
            found.extend(line);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(loads: &[Load]) -> Vec<usize> {
        let mut found: Vec<usize> = shift_registers(0..loads.len(), loads).into_iter().collect();
        found.sort_unstable();
        found
    }

    /// A delay line of `count` registers, and what reads the last one.
    fn line(count: usize, last: Load) -> Vec<Load> {
        let mut loads: Vec<Load> = (1..count).map(Load::Register).collect();
        loads.push(last);
        loads
    }

    #[test]
    fn the_last_register_of_a_delay_line_stays_a_flip_flop() {
        let inner: Vec<usize> = (0..SHORTEST).collect();
        assert_eq!(shifted(&line(SHORTEST + 1, Load::Other)), inner);
        assert_eq!(shifted(&line(SHORTEST, Load::Output)), inner);
    }

    #[test]
    fn a_register_that_logic_reads_stays_a_flip_flop() {
        let mut loads = line(2 * SHORTEST, Load::Other);
        loads[SHORTEST - 1] = loads[SHORTEST - 1].and(Load::Other);
        assert!(shifted(&loads).is_empty());
    }

    #[test]
    fn a_short_delay_stays_in_flip_flops() {
        assert!(shifted(&line(SHORTEST, Load::Other)).is_empty());
        assert!(shifted(&line(SHORTEST - 1, Load::Output)).is_empty());
    }
}
