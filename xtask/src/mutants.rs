// SPDX-License-Identifier: MIT OR Apache-2.0
//! Breaks the code on purpose, one place at a time, and looks whether the tests notice.
//!
//! The tree is copied first, so that a run that is stopped leaves nothing broken behind.

mod list;
mod operation;
mod place;
mod suite;
mod switch;
mod tree;

use anyhow::{Context, Result, ensure};
use list::{MUTANTS, Mutant};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use suite::Suite;
use tree::Tree;

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// A test failed.
    Caught,
    /// Every test passed.
    Missed,
}

/// Runs the mutants of the suites `patterns`, or whose faults contain one of them, or all if there are
/// none, in a copy of the tree at `root` below `target`, and prints what became of each.
///
/// # Errors
/// If the tests fail without a mutant, a mutant does not compile, or one is missed.
pub fn run(root: &Path, target: &Path, patterns: &[String]) -> Result<()> {
    let chosen: Vec<(usize, &Mutant)> = MUTANTS
        .iter()
        .enumerate()
        .filter(|(_, mutant)| {
            let is_named = |pattern: &String| mutant.is_named(pattern);
            patterns.is_empty() || patterns.iter().any(is_named)
        })
        .collect();
    ensure!(
        !chosen.is_empty(),
        "no suite is {}, and no fault has it",
        patterns.join(" or ")
    );
    let tree = Tree::copy(root, &target.join("mutants"))?;
    let mut missed = Vec::new();
    let mut report = |mutant: &Mutant, outcome| {
        println!(
            "{:8}{}",
            format!("{outcome:?}").to_lowercase(),
            mutant.fault
        );
        if outcome == Outcome::Missed {
            missed.push(mutant.fault);
        }
    };
    let (mut switched, mut single) = (BTreeMap::new(), Vec::new());
    for &(number, mutant) in &chosen {
        let text = tree.read(&mutant.file.concat())?;
        let place = place::find(&text, mutant.function, mutant.target)?;
        if place.is_evaluated {
            let places: &mut Vec<_> = switched.entry(mutant.file.concat()).or_default();
            places.push((number, place, mutant.operation));
        } else {
            single.push(mutant);
        }
    }
    {
        let mut changed = Vec::new();
        for (file, mutants) in &switched {
            changed.push(tree.with(file, |text| switch::switch(text, mutants))?);
        }
        // Without a number all of them sleep, so this is the check that the tests pass.
        for suite in Suite::ALL {
            if chosen.iter().any(|(_, mutant)| mutant.suite == suite) {
                build(&tree, suite)?;
                ensure!(
                    test(&tree, suite, None)? == Outcome::Missed,
                    "the tests of {suite:?} fail without any mutant"
                );
            }
        }
        for number in switched.values().flatten().map(|(number, ..)| *number) {
            let mutant = &MUTANTS[number];
            report(mutant, test(&tree, mutant.suite, Some(number))?);
        }
    }
    for mutant in single {
        let _broken = tree.with(&mutant.file.concat(), |text| mutant.apply(text))?;
        build(&tree, mutant.suite).with_context(|| mutant.fault)?;
        report(mutant, test(&tree, mutant.suite, None)?);
    }
    let caught = chosen.len() - missed.len();
    println!("caught {caught} of {}", chosen.len());
    ensure!(missed.is_empty(), "missed: {}", missed.join(" "));
    Ok(())
}

impl Mutant {
    fn is_named(&self, pattern: &str) -> bool {
        self.fault.contains(pattern) || format!("{:?}", self.suite) == pattern
    }

    /// The text of its file with the fault in it.
    fn apply(&self, text: &str) -> Result<String> {
        let place = place::find(text, self.function, self.target)?;
        operation::apply(text, &place, self.operation)
    }
}

/// `cargo test` for a suite in the copy.
fn cargo(tree: &Tree, suite: Suite) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .arg("test")
        .args(suite.targets())
        .args(["--locked", "--quiet"])
        .current_dir(tree.folder())
        .env("CARGO_TARGET_DIR", tree.target())
        // Little changes from one mutant to the next, and the tests are short.
        .env("CARGO_INCREMENTAL", "1")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        // A test that is skipped catches nothing.
        .env("CI", "true")
        .env("ETM4_REQUIRE_TOOLS", "1")
        .env_remove(switch::VARIABLE);
    command
}

/// Compiles the tests of a suite, which must succeed.
fn build(tree: &Tree, suite: Suite) -> Result<()> {
    let built = cargo(tree, suite).arg("--no-run").output();
    let built = built.context("cannot start cargo")?;
    ensure!(
        built.status.success(),
        "it does not compile:\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Ok(())
}

/// Runs the tests of a suite, with the mutant of this number if it is one of those in the program.
fn test(tree: &Tree, suite: Suite, number: Option<usize>) -> Result<Outcome> {
    let mut command = cargo(tree, suite);
    command.arg(suite.filter());
    if let Some(number) = number {
        command.env(switch::VARIABLE, number.to_string());
    }
    let tested = command.output().context("cannot start cargo")?;
    Ok(if tested.status.success() {
        Outcome::Missed
    } else {
        Outcome::Caught
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    #[test]
    fn every_mutant_finds_its_place_and_changes_it() {
        let mut lost = Vec::new();
        for mutant in MUTANTS {
            let name = mutant.file.concat();
            let text = std::fs::read_to_string(root().join(&name)).expect(&name);
            match mutant.apply(&text) {
                Ok(changed) => assert_ne!(changed, text, "{}", mutant.fault),
                Err(error) => lost.push(format!("{name}: {}: {error}", mutant.fault)),
            }
        }
        assert!(lost.is_empty(), "{}", lost.join("\n"));
    }

    #[test]
    fn every_mutant_has_a_fault_of_its_own() {
        let faults: BTreeSet<&str> = MUTANTS.iter().map(|mutant| mutant.fault).collect();
        assert_eq!(faults.len(), MUTANTS.len());
        assert!(MUTANTS.len() >= 30);
    }
}
