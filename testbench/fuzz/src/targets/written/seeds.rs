// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of the targets of what `etm4` wrote.

use coretrace_counts::SCHEMA;

use super::super::compiled;
use super::super::seeds::{PROGRAM, Seed};

/// A profile of two functions.
pub fn functions() -> Vec<Seed> {
    let row =
        |kind: &str, rest: &str| format!("{{\"schema\":\"{SCHEMA}\",\"type\":\"{kind}\"{rest}}}\n");
    let text = row("total", ",\"instructions\":7")
        + &row("function", ",\"name\":\"main\",\"instructions\":4")
        + &row("function", ",\"name\":\"main::loop\",\"instructions\":3");
    vec![("two".to_owned(), text.into_bytes())]
}

/// The table of a program of a few branches.
pub fn flow_table() -> Vec<Seed> {
    let (compiler, _) = compiled(&PROGRAM);
    vec![("small".to_owned(), compiler.table().to_bytes())]
}

/// A capture that has ended.
pub fn core_capture() -> Vec<Seed> {
    let text = "name = \"zynqmp\"\nfile = \"records.words\"\nformat = \"records\"\nended = true\n\
        [[source]]\nname = \"etm0\"\nprotocol = \"ETM4\"\ntrace_id = 0x10\n\
        [counters.before]\nFRAMES = 3\n[counters.after]\nFRAMES = 10\n";
    vec![("records".to_owned(), text.into())]
}
