// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a newcomer is told to type works when it is typed in the root of the repository.

mod common;

use common::etm4;

/// The captures that are named in the examples of a help text.
fn captures_in(help: &str) -> Vec<&str> {
    help.split_whitespace()
        .filter(|word| word.contains("traces/"))
        .collect()
}

#[test]
fn the_program_without_arguments_names_a_capture_that_can_be_listed() {
    for args in [&[][..], &["--help"]] {
        let ran = etm4(args);
        let help = format!("{}{}", ran.stdout, ran.stderr);
        let captures = captures_in(&help);
        assert!(!captures.is_empty(), "{args:?} names no capture: {help}");
        for capture in captures {
            let listed = etm4(&["packets", capture]);
            assert_eq!(listed.code, 0, "{args:?}: {capture}: {}", listed.stderr);
        }
    }
}

#[test]
fn the_examples_of_every_command_name_captures_that_are_there() {
    for command in ["packets", "demux", "gen"] {
        let help = etm4(&[command, "--help"]).stdout;
        let captures = captures_in(&help);
        assert!(!captures.is_empty(), "{command} names no capture: {help}");
        for capture in captures {
            let listed = etm4(&["packets", capture]);
            assert_eq!(listed.code, 0, "{command}: {capture}: {}", listed.stderr);
        }
    }
}
