// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes in with a byte, besides the byte.

use coretrace_hdl_dataflow::{Word, named};

/// The first register of a decoder.
#[derive(Clone, Copy)]
pub(crate) struct Input<T> {
    /// No reset.
    pub lives: T,
    /// There is a byte.
    pub valid: T,
    /// Bytes were lost before it.
    pub lost: T,
    /// Error policy: 0 resync, 1 lenient.
    pub lenient: T,
}

#[named]
impl<T: Word> Input<T> {
    /// From the ports of these names.
    pub fn new(reset: T, valid: T, discontinuity: T, lenient: T) -> Input<T> {
        let lives = reset.not();
        let comes = valid.and(lives);
        Input {
            lives: lives.reg(),
            valid: comes.reg(),
            lost: comes.and(discontinuity).reg(),
            lenient: lenient.steady(),
        }
    }

    /// Nothing before it counts.
    pub fn restarts(&self) -> T {
        self.lost.or(self.lives.not())
    }
}

/// A flag of the word that comes after the one at a stage.
pub(crate) fn of_next<T: Word>(flag: T, stage: u32) -> T {
    flag.at_stage(stage - 1).next_word()
}
