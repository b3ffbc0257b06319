// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcomes of one kind, from a place on that is followed: atoms, or whether an address follows.

use super::match_candidate::NEAR_W;
use super::outcome_words::WORD;
use coretrace_hdl_dataflow::{Word, mux_tree, named, priority_mux};

/// The newest outcomes, which are in registers, too, for places that are near.
const NEAR: usize = 1 << NEAR_W;

/// An outcome that came, and what memories have of earlier ones.
#[derive(Clone, Copy)]
pub(crate) struct OutcomePorts<T> {
    pub came: T,
    /// The outcomes from the candidate on that are in its word, and the next word.
    pub word: T,
    pub behind: T,
    /// The word that was read further on.
    pub further: T,
}

/// What happens to the place.
pub(crate) struct Move<T> {
    /// Another place is followed: the candidate, behind which so many outcomes came.
    pub loads: T,
    pub candidate_behind: T,
    /// An outcome came; it was the last one of its word.
    pub is_outcome: T,
    pub is_used_up: T,
    /// The next word is there.
    pub fills: T,
    /// Outcomes behind the place that is followed.
    pub behind: T,
}

/// The registers.
pub(crate) struct FollowedOutcomes<T: Word> {
    /// The outcome at a place that is near.
    near: T,
    near_next: T::RegisterHandle,
    /// The outcomes at any other place: what is left of its word, and the next word.
    word: T,
    word_next: T::RegisterHandle,
    behind: T,
    behind_next: T::RegisterHandle,
    newest: T,
    newest_next: T::RegisterHandle,
}

#[named]
impl<T: Word> FollowedOutcomes<T> {
    pub fn registers() -> FollowedOutcomes<T> {
        let (near_outcome, near_next) = T::register(1, 0);
        let (word, word_next) = T::register(WORD as u32, 0);
        let (behind, behind_next) = T::register(WORD as u32, 0);
        let (newest, newest_next) = T::register(NEAR as u32, 0);
        FollowedOutcomes {
            near: near_outcome,
            near_next,
            word,
            word_next,
            behind,
            behind_next,
            newest,
            newest_next,
        }
    }

    /// The outcome that is expected next.
    pub fn expected(&self, is_near: T) -> T {
        is_near.mux(self.near, self.word.bit(0))
    }

    pub fn go(self, ports: OutcomePorts<T>, to: &Move<T>) {
        let with = self.newest.slice(0, NEAR as u32 - 1).concat(ports.came);
        let newest = to.is_outcome.mux(with, self.newest);
        T::set_next(self.newest_next, newest);
        let near_outcome = to.loads.mux(
            outcome_at(newest, to.candidate_behind),
            outcome_at(newest, to.behind),
        );
        T::set_next(self.near_next, near_outcome);
        let shifted = T::constant(0, 1).concat(self.word.slice(1, WORD as u32 - 1));
        let word = priority_mux(
            &[
                (to.loads, ports.word),
                (to.is_used_up, self.behind),
                (to.is_outcome, shifted),
            ],
            self.word,
        );
        T::set_next(self.word_next, word);
        let behind = priority_mux(
            &[(to.loads, ports.behind), (to.fills, ports.further)],
            self.behind,
        );
        T::set_next(self.behind_next, behind);
    }
}

/// The outcome behind which so many came.
#[named]
fn outcome_at<T: Word>(newest: T, behind: T) -> T {
    let outcomes: Vec<T> = (0..newest.width()).map(|bit| newest.bit(bit)).collect();
    mux_tree(&outcomes, behind, NEAR_W as u32)
}
