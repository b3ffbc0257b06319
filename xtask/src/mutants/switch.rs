// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many mutants in one program: an environment variable selects the one that is active.
//!
//! A kernel is a Rust function that is called to simulate or to export it, so that its mutants need
//! no build of their own.

use super::operation::{Operation, apply};
use super::place::Place;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::ops::Range;
use syn::Expr;
use syn::spanned::Spanned;

/// The variable: the number of the active mutant.
pub const VARIABLE: &str = "CORETRACE_MUTANT";

/// `text` with all `mutants`, by number, each active if the variable has its number.
///
/// # Errors
/// If a mutant cannot be applied, or two overlap.
pub fn switch(text: &str, mutants: &[(usize, Place, Operation)]) -> Result<String> {
    let mut places: BTreeMap<(usize, usize), Vec<(usize, String)>> = BTreeMap::new();
    for (number, place, operation) in mutants {
        let range = value(place);
        let changed = apply(text, place, *operation)?;
        let end = range.end + changed.len() - text.len();
        let new = changed[range.start..end].to_owned();
        let alternatives = places.entry((range.start, range.end)).or_default();
        alternatives.push((*number, new));
    }
    let mut switched = text.to_owned();
    let mut next = text.len();
    for ((start, end), alternatives) in places.into_iter().rev() {
        ensure!(end <= next, "two mutants overlap");
        next = start;
        let cases: Vec<String> = alternatives
            .iter()
            .map(|(number, new)| case(*number, new))
            .collect();
        let old = &text[start..end];
        switched.replace_range(start..end, &format!("({}{{ {old} }})", cases.concat()));
    }
    Ok(switched)
}

fn case(number: usize, new: &str) -> String {
    format!(
        "if std::env::var(\"{VARIABLE}\").is_ok_and(|number| number == \"{number}\") {{ {new} }} else "
    )
}

/// The part of the text that has a value: of a closure its body, as no two closures have one type.
fn value(place: &Place) -> Range<usize> {
    match &place.expression {
        Expr::Closure(closure) => closure.body.span().byte_range(),
        _ => place.range.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::{Target, find};
    use super::*;

    #[test]
    fn mutants_of_one_expression_are_alternatives_of_each_other() {
        let text = "fn f<T: Word>() { let a = b.and(c); let g = |x: T| x.mux(b, c); }";
        let mutant = |number, name, operation| {
            let place = find(text, "f", Target::Let(name)).unwrap();
            (number, place, operation)
        };
        let mutants = [
            mutant(1, "a", Operation::SwapAndOr),
            mutant(2, "a", Operation::Drop("c")),
            mutant(3, "g", Operation::SwapMux),
        ];
        let switched = switch(text, &mutants).unwrap();
        syn::parse_file(&switched).unwrap();
        let cases = [case(1, "b.or(c)"), case(2, "b")].concat();
        assert!(
            switched.contains(&format!("let a = ({cases}{{ b.and(c) }});")),
            "{switched}"
        );
        assert!(switched.contains(&format!(
            "|x: T| ({}{{ x.mux(b, c) }})",
            case(3, "x.mux(c, b)")
        )));
    }
}
