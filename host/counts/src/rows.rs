// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of results: for text, TSV and JSON.

use serde_json::{Map, Value, json};

use crate::coverage::FunctionCoverage;
use crate::key::Key;
use crate::loops::Loop;
use crate::totals::Totals;
use crate::view::{By, RowSums};
use crate::who::Source;

/// The schema of the rows as JSON.
pub const SCHEMA: &str = "etm4.counts.1";

/// A row: its type, and its fields in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub kind: &'static str,
    /// Names and values. Addresses are text in hexadecimal.
    pub fields: Vec<(&'static str, Value)>,
}

impl Row {
    /// The sums of a source of a capture.
    pub fn of_source(capture: &str, source: &Source, totals: &Totals) -> Row {
        let mut fields = vec![("capture", json!(capture)), ("id", json!(source.id))];
        fields.extend(source.cpu.map(|cpu| ("cpu", json!(cpu))));
        fields.extend(totals.fields().map(|(name, sum)| (name, json!(sum))));
        Row {
            kind: "source",
            fields,
        }
    }

    /// A row of a view.
    pub fn view(by: By, key: &Key, row: &RowSums) -> Row {
        let mut fields = of_key(key);
        if by != By::Edge {
            fields.push(("instructions", json!(row.sums.instructions)));
        }
        match by {
            By::Function | By::Inlined => fields.push(("calls", json!(row.calls))),
            By::Block | By::Edge => fields.push(("visits", json!(row.sums.visits))),
            _ => {}
        }
        if by != By::Edge {
            fields.push(("cycles", json!(row.sums.cycles)));
            fields.push(("ticks", json!(row.sums.ticks)));
        }
        Row {
            kind: by.name(),
            fields,
        }
    }

    /// A loop.
    pub fn of_loop(found: &Loop) -> Row {
        let mut fields = of_key(&found.key);
        fields.push(("instructions", json!(found.sums.instructions)));
        fields.push(("entries", json!(found.entries)));
        fields.push(("iterations", json!(found.iterations)));
        fields.push(("cycles", json!(found.sums.cycles)));
        fields.push(("ticks", json!(found.sums.ticks)));
        Row {
            kind: "loop",
            fields,
        }
    }

    /// What ran of a function.
    pub fn of_coverage(program: &str, found: &FunctionCoverage) -> Row {
        let mut fields = vec![("name", json!(found.name)), ("program", json!(program))];
        if let Some((file, line)) = &found.place {
            fields.push(("file", json!(file)));
            fields.push(("line", json!(line)));
        }
        fields.push(("start", hex(found.start)));
        fields.push(("entered", json!(found.entered)));
        fields.push(("blocks", json!(found.blocks)));
        fields.push(("lines_ran", json!(found.lines.0)));
        fields.push(("lines", json!(found.lines.1)));
        fields.push(("bytes_ran", json!(found.bytes.0)));
        fields.push(("bytes", json!(found.bytes.1)));
        Row {
            kind: "coverage",
            fields,
        }
    }

    /// A field that is a number; 0 if there is none.
    pub fn number(&self, name: &str) -> u64 {
        self.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Whether there is a field.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A field that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let field = self.fields.iter().find(|(known, _)| *known == name);
        field.map(|(_, value)| value)
    }

    /// Appends an object, and a line end.
    pub fn write_json(&self, out: &mut String) {
        let mut object = Map::new();
        object.insert("schema".to_owned(), json!(SCHEMA));
        object.insert("type".to_owned(), json!(self.kind));
        for (name, value) in &self.fields {
            object.insert((*name).to_owned(), value.clone());
        }
        out.push_str(&Value::Object(object).to_string());
        out.push('\n');
    }

    /// Appends the type and `key=value`, separated by tabs, and a line end.
    pub fn write_tsv(&self, out: &mut String) {
        out.push_str(self.kind);
        for (name, value) in &self.fields {
            out.push('\t');
            out.push_str(name);
            out.push('=');
            match value {
                Value::String(text) => out.extend(text.escape_debug()),
                value => out.push_str(&value.to_string()),
            }
        }
        out.push('\n');
    }
}

fn of_key(key: &Key) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("name", json!(key.name))];
    fields.extend(key.pid.map(|pid| ("pid", json!(pid))));
    fields.extend(key.tid.map(|tid| ("tid", json!(tid))));
    fields.extend(
        key.program
            .as_ref()
            .map(|program| ("program", json!(program))),
    );
    fields.extend(key.file.as_ref().map(|file| ("file", json!(file))));
    fields.extend(key.line.map(|line| ("line", json!(line))));
    fields.extend(key.start.map(|start| ("start", hex(start))));
    fields.extend(key.end.map(|end| ("end", hex(end))));
    fields
}

fn hex(address: u64) -> Value {
    json!(format!("{address:#x}"))
}
