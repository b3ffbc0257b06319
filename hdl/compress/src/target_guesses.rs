// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TargetGuesses`: the candidates of a target to decisions.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `step_in`, `guess` | in | a step, and the [`TargetGuess`](super::TargetGuess) of its target |
//! | `step`, `decisions` | out | two cycles later: the step, and its [`TargetDecisions`](super::TargetDecisions) |
//! | `clear`, `clear_place[4:0]` | in | the probabilities of a place begin again; nothing else is written |
//!
//! Each candidate has probabilities of its own, so that all three are read at once.
//!
//! Latency 2 cycles. Throughput one step per cycle, and a target in every second one. The model is `Targets` of
//! `coretrace_compress`.

use super::guess_decisions::{GuessDecisions, TARGET_DECISIONS_W};
use super::guess_memory::{GUESS_PLACE_W, GuessMemory};
use super::guess_places::GuessPlaces;
use super::history_steps::HISTORY_STEP_W;
use super::target_guess::TARGET_GUESS_W;
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct TargetGuesses {
    pub clock: Signal<In, Clock>,
    pub step_in: Signal<In, Bus<HISTORY_STEP_W>>,
    pub guess: Signal<In, Bus<TARGET_GUESS_W>>,
    pub step: Signal<Out, Bus<HISTORY_STEP_W>>,
    pub decisions: Signal<Out, Bus<TARGET_DECISIONS_W>>,
    pub clear: Signal<In, Bit>,
    pub clear_place: Signal<In, Bits<GUESS_PLACE_W>>,
    guess_places: GuessPlaces<1, 1>,
    of_return: GuessMemory,
    of_match: GuessMemory,
    of_expected: GuessMemory,
    decide: GuessDecisions<1, 1>,
}

impl Logic for TargetGuesses {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            guess_places,
            of_return,
            of_match,
            of_expected,
            decide
        );
        self.guess_places.step_in.next = self.step_in.val();
        self.guess_places.guess.next = self.guess.val();

        self.of_return.read_place.next =
            self.guess_places.places.val().get_bits::<GUESS_PLACE_W>(0);
        self.of_match.read_place.next = self.guess_places.places.val().get_bits::<GUESS_PLACE_W>(5);
        self.of_expected.read_place.next =
            self.guess_places.places.val().get_bits::<GUESS_PLACE_W>(10);
        self.decide.step_in.next = self.guess_places.step.val();
        self.decide.places.next = self.guess_places.places.val();
        self.decide.exist.next = self.guess_places.exist.val();
        self.decide.right.next = self.guess_places.right.val();
        self.decide.of_return.next = self.of_return.word.val();
        self.decide.of_match.next = self.of_match.word.val();
        self.decide.of_expected.next = self.of_expected.word.val();

        self.of_return.write.next = self.decide.learn.val().get_bit(0);
        self.of_return.write_place.next =
            self.decide.learn_places.val().get_bits::<GUESS_PLACE_W>(0);
        self.of_return.write_word.next = self.decide.learnt_0.val();
        self.of_return.clear.next = self.clear.val();
        self.of_return.clear_place.next = self.clear_place.val();
        self.of_match.write.next = self.decide.learn.val().get_bit(1);
        self.of_match.write_place.next =
            self.decide.learn_places.val().get_bits::<GUESS_PLACE_W>(5);
        self.of_match.write_word.next = self.decide.learnt_1.val();
        self.of_match.clear.next = self.clear.val();
        self.of_match.clear_place.next = self.clear_place.val();
        self.of_expected.write.next = self.decide.learn.val().get_bit(2);
        self.of_expected.write_place.next =
            self.decide.learn_places.val().get_bits::<GUESS_PLACE_W>(10);
        self.of_expected.write_word.next = self.decide.learnt_2.val();
        self.of_expected.clear.next = self.clear.val();
        self.of_expected.clear_place.next = self.clear_place.val();

        self.step.next = self.decide.step.val();
        self.decisions.next = self.decide.decisions.val();
    }
}
