// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a source was traced, and how complete it is.

use serde::{Deserialize, Serialize};

/// Sums over a source. All saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Instructions whose addresses are known.
    pub instructions: u64,
    /// Ranges of them.
    pub ranges: u64,
    /// Instructions between two addresses whose path is not known, as far as the trace counts them.
    pub without_path: u64,
    /// How often a path is not known.
    pub paths_unknown: u64,
    /// How often the program went where no image is.
    pub without_image: u64,
    /// How often the buffer of the trace unit overflowed.
    pub overflows: u64,
    /// How often bytes that are no packet, or contradictions, lost the place in the program.
    pub losses: u64,
    /// How often tracing began.
    pub trace_ons: u64,
    /// How often it began behind instructions, and not behind a loss.
    pub gaps: u64,
    /// Exceptions.
    pub exceptions: u64,
    /// All cycles that were counted.
    pub cycles: u64,
    /// Those of them in front of which there is no instruction.
    pub cycles_without_instruction: u64,
    /// Ticks between the timestamps of a part of the trace without gaps.
    pub ticks: u64,
}

impl Totals {
    /// Adds those of another part or source.
    pub fn merge(&mut self, other: &Totals) {
        for (sum, more) in self.fields_mut().into_iter().zip(other.fields()) {
            *sum = sum.saturating_add(more.1);
        }
    }

    /// Every sum with its name in results.
    pub fn fields(&self) -> [(&'static str, u64); 13] {
        [
            ("instructions", self.instructions),
            ("ranges", self.ranges),
            ("without_path", self.without_path),
            ("paths_unknown", self.paths_unknown),
            ("without_image", self.without_image),
            ("overflows", self.overflows),
            ("losses", self.losses),
            ("trace_ons", self.trace_ons),
            ("gaps", self.gaps),
            ("exceptions", self.exceptions),
            ("cycles", self.cycles),
            (
                "cycles_without_instruction",
                self.cycles_without_instruction,
            ),
            ("ticks", self.ticks),
        ]
    }

    fn fields_mut(&mut self) -> [&mut u64; 13] {
        [
            &mut self.instructions,
            &mut self.ranges,
            &mut self.without_path,
            &mut self.paths_unknown,
            &mut self.without_image,
            &mut self.overflows,
            &mut self.losses,
            &mut self.trace_ons,
            &mut self.gaps,
            &mut self.exceptions,
            &mut self.cycles,
            &mut self.cycles_without_instruction,
            &mut self.ticks,
        ]
    }
}
