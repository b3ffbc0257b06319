// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows as one page for a browser: without scripts, and nothing of it is loaded from anywhere.

use std::fmt::Write;

use html_escape::encode_quoted_attribute;

use crate::rows::Row;
use crate::text::{columns, percent, place};

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>What ran</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
div { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.1rem 0.8rem; text-align: right; }
th { border-bottom: 1px solid; font-weight: 500; }
td:last-child, th:last-child { text-align: left; overflow-wrap: anywhere; }
td.share { min-width: 9rem; }
td small { opacity: 0.7; }
</style>
</head>
<body>
<h1>What ran</h1>
"#;

/// A table of a page.
#[derive(Clone, Debug)]
pub struct PageTable {
    /// Its heading.
    pub heading: &'static str,
    /// Its rows, all of one kind, the largest first.
    pub rows: Vec<Row>,
}

/// Appends a page: what was counted, as lines of text, and the first `top` rows of each table. `all` are the
/// instructions that were counted.
pub fn write_page(out: &mut String, about: &str, tables: &[PageTable], all: u64, top: usize) {
    out.push_str(HEAD);
    // Writing to a string never fails, so results of `write!` are ignored in this file.
    for line in about.lines() {
        let _ = writeln!(out, "<p>{}</p>", escaped(line));
    }
    for table in tables {
        let _ = writeln!(out, "<h2>{}</h2>", escaped(table.heading));
        write_table(out, &table.rows, all, top);
    }
    out.push_str("</body>\n</html>\n");
}

fn write_table(out: &mut String, rows: &[Row], all: u64, top: usize) {
    let Some(first) = rows.first() else {
        out.push_str("<p>None.</p>\n");
        return;
    };
    let columns = columns(rows);
    let has_share = columns.iter().any(|(field, _)| *field == "instructions");
    out.push_str("<div><table>\n<tr>");
    if has_share {
        out.push_str("<th>share</th>");
    }
    for (_, title) in &columns {
        let _ = write!(out, "<th>{title}</th>");
    }
    let _ = writeln!(out, "<th>{}</th></tr>", first.kind);
    for row in rows.iter().take(top) {
        out.push_str("<tr>");
        if has_share {
            let share = percent(row.number("instructions"), all);
            let _ = write!(
                out,
                "<td class=\"share\" style=\"background: linear-gradient(to left, #48f5 {share:.1}%, \
                 transparent 0)\">{share:.1}%</td>"
            );
        }
        for (field, _) in &columns {
            let _ = write!(out, "<td>{}</td>", row.number(field));
        }
        let name = escaped(row.text("name").unwrap_or_default());
        let _ = write!(out, "<td>{name}");
        if let Some(place) = place(row) {
            let _ = write!(out, " <small>{}</small>", escaped(&place));
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</table></div>\n");
    let hidden = rows.len().saturating_sub(top);
    if hidden > 0 {
        let _ = writeln!(out, "<p>{hidden} more.</p>");
    }
}

/// Text for an element: names of files and symbols may contain anything.
fn escaped(text: &str) -> String {
    let shown = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    encode_quoted_attribute(&shown.collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(name: &str, instructions: u64) -> Row {
        let fields = vec![
            ("name", json!(name)),
            ("file", json!("a<b>.c")),
            ("line", json!(7)),
            ("instructions", json!(instructions)),
            ("calls", json!(3)),
        ];
        Row {
            kind: "function",
            fields,
        }
    }

    #[test]
    fn a_page_has_the_first_rows_of_each_table_and_no_markup_of_names() {
        let functions = PageTable {
            heading: "Functions",
            rows: vec![row("<script>", 75), row("main", 20), row("rare", 5)],
        };
        let loops = PageTable {
            heading: "Loops",
            rows: Vec::new(),
        };
        let mut page = String::new();
        write_page(&mut page, "a & b\nc", &[functions, loops], 100, 2);
        assert!(!page.contains("<script>") && !page.contains("rare"));
        for part in [
            "<p>a &amp; b</p>\n<p>c</p>",
            ">75.0%</td><td>75</td><td>3</td><td>&lt;script&gt; <small>(a&lt;b&gt;.c:7)</small></td>",
            "<td>main",
            "<p>1 more.</p>",
            "<h2>Loops</h2>\n<p>None.</p>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }
}
