// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcomes of one kind, from a place on that is followed: atoms, or whether an address follows.

use super::match_candidate::WINDOW_PLACE_W;
use super::outcome_ring::WINDOW;
use coretrace_hdl_dataflow::{Word, mux_tree, named, priority_mux};

/// An outcome that came, and what memories have of earlier ones.
#[derive(Clone, Copy)]
pub(crate) struct OutcomePorts<T> {
    pub came: T,
    /// The outcomes from the candidate on, and those behind the window that is used.
    pub window: T,
    pub further_window: T,
}

/// What happens to the place.
pub(crate) struct Move<T> {
    /// Another place is followed: the candidate, behind which so many outcomes came.
    pub loads: T,
    pub candidate_behind: T,
    /// An outcome came; it was the last one of the window.
    pub is_outcome: T,
    pub is_used_up: T,
    /// Outcomes behind the place that is followed.
    pub behind: T,
}

/// The registers.
pub(crate) struct FollowedOutcomes<T: Word> {
    /// The outcome at a place that is near.
    near: T,
    near_next: T::RegisterHandle,
    /// The outcomes at any other place.
    window: T,
    window_next: T::RegisterHandle,
    newest: T,
    newest_next: T::RegisterHandle,
}

#[named]
impl<T: Word> FollowedOutcomes<T> {
    pub fn registers() -> FollowedOutcomes<T> {
        let (near_outcome, near_next) = T::register(1, 0);
        let (window, window_next) = T::register(WINDOW as u32, 0);
        let (newest, newest_next) = T::register(WINDOW as u32, 0);
        FollowedOutcomes {
            near: near_outcome,
            near_next,
            window,
            window_next,
            newest,
            newest_next,
        }
    }

    /// The outcome that is expected next.
    pub fn expected(&self, is_near: T) -> T {
        is_near.mux(self.near, self.window.bit(0))
    }

    pub fn go(self, ports: OutcomePorts<T>, to: &Move<T>) {
        let width = WINDOW as u32;
        let with = self.newest.slice(0, width - 1).concat(ports.came);
        let newest = to.is_outcome.mux(with, self.newest);
        T::set_next(self.newest_next, newest);
        let near_outcome = to.loads.mux(
            outcome_at(newest, to.candidate_behind),
            outcome_at(newest, to.behind),
        );
        T::set_next(self.near_next, near_outcome);
        let shifted = T::constant(0, 1).concat(self.window.slice(1, width - 1));
        let window = priority_mux(
            &[
                (to.loads, ports.window),
                (to.is_used_up, ports.further_window),
                (to.is_outcome, shifted),
            ],
            self.window,
        );
        T::set_next(self.window_next, window);
    }
}

/// The outcome behind which so many came.
#[named]
fn outcome_at<T: Word>(newest: T, behind: T) -> T {
    let outcomes: Vec<T> = (0..newest.width()).map(|bit| newest.bit(bit)).collect();
    mux_tree(&outcomes, behind, WINDOW_PLACE_W as u32)
}
