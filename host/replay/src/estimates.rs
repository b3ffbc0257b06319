// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is thought to come: numbers that decisions move.

use coretrace_abi::compressed::history::{
    OUTCOME_RATE, PROBABILITY_MOST, PROBABILITY_START, TARGET_RATE,
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

/// How much doubt there is about a decision, and what is guessed.
fn view(probability: u16) -> (u16, bool) {
    let guess = probability >= PROBABILITY_START;
    let error = if guess {
        (1 << 15) - probability
    } else {
        probability
    };
    (error, guess)
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
    let (doubt, guess) = view(of.0);
    let yes = decisions.decide(doubt, guess)?;
    *of = learnt(*of, yes);
    Ok(yes)
}

/// The next decision is about an outcome of which two probabilities say something.
pub fn outcome_of_both(
    decisions: &mut Decisions<'_>,
    [one, other]: [&mut Outcome; 2],
) -> Result<bool, Damaged> {
    let (doubt, guess) = view(one.0.midpoint(other.0));
    let yes = decisions.decide(doubt, guess)?;
    *one = learnt(*one, yes);
    *other = learnt(*other, yes);
    Ok(yes)
}

fn learnt((probability, age): Outcome, yes: bool) -> Outcome {
    let age = OUTCOME_RATE.min(age + 1);
    (moved(probability, yes, age), age)
}

/// A counter up, at most so far, or down.
pub fn counted(counter: u8, up: bool, most: u8) -> u8 {
    match up {
        true => most.min(counter + 1),
        false => counter.saturating_sub(1),
    }
}

/// The next decisions are about candidates, of which those that are there differ; the right one, if there is
/// any. If not, a literal comes.
pub fn candidate(
    decisions: &mut Decisions<'_>,
    probabilities: &mut [u16],
    candidates: [Option<(u64, usize)>; 3],
) -> Result<Option<u64>, Damaged> {
    let mut candidates = candidates.into_iter().flatten().peekable();
    // A record says that a literal comes.
    if candidates.peek().is_none() && decisions.decide(PROBABILITY_START, true)? {
        return Err(Damaged);
    }
    while let Some((target, number)) = candidates.next() {
        let probability = probabilities[number];
        let (mut doubt, mut guess) = view(probability);
        if candidates.peek().is_none() && !guess {
            (doubt, guess) = (PROBABILITY_START, true);
        }
        let is_right = decisions.decide(doubt, guess)?;
        probabilities[number] = moved(probability, is_right, TARGET_RATE);
        if is_right {
            return Ok(Some(target));
        }
    }
    Ok(None)
}

/// Where an indirect branch led: to a candidate, or where a literal says.
pub fn target(
    decisions: &mut Decisions<'_>,
    probabilities: &mut [u16],
    candidates: [Option<(u64, usize)>; 3],
) -> Result<u64, Damaged> {
    match candidate(decisions, probabilities, candidates)? {
        Some(target) => Ok(target),
        None => decisions.literal(),
    }
}

/// A target came where another one was trusted.
pub fn trusted(before: Trusted, target: u64) -> Trusted {
    match before {
        (known, trust @ 1..) if known == target => (known, 3.min(trust + 1)),
        (known, trust @ 2..) => (known, trust - 1),
        _ => (target, 1),
    }
}
