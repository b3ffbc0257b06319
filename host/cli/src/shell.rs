// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a shell and a manual need to know of the program: `etm4 completions` and `etm4 man`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::capture_args::STANDARD;
use crate::error::Outcome;
use crate::output::create;

const COMPLETIONS: &str = "\
Examples:
  etm4 completions bash > ~/.local/share/bash-completion/completions/etm4
  etm4 completions zsh > ~/.zfunc/_etm4
  etm4 completions fish > ~/.config/fish/completions/etm4.fish";

const MAN: &str = "\
Examples:
  etm4 man | man -l -
  etm4 man packets --out etm4-packets.1";

/// Write the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Write the manual page of the program or of a command
#[derive(Debug, Args)]
#[command(after_help = MAN)]
pub struct ManArgs {
    /// The command; the program itself if there is none
    command: Option<String>,

    /// The file to write
    #[arg(long, value_name = "FILE", default_value = STANDARD)]
    out: PathBuf,
}

/// Writes completions.
///
/// # Errors
/// If they cannot be written.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "etm4", &mut text);
    create(STANDARD.as_ref())?
        .write_all(&text)
        .context("cannot write the completions")?;
    Ok(Outcome::Complete)
}

/// Writes a manual page.
///
/// # Errors
/// If there is no such command, or the page cannot be written.
pub fn man(args: &ManArgs) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page_of(args.command.as_deref())?).render(&mut text)?;
    create(&args.out)?
        .write_all(&text)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(Outcome::Complete)
}

fn page_of(name: Option<&str>) -> Result<Command> {
    let mut program = Cli::command();
    program.build();
    let Some(name) = name else {
        return Ok(program);
    };
    let command = program
        .get_subcommands()
        .find(|command| command.get_name() == name);
    let command = command.with_context(|| format!("there is no command {name:?}"))?;
    Ok(command.clone())
}
