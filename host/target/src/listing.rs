// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps as text, JSON and a shell script.

use std::fmt::Write;

use crate::plan::{Action, Role, Step};
use crate::read_out::NOTHING;
use crate::rules::RuleId;
use crate::topology::{PRESETS, Topology};

/// The phase of a start.
const START: &str = "start";

/// What is said before the first step that is none of the start.
const END: &str = "A capture ends the trace and reads its buffer, before it gives everything back:";

/// Whether a step is the first behind those of a start.
fn ends_start(steps: &[Step], number: usize) -> bool {
    let before = number.checked_sub(1).map(|before| phase(&steps[before]));
    before == Some(START) && phase(&steps[number]) != START
}

/// When a step is made.
fn phase(step: &Step) -> &'static str {
    match step.role {
        Role::ReadOut => "read-out",
        Role::Regain | Role::Stop | Role::Stopped => "stop",
        _ => START,
    }
}

/// One line for each step: number, address, what is done, and the rules.
pub fn text(steps: &[Step]) -> String {
    let mut out = String::new();
    for (number, step) in steps.iter().enumerate() {
        if ends_start(steps, number) {
            let _ = writeln!(out, "\n{END}");
        }
        line(&mut out, number, step);
    }
    out
}

/// The text with the condition and reason of each rule before the first step that has it.
pub fn explain(steps: &[Step]) -> String {
    let mut out = String::new();
    let mut said: Vec<RuleId> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        if ends_start(steps, number) {
            let _ = writeln!(out, "\n{END}");
        }
        for id in &step.rules {
            if said.contains(id) {
                continue;
            }
            said.push(*id);
            let rule = id.rule();
            let _ = writeln!(
                out,
                "\n{}: {}.\n  Otherwise {}. Source: {}.",
                rule.name, rule.condition, rule.why, rule.source
            );
        }
        line(&mut out, number, step);
    }
    out
}

fn line(out: &mut String, number: usize, step: &Step) {
    let rules: Vec<&str> = step.rules.iter().map(|rule| rule.rule().name).collect();
    let _ = writeln!(
        out,
        "{:4}  {:010X}  {:<52} {}",
        number + 1,
        step.address,
        action(step),
        rules.join(" ")
    );
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
            "phase": phase(step),
        });
        let (key, what) = match &step.action {
            Action::Check { mask, values } => {
                ("check", serde_json::json!({"mask": mask, "values": values}))
            }
            Action::AtMost { mask, value } => {
                ("at_most", serde_json::json!({"mask": mask, "value": value}))
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
            Action::Rest { mask, value } => {
                ("rest", serde_json::json!({"mask": mask, "value": value}))
            }
            Action::Copy { from } => ("copy", serde_json::json!({"from": from})),
            Action::Drain { size } => (
                "drain",
                serde_json::json!({"size": size, "nothing": NOTHING}),
            ),
        };
        object[key] = what;
        let _ = writeln!(out, "{object}");
    }
    out
}

/// A script for a shell with `devmem`, which ends at the first check that fails. It undoes nothing. Before it ends
/// the trace it waits for a line, and it writes the words of a buffer to standard output.
pub fn shell(topology: &Topology, steps: &[Step]) -> String {
    let mut out = String::from("#!/bin/sh\n");
    let _ = writeln!(
        out,
        "# The set-up of {} by devmem. It undoes nothing if a check fails.",
        topology.name
    );
    out.push_str(FUNCTIONS);
    for (number, step) in steps.iter().enumerate() {
        if ends_start(steps, number) {
            out.push_str(PAUSE);
        }
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
            Action::AtMost { mask, value } => {
                writeln!(out, "at_most {place} {address:#X} {mask:#X} {value:#X}")
            }
            Action::Wait { mask, value } => {
                writeln!(out, "await {place} {address:#X} {mask:#X} {value:#X}")
            }
            Action::Rest { mask, value } => {
                writeln!(out, "rest {address:#X} {mask:#X} {value:#X} # {place}")
            }
            Action::Write { value, .. } if !step.reads_first() => {
                writeln!(out, "devmem {address:#X} 32 {value:#X} # {place}")
            }
            Action::Write { mask, value } => {
                writeln!(out, "change {address:#X} {mask:#X} {value:#X} # {place}")
            }
            Action::Copy { from } => writeln!(out, "copy {place} {address:#X} {from:#X}"),
            Action::Drain { size } => writeln!(out, "drain {address:#X} {size:#X} # {place}"),
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
at_most() {
    seen=$(devmem "$2" 32)
    [ $((seen & $3)) -le $(($4)) ] || fail "$1" "$seen"
}
await() {
    tries=0
    until seen=$(devmem "$2" 32) && [ $((seen & $3)) -eq $(($4)) ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "$1" "$seen"
    done
}
rest() {
    tries=0
    until [ $(($(devmem "$1" 32) & $2)) -eq $(($3)) ] || [ $tries -eq 100 ]; do
        tries=$((tries + 1))
    done
}
copy() {
    value=$(devmem "$3" 32)
    devmem "$2" 32 "$value"
    check "$1" "$2" 0xFFFFFFFF "$value"
}
drain() {
    left=$(($(devmem "$2" 32)))
    while [ $left -gt 0 ] && word=$(devmem "$1" 32) && [ $((word)) -ne $((0xFFFFFFFF)) ]; do
        echo "$word"
        left=$((left - 1))
    done
}
change() { devmem "$1" 32 $(( ($(devmem "$1" 32) & ~$2) | $3 )); }
"#;

/// Lets the trace run until somebody presses a key, or for ever without a line.
const PAUSE: &str = r#"echo "The trace runs. Enter ends it, and reads it." >&2
read -r line || exit 0
"#;

fn action(step: &Step) -> String {
    let place = &step.place;
    match &step.action {
        Action::Check { mask: 0, .. } => format!("note  {place}"),
        Action::Check { mask, values } => {
            let values: Vec<String> = values.iter().map(|value| format!("{value:X}")).collect();
            format!("check {place}{} is {}", bits(*mask), values.join(" or "))
        }
        Action::AtMost { mask, value } => {
            format!("check {place}{} is at most {value:X}", bits(*mask))
        }
        Action::Write { mask, value } => {
            let before = if step.reads_first() {
                "read, then "
            } else {
                ""
            };
            format!("{before}write {place}{} = {value:X}", bits(*mask))
        }
        Action::Wait { mask, value } => format!("wait  {place}{} = {value:X}", bits(*mask)),
        Action::Rest { mask, value } => {
            format!("rest  {place}{} = {value:X}, if it becomes so", bits(*mask))
        }
        Action::Copy { from } => format!("copy  {place} = [{from:X}]"),
        Action::Drain { size } => {
            format!("read  {place} until {NOTHING:X}, [{size:X}] times at most")
        }
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
