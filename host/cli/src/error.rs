// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages to the user, one line each, and exit codes.

use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use anyhow::{Error, Result};

/// The exit code for wrong use and for input that cannot be used.
pub const EXIT_CODE: u8 = 2;

/// The exit code for a trace in which nothing could be decoded, or which `--strict` refuses.
const INCOMPLETE_CODE: u8 = 1;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It did its work.
    Complete,
    /// Nothing could be decoded, or something could not and the user asked for a status.
    Incomplete,
    /// The set-up of a chip was refused before anything was written.
    Refused,
    /// The set-up of a chip failed, and everything was undone.
    Undone,
    /// Something of the set-up of a chip could not be undone.
    Left,
}

impl Outcome {
    /// How a command ended whose work was complete, or was not.
    pub fn of(is_complete: bool) -> Outcome {
        match is_complete {
            true => Outcome::Complete,
            false => Outcome::Incomplete,
        }
    }
}

/// The exit code of a command; reports its error.
pub fn exit_code(done: Result<Outcome>) -> ExitCode {
    match done {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Incomplete) => ExitCode::from(INCOMPLETE_CODE),
        Ok(Outcome::Refused) => ExitCode::from(3),
        Ok(Outcome::Undone) => ExitCode::from(4),
        Ok(Outcome::Left) => ExitCode::from(5),
        Err(error) => {
            say(&format!("error: {}", one_line(&error)));
            ExitCode::from(EXIT_CODE)
        }
    }
}

/// Writes a line to standard error, with its first word in colour on a terminal. If standard error
/// is closed, the line is lost.
pub fn say(line: &str) {
    let mut stderr = anstream::stderr();
    let style = |word: &str| match word {
        "error" => Some(AnsiColor::Red.on_default().bold()),
        "warning" => Some(AnsiColor::Yellow.on_default().bold()),
        _ => None,
    };
    let _ = match line.split_once(':') {
        Some((word, rest)) => {
            let style = style(word).unwrap_or(Style::new());
            writeln!(stderr, "{style}{word}:{style:#}{rest}")
        }
        None => writeln!(stderr, "{line}"),
    };
}

/// An error and its causes in one line. Text-file parsers also quote the place in several lines.
/// These are left out, because the message has the line and column.
pub fn one_line(error: &Error) -> String {
    let text = format!("{error:#}");
    let words: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_picture(line))
        .collect();
    words.join(": ")
}

/// Whether a line shows a piece of a file: an optional line number, then a bar.
fn is_picture(line: &str) -> bool {
    line.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
        .starts_with('|')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_the_place_is_left_out() {
        let picture = "TOML parse error at line 4, column 10\n  |\n4 | x = 1\n  | ^\nno such key\n";
        let error = anyhow::anyhow!(picture).context("it cannot be used");
        assert_eq!(
            one_line(&error),
            "it cannot be used: TOML parse error at line 4, column 10: no such key"
        );
    }
}
