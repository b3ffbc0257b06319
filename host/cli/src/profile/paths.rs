// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paths of calls of a trace that is followed here: its call tree, or folded stacks.

use anyhow::Result;
use coretrace_calls::{CallTree, KnownNames, Shown, ThreadSymbols, folded, write_tree};
use coretrace_capture::Trace;
use coretrace_counts::Row;
use serde_json::json;

use super::format::ReportFormat;
use crate::calls::{Caller, say_counts};
use crate::error::say;
use crate::follow::FollowArgs;
use crate::traced::Traced;

/// How the paths of traces are written.
pub struct Paths<'a> {
    /// Folded stacks, or a tree in one of the other formats.
    pub format: ReportFormat,
    /// The most paths in text.
    pub top: usize,
    /// How traces are followed.
    pub follow: &'a FollowArgs,
}

impl Paths<'_> {
    /// Appends the paths of a trace; whether anything was decoded.
    ///
    /// # Errors
    /// If the trace or a memory image cannot be read.
    pub fn write(
        &self,
        out: &mut String,
        name: &str,
        trace: &Trace,
        traced: &Traced,
        sync_limit: u64,
    ) -> Result<bool> {
        let symbols = traced.symbols()?;
        let mut ignore = |_: &_, _: &_| {};
        let mut caller = Caller::new(&symbols, false, &mut ignore, CallTree::default());
        let followed = self.follow.follow(trace, traced, sync_limit, &mut caller)?;
        for (id, _, counts) in caller.sources() {
            say_counts(id, &counts);
        }
        let tree = caller.sink;
        if tree.cut > 0 {
            say(&format!(
                "warning: {name}: {} calls have no path of their own, because there are too many: they count \
                 for their callers",
                tree.cut
            ));
        }
        match self.format {
            ReportFormat::Folded => folded(out, &tree, &symbols, |costs| costs.instructions),
            ReportFormat::Tsv => rows(name, &tree, &symbols, |row| row.write_tsv(out)),
            ReportFormat::Json => rows(name, &tree, &symbols, |row| row.write_json(out)),
            _ => {
                out.push_str(&format!("traced: {}\n\n", name.escape_debug()));
                write_tree(out, &tree, &symbols, Shown::Top(self.top));
            }
        }
        Ok(followed.is_decoded)
    }
}

/// The paths of a tree as rows, callers in front of what they call.
fn rows(name: &str, tree: &CallTree, symbols: &ThreadSymbols<'_>, mut write: impl FnMut(&Row)) {
    let totals = tree.totals();
    let mut names = KnownNames::new(symbols);
    for (number, depth) in tree.ordered(&totals) {
        let node = &tree.nodes()[number as usize];
        let total = &totals[number as usize];
        let mut fields = vec![("capture", json!(name)), ("node", json!(number))];
        fields.extend(node.parent.map(|parent| ("parent", json!(parent))));
        fields.extend([
            ("depth", json!(depth)),
            ("name", json!(names.of(node.kind))),
            ("instructions", json!(node.own.instructions)),
            ("cycles", json!(node.own.cycles)),
            ("time", json!(node.own.time)),
            ("total_instructions", json!(total.instructions)),
            ("total_cycles", json!(total.cycles)),
            ("total_time", json!(total.time)),
            ("calls", json!(node.calls)),
        ]);
        write(&Row {
            kind: "tree",
            fields,
        });
    }
}
