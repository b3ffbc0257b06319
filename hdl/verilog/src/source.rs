// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes that rust-hdl's syntax tree no longer shows, found in the source of the kernels:
//! `0..=3` is exported as `0..3`, a match guard is dropped, and so is the place of `.index()` in
//! an expression.

use super::{Finding, Findings, names};

/// Findings in the `#[hdl_gen]` kernels of one source file.
pub fn lint_source(file: &str, text: &str) -> Vec<Finding> {
    let code = blank(text);
    let mut findings = Findings::default();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[hdl_gen]") {
        let start = from + found;
        let end = start + body_length(&code[start..]);
        let mut add = |at: usize, subject: &str, message: &str| {
            let line = code[..start + at].matches('\n').count() + 1;
            findings.add(&format!("{file}:{line}"), subject, message);
        };
        lint_kernel(&code[start..end], &mut add);
        from = end;
    }
    findings.to_vec()
}

fn lint_kernel(kernel: &str, add: &mut impl FnMut(usize, &str, &str)) {
    for (at, _) in kernel.match_indices("..=") {
        add(at, "..=", "is exported as `..`: the last turn is missing");
    }
    for (at, _) in kernel.match_indices("if") {
        let is_word = !kernel[..at].ends_with(names::is_word)
            && !kernel[at + 2..].starts_with(names::is_word);
        let rest = &kernel[at..];
        let stop = rest.find(['{', ';']).unwrap_or(rest.len());
        if is_word && rest[..stop].contains("=>") {
            add(
                at,
                "if",
                "guards a match arm, and the guard is not exported",
            );
        }
    }
    const INDEX: &str = ".index()";
    for (at, _) in kernel.match_indices(INDEX) {
        let next = kernel[at + INDEX.len()..].trim_start();
        let is_arrow = next.starts_with("=>");
        if !is_arrow
            && next.starts_with(['+', '-', '*', '/', '%', '<', '>', '=', '!', '&', '|', '^'])
        {
            add(
                at,
                INDEX,
                "is exported as nothing, so arithmetic after it wraps in Verilog only",
            );
        }
    }
}

/// Length of the text up to the end of the first brace block.
fn body_length(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The text with comments and the insides of string literals replaced by blanks of equal length.
fn blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            string_length(rest)
        } else if rest.starts_with("'\"'") {
            3
        } else {
            0
        };
        if skipped == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let kept = rest[..skipped].bytes();
            out.extend(kept.map(|b| if b == b'\n' { '\n' } else { ' ' }));
            rest = &rest[skipped..];
        }
    }
    out
}

/// Length of the string literal at the start of the text, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
