// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target pattern`: the trace port makes patterns, and the core behind it counts what it sees of them.
//!
//! A core has no counter of words. The walking 0 ends a full sync in one of 16 words, so that the acquisitions
//! of a core count the words of the port; in the other patterns there is none. A core that trace has left in sync
//! takes the walking 1 and AA/55 for frames, and these count the words.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_abi::registers::csr::Status;
use coretrace_target::plan::Pattern;
use coretrace_target::topology::Index;
use coretrace_target::{Bus, Plan};
use coretrace_target_buses::linux::Access;

use crate::error::{Outcome, say};
use crate::hardware::Hardware;
use crate::output::Output;
use crate::target::bus::{BusArgs, Opened};
use crate::target::chip::{Chip, ChipArgs};
use crate::target::clocks::ClockArgs;
use crate::target::counters::Counters;
use crate::target::guard::Guard;
use crate::target::obstacle::obstacle;
use crate::target::report;
use crate::target::session::Session;
use crate::target::signals;
use crate::target::start::{Start, begin, start};
use crate::target::stop::stop;

/// Seconds of a pattern, at most: so the counters do not saturate.
const LONGEST: f64 = 60.0;

/// Let the trace port make test patterns, and compare what the core behind it sees
#[derive(Debug, Args)]
pub struct PatternArgs {
    #[command(flatten)]
    chip: ChipArgs,

    #[command(flatten)]
    bus: BusArgs,

    /// The core
    #[arg(long, value_name = "CORE", default_value = "core")]
    core: String,

    /// How long each pattern goes on
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    seconds: f64,

    #[command(flatten)]
    clocks: ClockArgs,
}

/// What a core counted in a pattern.
struct Seen {
    time: Duration,
    /// It was in sync with frames when it began to count.
    was_in_sync: bool,
    acquisitions: u32,
    frames: u32,
    lost_words: u32,
}

/// Runs the command.
///
/// # Errors
/// If the chip, the bus or the files of the session cannot be used.
pub fn run(args: &PatternArgs, hardware: &dyn Hardware) -> Result<Outcome> {
    ensure!(
        args.seconds > 0.0 && args.seconds <= LONGEST,
        "--seconds is more than 0 and at most {LONGEST}"
    );
    let chip = args.chip.open()?;
    let core = chip.topology.receiver(&args.core);
    let core = core.with_context(|| format!("{} has no core {}", chip.topology.name, args.core))?;
    let options = args.clocks.options();
    let plan = |pattern| Plan::pattern(&chip.topology, core, pattern, &options);
    if let Some(outcome) = obstacle(&args.bus.bus, &chip, &plan(Pattern::WalkingOne)?, true) {
        return Ok(outcome);
    }
    signals::note()?;
    let folder = args.bus.session();
    let Some(session) = Session::take(&folder)? else {
        return Ok(report::in_use());
    };
    let mut bus = args.bus.open(&chip, Access::ReadWrite, &[], hardware)?;
    let mut output = Output::new();
    let mut outcome = Outcome::Complete;
    for pattern in Pattern::ALL {
        let seen = match see(args, &session, &chip, &plan(pattern)?, core, &mut bus)? {
            Ok(seen) => seen,
            Err(ended) => return Ok(ended),
        };
        let (line, is_good) = judge(pattern, &seen);
        output.text_of(&line);
        if !is_good {
            outcome = Outcome::Incomplete;
        }
    }
    output.finish();
    if outcome != Outcome::Complete {
        say(
            "note: a pin, a clock or the width of the port is wrong: compare the bitstream with docs/integration.md",
        );
    }
    Ok(outcome)
}

/// A session with one pattern; how it ended, if it did not work.
fn see(
    args: &PatternArgs,
    session: &Session<'_>,
    chip: &Chip,
    plan: &Plan,
    core: Index,
    bus: &mut Opened,
) -> Result<Result<Seen, Outcome>> {
    let (mut journal, guard) = match begin(session, chip, plan, &args.bus)? {
        Start::New(journal, guard) => (journal, guard),
        Start::Runs | Start::Refused(_) => return Ok(Err(Outcome::Refused)),
    };
    let mut time = bus.time();
    let started = start(session, chip, plan, bus, &mut *time, &mut journal)?;
    if started != Outcome::Complete {
        guard.map_or(Ok(()), Guard::dismiss)?;
        return Ok(Err(started));
    }
    let seen = count(args, chip, core, bus);
    let stopped = stop(session, chip, bus, &mut *time, &mut journal)?;
    guard.map_or(Ok(()), Guard::dismiss)?;
    let seen = seen?;
    Ok(match stopped {
        Outcome::Complete => Ok(seen),
        other => Err(other),
    })
}

/// What the core counts while a pattern goes on.
fn count(args: &PatternArgs, chip: &Chip, core: Index, bus: &mut Opened) -> Result<Seen> {
    let core = &chip.topology.receivers[core];
    let status = bus.read32(core.registers + u64::from(Status::OFFSET))?;
    let before = Counters::read(core, bus)?;
    let time = bus.pass(Duration::from_secs_f64(args.seconds))?;
    let after = Counters::read(core, bus)?;
    let more = |name| after.of(name).saturating_sub(before.of(name));
    Ok(Seen {
        time,
        was_in_sync: Status(status).in_sync(),
        acquisitions: more("SYNC_ACQUISITIONS"),
        frames: more("FRAMES"),
        lost_words: more("LOST_WORDS"),
    })
}

/// Words of a frame.
const FRAME: u32 = 4;

/// A line for a pattern, and whether the core saw what it should see.
fn judge(pattern: Pattern, seen: &Seen) -> (String, bool) {
    let takes_frames = seen.was_in_sync && pattern.keeps_sync();
    let period = pattern.full_sync_period();
    let words = match (period, takes_frames) {
        (Some(period), _) => Some((seen.acquisitions, period)),
        (None, true) => Some((seen.frames, FRAME)),
        (None, false) => None,
    };
    let rate = words.map_or_else(String::new, |(count, words)| {
        let words = f64::from(count) * f64::from(words);
        format!(
            "; {:.3} million words a second",
            words / seen.time.as_secs_f64() / 1e6
        )
    });
    let is_seen = (seen.acquisitions > 0) == period.is_some();
    let is_good = is_seen && (seen.frames > 0) == takes_frames && seen.lost_words == 0;
    let verdict = if is_good { "as it should be" } else { "WRONG" };
    let line = format!(
        "{:<10} {verdict}: {} acquisitions, {} frames, {} words lost{rate}\n",
        pattern.name(),
        seen.acquisitions,
        seen.frames,
        seen.lost_words
    );
    (line, is_good)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(acquisitions: u32, frames: u32, lost_words: u32) -> Seen {
        Seen {
            time: Duration::from_secs(1),
            was_in_sync: false,
            acquisitions,
            frames,
            lost_words,
        }
    }

    #[test]
    fn what_a_core_should_not_see_is_said_to_be_wrong() {
        let is_good = |pattern, seen: Seen| judge(pattern, &seen).1;
        assert!(is_good(Pattern::WalkingZero, seen(1, 0, 0)));
        assert!(!is_good(Pattern::WalkingZero, seen(0, 0, 0)));
        for pattern in [Pattern::WalkingOne, Pattern::Alternating, Pattern::Flashing] {
            assert!(is_good(pattern, seen(0, 0, 0)), "{}", pattern.name());
            assert!(!is_good(pattern, seen(1, 0, 0)), "{}", pattern.name());
        }
        let in_sync = |seen: Seen| Seen {
            was_in_sync: true,
            ..seen
        };
        for pattern in Pattern::ALL {
            let acquisitions = u32::from(pattern == Pattern::WalkingZero);
            assert!(!is_good(pattern, seen(acquisitions, 1, 0)));
            for frames in [0, 1] {
                let is_right = is_good(pattern, in_sync(seen(acquisitions, frames, 0)));
                assert_eq!(
                    is_right,
                    pattern.keeps_sync() == (frames > 0),
                    "{}",
                    pattern.name()
                );
            }
        }
        assert!(!is_good(Pattern::WalkingZero, seen(1, 0, 1)));
        let (line, _) = judge(Pattern::WalkingZero, &seen(15_625_000, 0, 0));
        assert!(
            line.ends_with("; 250.000 million words a second\n"),
            "{line}"
        );
    }
}
