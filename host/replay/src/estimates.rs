// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is thought to come: numbers that decisions move.

use coretrace_abi::compressed::history::{
    COUNTER_MOST, OUTCOME_RATE, PROBABILITY_MOST, PROBABILITY_START, PROBABILITY_SURE, TARGET_RATE,
};

use crate::decisions::Decisions;
use crate::reader::Damaged;

/// A probability of an outcome, and how often it has moved.
pub type Outcome = (u16, u32);

/// A target by a path, and how much it is trusted.
pub type Trusted = (u64, u8);

/// An outcome about which nothing is known.
pub const UNKNOWN: Outcome = (PROBABILITY_START, 0);

/// Halves a value down to the given width, the upper parts upon the lowest.
pub fn hash(mut value: u64, width: u32) -> usize {
    let mut all = 0;
    while value > 0 {
        all ^= value % (1 << width);
        value >>= width;
    }
    all as usize
}

/// The class of a decision, and what is guessed.
fn view(probability: u16) -> (usize, bool) {
    let guess = probability >= PROBABILITY_START;
    let error = if guess {
        (1 << 15) - probability
    } else {
        probability
    };
    (usize::from(error < PROBABILITY_SURE), guess)
}

fn moved(probability: u16, yes: bool, rate: u32) -> u16 {
    if yes {
        probability + ((PROBABILITY_MOST - probability) >> rate)
    } else {
        probability - (probability >> rate)
    }
}

/// The next decision is about an outcome.
pub fn outcome(decisions: &mut Decisions<'_>, of: &mut Outcome) -> Result<bool, Damaged> {
    let (probability, age) = *of;
    let (class, guess) = view(probability);
    let yes = decisions.decide(class, guess)?;
    let age = OUTCOME_RATE.min(age + 1);
    *of = (moved(probability, yes, age), age);
    Ok(yes)
}

/// A counter up or down.
pub fn counted(counter: u8, up: bool) -> u8 {
    match (counter, up) {
        (COUNTER_MOST, true) | (0, false) => counter,
        (_, true) => counter + 1,
        (_, false) => counter - 1,
    }
}

/// The next decisions are about candidates, of which those that are there differ; the target.
pub fn target(
    decisions: &mut Decisions<'_>,
    probabilities: &mut [u16],
    candidates: [Option<(u64, usize)>; 3],
) -> Result<u64, Damaged> {
    let mut candidates = candidates.into_iter().flatten().peekable();
    // A record says that a literal comes.
    if candidates.peek().is_none() && decisions.decide(0, true)? {
        return Err(Damaged);
    }
    while let Some((target, number)) = candidates.next() {
        let probability = probabilities[number];
        let (mut class, mut guess) = view(probability);
        if candidates.peek().is_none() && !guess {
            (class, guess) = (0, true);
        }
        let is_right = decisions.decide(class, guess)?;
        probabilities[number] = moved(probability, is_right, TARGET_RATE);
        if is_right {
            return Ok(target);
        }
    }
    decisions.literal()
}

/// A target came where another one was trusted.
pub fn trusted(before: Trusted, target: u64) -> Trusted {
    match before {
        (known, trust @ 1..) if known == target => (known, 3.min(trust + 1)),
        (known, trust @ 2..) => (known, trust - 1),
        _ => (target, 1),
    }
}
