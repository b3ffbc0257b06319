// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs the commands of `docs/trust.md` again and puts what they print back into it.
//!
//! A block of `sh` is a command, and the block of `text` behind it is what it printed.

use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// The document.
const DOCUMENT: &str = "docs/trust.md";
const COMMAND: &str = "```sh\n";
const OUTPUT: &str = "```\n\n```text\n";
const END: &str = "```\n";

/// Runs the commands in which `pattern` stands, in the tree at `root`.
///
/// # Errors
/// If a command fails; those before it have been written.
pub fn run(root: &Path, pattern: &str) -> Result<()> {
    let path = root.join(DOCUMENT);
    let text = std::fs::read_to_string(&path).context(DOCUMENT)?;
    let count = commands(&text)
        .filter(|command| command.contains(pattern))
        .count();
    ensure!(count > 0, "{DOCUMENT} has no command with `{pattern}`");
    refreshed(
        &text,
        pattern,
        |command| shell(root, command),
        |text| std::fs::write(&path, text).context(DOCUMENT),
    )
}

/// The commands of a document.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split(COMMAND).skip(1);
    blocks.filter_map(|block| Some(block.split_once(OUTPUT)?.0))
}

/// The text with what the chosen commands print now, whole after each of them.
fn refreshed(
    text: &str,
    pattern: &str,
    mut output_of: impl FnMut(&str) -> Result<String>,
    mut write: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, block)) = rest.split_once(COMMAND) {
        let (command, old) = block
            .split_once(OUTPUT)
            .with_context(|| format!("nothing behind a command:\n{block}"))?;
        let (old, after) = old
            .split_once(END)
            .with_context(|| format!("no end of what this printed:\n{command}"))?;
        let is_chosen = command.contains(pattern);
        let new = if is_chosen {
            output_of(command)?
        } else {
            old.to_owned()
        };
        done += &[before, COMMAND, command, OUTPUT, &new, END].concat();
        rest = after;
        if is_chosen {
            write(&(done.clone() + rest))?;
        }
    }
    Ok(())
}

/// What a command prints. Its messages go to the terminal.
fn shell(root: &Path, command: &str) -> Result<String> {
    eprint!("{command}");
    let output = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", command])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start bash")?;
    ensure!(output.status.success(), "this failed:\n{command}");
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n```sh\none\n```\n\n```text\n1\n```\nb\n\
        ```sh\ntwo\n```\n\n```text\n2\n```\nc\n";

    #[test]
    fn chosen_commands_are_run_and_all_else_stays() {
        let mut texts = Vec::new();
        let upper = |command: &str| Ok(command.to_uppercase());
        let keep = |text: &str| {
            texts.push(text.to_owned());
            Ok(())
        };
        refreshed(TEXT, "wo", upper, keep).expect("it has blocks");
        assert_eq!(texts, [TEXT.replace("2\n", "TWO\n")]);
        assert_eq!(commands(TEXT).collect::<Vec<_>>(), ["one\n", "two\n"]);
    }

    #[test]
    fn what_was_done_before_a_failure_is_written() {
        let mut last = String::new();
        let fail = |command: &str| {
            ensure!(command == "one\n", "it failed");
            Ok("new\n".to_owned())
        };
        let keep = |text: &str| {
            last = text.to_owned();
            Ok(())
        };
        assert!(refreshed(TEXT, "", fail, keep).is_err());
        assert_eq!(last, TEXT.replace("1\n", "new\n"));
    }

    #[test]
    fn every_block_of_the_document_has_its_output() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let text = std::fs::read_to_string(root.join(DOCUMENT)).expect(DOCUMENT);
        let count = commands(&text).count();
        assert!(count > 5 && text.matches(COMMAND).count() == count);
        let all = |_: &str| Ok("\n".to_owned());
        refreshed(&text, "", all, |_| Ok(())).expect("blocks in pairs");
    }
}
