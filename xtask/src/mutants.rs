// SPDX-License-Identifier: MIT OR Apache-2.0
//! Breaks the code on purpose, one place at a time, and looks whether the tests notice.
//!
//! The tree is copied first, so that a run that is stopped leaves nothing broken behind.

mod list;
mod operation;
mod place;
mod suite;
mod tree;

use anyhow::{Context, Result, ensure};
use list::{MUTANTS, Mutant};
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

/// Runs the mutants whose faults contain `pattern`, in a copy of the tree at `root` below `target`,
/// and prints what became of each.
///
/// # Errors
/// If the tests fail without a mutant, a mutant does not compile, or one is missed.
pub fn run(root: &Path, target: &Path, pattern: &str) -> Result<()> {
    let chosen: Vec<&Mutant> = MUTANTS
        .iter()
        .filter(|mutant| mutant.fault.contains(pattern))
        .collect();
    ensure!(!chosen.is_empty(), "no mutant has `{pattern}` in its fault");
    let tree = Tree::copy(root, &target.join("mutants"))?;
    for suite in Suite::ALL {
        if chosen.iter().any(|mutant| mutant.suite == suite) {
            let outcome = test(&tree, suite)?;
            ensure!(
                outcome == Outcome::Missed,
                "the tests of {suite:?} fail without any mutant"
            );
        }
    }
    let mut caught = 0;
    for mutant in &chosen {
        let outcome = {
            let _broken = tree.with(&mutant.file.concat(), |text| mutant.apply(text))?;
            test(&tree, mutant.suite).with_context(|| mutant.fault)?
        };
        caught += usize::from(outcome == Outcome::Caught);
        println!(
            "{:8}{}",
            format!("{outcome:?}").to_lowercase(),
            mutant.fault
        );
    }
    println!("caught {caught} of {}", chosen.len());
    ensure!(caught == chosen.len(), "a mutant was missed");
    Ok(())
}

impl Mutant {
    /// The text of its file with the fault in it.
    fn apply(&self, text: &str) -> Result<String> {
        let place = place::find(text, self.function, self.target)?;
        operation::apply(text, &place, self.operation)
    }
}

/// Compiles the tests of a suite, which must succeed, and runs them.
fn test(tree: &Tree, suite: Suite) -> Result<Outcome> {
    let cargo = |last: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command
            .arg("test")
            .args(suite.targets())
            .args(["--locked", "--quiet"])
            .args(last)
            .current_dir(tree.folder())
            .env("CARGO_TARGET_DIR", tree.target())
            // Little changes from one mutant to the next, and the tests are short.
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            // A test that is skipped catches nothing.
            .env("CI", "true")
            .env("ETM4_REQUIRE_TOOLS", "1");
        command.output().context("cannot start cargo")
    };
    let built = cargo(&["--no-run"])?;
    ensure!(
        built.status.success(),
        "it does not compile:\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let tested = cargo(&[suite.filter()])?;
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
