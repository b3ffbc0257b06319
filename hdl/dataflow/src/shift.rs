// SPDX-License-Identifier: MIT OR Apache-2.0
//! Delay lines: which registers may become shift registers of LUTs, and which stay flip-flops.
//!
//! A LUT takes the room of two flip-flops in a CLB and delays a bit by up to 32 cycles, so that it
//! pays for three registers and more. Its output is slow (408 ps after the clock edge against 79 ps
//! in UltraScale+ at speed grade -2): the last register of a delay line stays a flip-flop. So does
//! each register that something reads besides the next one.

use std::collections::HashSet;

/// The fewest registers that become a shift register. Yosys takes no fewer.
const SHORTEST: usize = 3;

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

    #[test]
    fn the_last_register_of_a_delay_line_stays_a_flip_flop() {
        let line = |last| {
            [
                Load::Register(1),
                Load::Register(2),
                Load::Register(3),
                last,
            ]
        };
        assert_eq!(shifted(&line(Load::Other)), [0, 1, 2]);
        assert_eq!(shifted(&line(Load::Output)), [0, 1, 2, 3]);
    }

    #[test]
    fn a_register_that_logic_reads_stays_a_flip_flop() {
        let both = Load::Register(2).and(Load::Other);
        let line = [Load::Register(1), both, Load::Register(3), Load::Other];
        assert!(shifted(&line).is_empty());
    }

    #[test]
    fn a_short_delay_stays_in_flip_flops() {
        let line = [Load::Register(1), Load::Register(2), Load::Other];
        assert!(shifted(&line).is_empty());
    }
}
