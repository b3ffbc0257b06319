// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gaps: tracing began again behind instructions.

use serde::{Deserialize, Serialize};

/// What came first in a part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum First {
    Nothing,
    Instructions,
    TraceOn,
    Loss,
}

/// Finds the gaps of a source, or of a part of it. A loss is none, and neither is the beginning.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Gaps {
    first: First,
    /// Instructions ran since the last gap or loss.
    has_run: bool,
}

impl Gaps {
    /// Nothing came yet.
    pub const NEW: Gaps = Gaps {
        first: First::Nothing,
        has_run: false,
    };

    fn begin(&mut self, first: First) {
        if self.first == First::Nothing {
            self.first = first;
        }
    }

    /// Instructions.
    #[inline]
    pub fn run(&mut self) {
        self.begin(First::Instructions);
        self.has_run = true;
    }

    /// The place in the program was lost.
    pub fn lose(&mut self) {
        self.begin(First::Loss);
        self.has_run = false;
    }

    /// Tracing began: whether that is a gap.
    pub fn trace_on(&mut self) -> bool {
        self.begin(First::TraceOn);
        std::mem::take(&mut self.has_run)
    }

    /// The part behind this one: whether it begins with a gap that only this one shows.
    pub fn append(&mut self, later: Gaps) -> bool {
        let is_gap = self.has_run && later.first == First::TraceOn;
        self.begin(later.first);
        if later.first != First::Nothing {
            self.has_run = later.has_run;
        }
        is_gap
    }
}
