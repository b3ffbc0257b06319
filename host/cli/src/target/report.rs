// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a session ended: two lines for each failure, what it is and what to do, and an exit code.

use coretrace_target::ring::RingError;
use coretrace_target::{Ending, Failure};

use crate::error::{Outcome, say};

/// Says how a start ended.
pub fn ending(ending: &Ending) -> Outcome {
    if let Some(of) = ending.failure() {
        failure("error", of);
    }
    match ending {
        Ending::Done => Outcome::Complete,
        Ending::Refused(_) => {
            say("note: nothing was written");
            Outcome::Refused
        }
        Ending::Undone(_) => {
            say("note: everything was undone");
            Outcome::Undone
        }
        Ending::Left(_, failures) => left(failures),
    }
}

/// Says what could not be undone, if anything.
pub fn left(failures: &[Failure]) -> Outcome {
    for of in failures {
        failure("error: not undone", of);
    }
    match failures {
        [] => Outcome::Complete,
        _ => {
            say(
                "note: `etm4 target stop` tries these steps again; after a reset of the chip delete the session",
            );
            Outcome::Left
        }
    }
}

/// Says why records end before the trace does, in a session that ended in this way.
pub fn cut(failure: &RingError, session: Outcome) -> Outcome {
    say(&format!("error: {failure}"));
    say("  the records end there: check the memory of --ring, and that nobody else uses it");
    failed(session)
}

/// Says that a core got no frame from a port, by its counters, in a session that ended in this way.
pub fn dead_port(port: &str, counters: &str, session: Outcome) -> Outcome {
    say(&format!(
        "error: no frame of {port} arrived at the core: {counters}"
    ));
    say(
        "  nothing that is traced ran, or the port has no clock or other pins: `etm4 target pattern` shows its pins",
    );
    failed(session)
}

/// How a session ended in which no step failed, but its capture.
fn failed(session: Outcome) -> Outcome {
    match session {
        Outcome::Complete => Outcome::Undone,
        other => other,
    }
}

/// Says that another process has the session.
pub fn in_use() -> Outcome {
    refused(
        "another process uses this session",
        "wait until it has ended, or use another --session",
    )
}

/// Says why nothing was done, and what to do.
pub fn refused(what: &str, advice: &str) -> Outcome {
    say(&format!("error: {what}"));
    say(&format!("  {advice}"));
    Outcome::Refused
}

fn failure(kind: &str, failure: &Failure) {
    say(&format!("{kind}: {failure}"));
    say(&format!("  {}", failure.advice));
}
