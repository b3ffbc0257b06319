// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask nightly` and `cargo xtask weekly`: runs the stages that are too long for the gate,
//! and records each in `docs/trust.md`.

mod list;

use anyhow::{Context, Result, ensure};
use coretrace_test_estimate::report::document_block;
use fs4::FileExt;
pub use list::Tier;
use list::{STAGES, Stage};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The document with a block for each stage.
const DOCUMENT: &str = "docs/trust.md";
/// The exit code of `timeout` when it ends a command.
const TIMED_OUT: i32 = 124;

/// Runs the stages of a tier, or one of them, in the tree at `root`.
///
/// # Errors
/// If there is no such stage, or one fails; the others have run and are recorded all the same.
pub fn run(root: &Path, tier: Tier, only: Option<&str>) -> Result<()> {
    let is_chosen =
        |stage: &&Stage| stage.tier == tier && only.is_none_or(|name| name == stage.name);
    let chosen: Vec<&Stage> = STAGES.iter().filter(is_chosen).collect();
    let names: Vec<&str> = STAGES
        .iter()
        .filter(|stage| stage.tier == tier)
        .map(|stage| stage.name)
        .collect();
    ensure!(
        !chosen.is_empty(),
        "there is no such stage; they are {}",
        names.join(", ")
    );
    let mut failed = Vec::new();
    for stage in chosen {
        println!("{}: {}", stage.name, stage.command);
        let run = execute(root, stage)?;
        println!("{}: {}, {} min", stage.name, run.result, run.minutes);
        record(root, stage, &run)?;
        if run.result != PASSED {
            print!("{}", run.output);
            failed.push(stage.name);
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

const PASSED: &str = "passed";

/// One run of a stage.
struct Run {
    result: &'static str,
    date: String,
    minutes: u64,
    output: String,
}

fn execute(root: &Path, stage: &Stage) -> Result<Run> {
    let limit = format!("{}m", stage.tier.limit_minutes());
    let start = Instant::now();
    let output = Command::new("timeout")
        .args([&limit, "bash", "-e", "-o", "pipefail", "-c", stage.command])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start timeout of the GNU core utilities")?;
    let date = Command::new("date").arg("+%F").output()?;
    Ok(Run {
        result: match output.status.code() {
            Some(0) => PASSED,
            Some(TIMED_OUT) => "took too long",
            _ => "failed",
        },
        date: String::from_utf8(date.stdout)?.trim().to_owned(),
        minutes: start.elapsed().as_secs().div_ceil(60),
        output: String::from_utf8_lossy(&output.stdout).into_owned(),
    })
}

/// Puts a run into the document, one of several processes at a time. A run that failed leaves no output
/// there: it is on the terminal.
fn record(root: &Path, stage: &Stage, run: &Run) -> Result<()> {
    let path = root.join(DOCUMENT);
    let lock = File::open(&path).context(DOCUMENT)?;
    FileExt::lock(&lock).context(DOCUMENT)?;
    let text = std::fs::read_to_string(&path).context(DOCUMENT)?;
    let text = document_block::replace(&text, &marker(stage), &block(stage, run));
    std::fs::write(&path, text).context(DOCUMENT)
}

fn marker(stage: &Stage) -> String {
    format!("stage {}", stage.name)
}

fn block(stage: &Stage, run: &Run) -> String {
    let Run {
        result,
        date,
        minutes,
        output,
    } = run;
    let mut text = format!(
        "```sh\n{}\n```\n\nLast run {date}, {minutes} min, {result}.\n",
        stage.command
    );
    if *result == PASSED && !output.is_empty() {
        text += &format!("\n```text\n{}\n```\n", output.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn stage(command: &'static str) -> Stage {
        Stage {
            tier: Tier::Nightly,
            name: "sample",
            command,
        }
    }

    #[test]
    fn every_stage_has_a_name_of_its_own_and_a_block_in_the_document() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let text = std::fs::read_to_string(root.join(DOCUMENT)).expect(DOCUMENT);
        let names: BTreeSet<&str> = STAGES.iter().map(|stage| stage.name).collect();
        assert_eq!(names.len(), STAGES.len());
        for stage in STAGES {
            let begin = format!("<!-- {}: begin", marker(stage));
            assert!(text.contains(&begin), "{DOCUMENT} has no {begin}");
        }
    }

    #[test]
    fn a_failure_in_a_pipe_fails_the_stage_and_leaves_no_output() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let good = stage("echo one | cat");
        let text = block(&good, &execute(root, &good).unwrap());
        assert!(
            text.contains("min, passed.\n\n```text\none\n```\n"),
            "{text}"
        );
        let bad = stage("echo one; false | cat");
        let text = block(&bad, &execute(root, &bad).unwrap());
        assert!(text.ends_with("min, failed.\n"), "{text}");
    }
}
