// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps as text, JSON and a shell script.

use std::fmt::Write;

use crate::plan::{Action, Step};
use crate::topology::{PRESETS, Topology};

/// One line for each step: number, what is done, and the rules.
pub fn text(steps: &[Step]) -> String {
    let mut out = String::new();
    for (number, step) in steps.iter().enumerate() {
        let rules: Vec<&str> = step.rules.iter().map(|rule| rule.rule().name).collect();
        let _ = writeln!(
            out,
            "{:4}  {:<52} {}",
            number + 1,
            action(step),
            rules.join(" ")
        );
    }
    out
}

/// The text with the condition and reason of a rule before the first step that has it.
pub fn explain(steps: &[Step]) -> String {
    let mut out = String::new();
    let mut last = None;
    for (number, step) in steps.iter().enumerate() {
        let rule = step.rules[0].rule();
        if last != Some(rule.id) {
            let _ = writeln!(
                out,
                "\n{}: {}.\n  Otherwise {}. Source: {}.",
                rule.name, rule.condition, rule.why, rule.source
            );
            last = Some(rule.id);
        }
        let _ = writeln!(out, "{:4}  {}", number + 1, action(step));
    }
    out
}

/// An object for each step, one in a line.
pub fn json(steps: &[Step]) -> String {
    let mut out = String::new();
    for (number, step) in steps.iter().enumerate() {
        let rules: Vec<&str> = step.rules.iter().map(|rule| rule.rule().name).collect();
        let mut object = serde_json::json!({
            "schema": "etm4.target-step.1",
            "step": number + 1,
            "place": step.place,
            "address": step.address,
            "rules": rules,
        });
        let (key, what) = match &step.action {
            Action::Check { mask, values } => {
                ("check", serde_json::json!({"mask": mask, "values": values}))
            }
            Action::Write { mask, value } => {
                let reads_first = step.reads_first();
                let what =
                    serde_json::json!({"mask": mask, "value": value, "reads_first": reads_first});
                ("write", what)
            }
            Action::Wait { mask, value } => {
                ("wait", serde_json::json!({"mask": mask, "value": value}))
            }
            Action::Copy { from } => ("copy", serde_json::json!({"from": from})),
        };
        object[key] = what;
        let _ = writeln!(out, "{object}");
    }
    out
}

/// A script for a shell with `devmem`, which ends at the first check that fails. It undoes nothing.
pub fn shell(topology: &Topology, steps: &[Step]) -> String {
    let mut out = String::from("#!/bin/sh\n");
    let _ = writeln!(
        out,
        "# The set-up of {} by devmem. It undoes nothing if a check fails.",
        topology.name
    );
    out.push_str(FUNCTIONS);
    for step in steps {
        let (place, address) = (&step.place, step.address);
        let _ = match &step.action {
            Action::Check { mask, values } => {
                let values: Vec<String> =
                    values.iter().map(|value| format!("{value:#X}")).collect();
                writeln!(
                    out,
                    "check {place} {address:#X} {mask:#X} {}",
                    values.join(" ")
                )
            }
            Action::Wait { mask, value } => {
                writeln!(out, "await {place} {address:#X} {mask:#X} {value:#X}")
            }
            Action::Write { value, .. } if !step.reads_first() => {
                writeln!(out, "devmem {address:#X} 32 {value:#X} # {place}")
            }
            Action::Write { mask, value } => {
                writeln!(out, "change {address:#X} {mask:#X} {value:#X} # {place}")
            }
            Action::Copy { from } => writeln!(out, "copy {place} {address:#X} {from:#X}"),
        };
    }
    out
}

const FUNCTIONS: &str = r#"set -eu
fail() { echo "$1 is $2" >&2; exit 1; }
check() {
    place=$1 seen=$(devmem "$2" 32) mask=$3
    shift 3
    for value; do [ $((seen & mask)) -ne $((value)) ] || return 0; done
    fail "$place" "$seen"
}
await() {
    tries=0
    until seen=$(devmem "$2" 32) && [ $((seen & $3)) -eq $(($4)) ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "$1" "$seen"
    done
}
copy() {
    value=$(devmem "$3" 32)
    devmem "$2" 32 "$value"
    check "$1" "$2" 0xFFFFFFFF "$value"
}
change() { devmem "$1" 32 $(( ($(devmem "$1" 32) & ~$2) | $3 )); }
"#;

fn action(step: &Step) -> String {
    let place = &step.place;
    match &step.action {
        Action::Check { mask: 0, .. } => format!("note  {place}"),
        Action::Check { mask, values } => {
            let values: Vec<String> = values.iter().map(|value| format!("{value:X}")).collect();
            format!("check {place}{} is {}", bits(*mask), values.join(" or "))
        }
        Action::Write { mask, value } => format!("write {place}{} = {value:X}", bits(*mask)),
        Action::Wait { mask, value } => format!("wait  {place}{} = {value:X}", bits(*mask)),
        Action::Copy { from } => format!("copy  {place} = [{from:X}]"),
    }
}

fn bits(mask: u32) -> String {
    if mask == u32::MAX {
        String::new()
    } else {
        format!("[{mask:X}]")
    }
}

/// The presets, a line each.
pub fn presets() -> String {
    let mut out = String::new();
    for preset in PRESETS {
        let status = preset
            .topology()
            .map(|topology| topology.status)
            .unwrap_or_default();
        let _ = writeln!(out, "{:<12} {} ({status})", preset.name, preset.text);
    }
    out
}
