// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a mutant does to an expression.

use super::place::{Place, compact, mentions};
use anyhow::{Context, Result, bail, ensure};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit};

/// A change of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Its complement.
    Invert,
    /// Zero in all bits.
    StuckAt0,
    /// One, for a single bit.
    StuckAt1,
    /// Its outermost `and` becomes an `or`, or the other way round.
    SwapAndOr,
    /// The two values of its first multiplexer change places.
    SwapMux,
    /// The term, or the other operand of an `and` or `or`, that uses this name is left out.
    Drop(&'static str),
    /// Its only number is this much greater.
    OffBy(i64),
    /// It uses the second name in place of the first.
    Use(&'static str, &'static str),
    /// It leaves out this part of a path: `self.lanes.id` becomes `self.id`.
    Skip(&'static str),
}

/// `text` with the expression at `place` changed.
///
/// # Errors
/// If the expression has nothing that the operation changes.
pub fn apply(text: &str, place: &Place, operation: Operation) -> Result<String> {
    let expression = &place.expression;
    let old = &text[place.range.clone()];
    let (range, new) = match operation {
        Operation::Invert if place.is_kernel => (place.range.clone(), format!("({old}).not()")),
        Operation::Invert => (place.range.clone(), format!("!({old})")),
        Operation::StuckAt0 if place.is_kernel => {
            (place.range.clone(), format!("({old}).and_const(0)"))
        }
        Operation::StuckAt0 => (place.range.clone(), zero(expression).to_owned()),
        Operation::StuckAt1 if place.is_kernel => {
            let new = format!("({old}).and_const(0).not()");
            (place.range.clone(), new)
        }
        Operation::StuckAt1 => (place.range.clone(), "true".to_owned()),
        Operation::SwapAndOr => swap_and_or(expression)?,
        Operation::SwapMux => swap_mux(text, expression)?,
        Operation::Drop(name) => drop_term(text, expression, name)?,
        Operation::OffBy(by) => off_by(expression, by)?,
        Operation::Skip(part) => skip(text, expression, part)?,
        Operation::Use(from, to) => (rename(expression, from)?, to.to_owned()),
    };
    let changed = [&text[..range.start], &new, &text[range.end..]].concat();
    syn::parse_file(&changed).context("the mutant is no Rust")?;
    Ok(changed)
}

/// Zero for a signal of a block: sums and `into` make numbers, the rest is a bit.
fn zero(expression: &Expr) -> &'static str {
    let is_number = match expression {
        Expr::Binary(binary) => matches!(binary.op, BinOp::Add(_)),
        Expr::MethodCall(call) => call.method == "into",
        _ => false,
    };
    if is_number { "0.into()" } else { "false" }
}

type Change = (Range<usize>, String);

fn swap_and_or(expression: &Expr) -> Result<Change> {
    let (span, new) = match expression {
        Expr::MethodCall(call) if call.method == "and" => (call.method.span(), "or"),
        Expr::MethodCall(call) if call.method == "or" => (call.method.span(), "and"),
        Expr::Call(call) if compact(&call.func) == "all" => (call.func.span(), "any"),
        Expr::Call(call) if compact(&call.func) == "any" => (call.func.span(), "all"),
        Expr::Binary(binary) => match binary.op {
            BinOp::BitAnd(and) => (and.span(), "|"),
            BinOp::BitOr(or) => (or.span(), "&"),
            _ => bail!("neither and nor or"),
        },
        _ => bail!("neither and nor or"),
    };
    Ok((span.byte_range(), new.to_owned()))
}

/// The first call of a method or function that `accept` takes, from outside to inside.
fn first<'a>(expression: &'a Expr, accept: &dyn Fn(&Expr) -> bool) -> Option<&'a Expr> {
    struct First<'a, 'b>(&'b dyn Fn(&Expr) -> bool, Option<&'a Expr>);
    impl<'a> Visit<'a> for First<'a, '_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if self.1.is_none() && (self.0)(expression) {
                self.1 = Some(expression);
            }
            if self.1.is_none() {
                visit::visit_expr(self, expression);
            }
        }
    }
    let mut search = First(accept, None);
    search.visit_expr(expression);
    search.1
}

fn swap_mux(text: &str, expression: &Expr) -> Result<Change> {
    let is_mux = |e: &Expr| matches!(e, Expr::MethodCall(call) if call.method == "mux");
    let Some(Expr::MethodCall(call)) = first(expression, &is_mux) else {
        bail!("no multiplexer");
    };
    let [one, zero] = [0, 1].map(|index| call.args[index].span().byte_range());
    let new = [&text[zero.clone()], ", ", &text[one.clone()]].concat();
    Ok((one.start..zero.end, new))
}

fn drop_term(text: &str, expression: &Expr, name: &str) -> Result<Change> {
    let side = |left: &Expr, right: &Expr| {
        let kept = if mentions(right, name) { left } else { right };
        ensure!(
            mentions(left, name) != mentions(right, name),
            "one term must use `{name}`"
        );
        Ok((
            expression.span().byte_range(),
            text[kept.span().byte_range()].to_owned(),
        ))
    };
    match expression {
        Expr::Binary(binary) => return side(&binary.left, &binary.right),
        Expr::MethodCall(call) if call.method == "and" || call.method == "or" => {
            return side(&call.receiver, &call.args[0]);
        }
        _ => {}
    }
    let is_list = |e: &Expr| matches!(e, Expr::Array(_));
    let Some(Expr::Array(list)) = first(expression, &is_list) else {
        bail!("neither a list nor two operands");
    };
    let kept: Vec<&Expr> = list
        .elems
        .iter()
        .filter(|term| !mentions(term, name))
        .collect();
    ensure!(
        kept.len() + 1 == list.elems.len(),
        "one term must use `{name}`"
    );
    let kept: Vec<&str> = kept
        .iter()
        .map(|term| &text[term.span().byte_range()])
        .collect();
    Ok((list.span().byte_range(), format!("[{}]", kept.join(", "))))
}

fn off_by(expression: &Expr, by: i64) -> Result<Change> {
    let is_number = |e: &Expr| matches!(e, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)));
    let Some(Expr::Lit(literal)) = first(expression, &is_number) else {
        bail!("no number");
    };
    let Lit::Int(number) = &literal.lit else {
        bail!("no number");
    };
    let new = number.base10_parse::<i64>()? + by;
    Ok((
        literal.span().byte_range(),
        format!("{new}{}", number.suffix()),
    ))
}

fn skip(text: &str, expression: &Expr, part: &str) -> Result<Change> {
    let is_part = |e: &Expr| matches!(e, Expr::Field(field) if compact(&field.member) == part);
    let Some(Expr::Field(field)) = first(expression, &is_part) else {
        bail!("no path has `{part}`");
    };
    let base = text[field.base.span().byte_range()].to_owned();
    Ok((field.span().byte_range(), base))
}

/// The only place of a name in an expression.
fn rename(expression: &Expr, name: &str) -> Result<Range<usize>> {
    struct Places<'a>(&'a str, Vec<Range<usize>>);
    impl Visit<'_> for Places<'_> {
        fn visit_ident(&mut self, ident: &proc_macro2::Ident) {
            if ident == self.0 {
                self.1.push(ident.span().byte_range());
            }
        }
    }
    let mut places = Places(name, Vec::new());
    places.visit_expr(expression);
    ensure!(places.1.len() == 1, "`{name}` must occur once");
    places.1.pop().context("one place")
}

#[cfg(test)]
mod tests {
    use super::super::place::{Target, find};
    use super::*;

    fn changed(expression: &str, generics: &str, operation: Operation) -> Result<String> {
        let text = format!("fn f{generics}() {{ let x = {expression}; }}");
        let place = find(&text, "f", Target::Let("x"))?;
        let new = apply(&text, &place, operation)?;
        let head = text.find("= ").unwrap() + 2;
        Ok(new[head..new.len() - 3].to_owned())
    }

    #[test]
    fn every_operation_changes_what_its_name_says() {
        let kernel = |from, operation| changed(from, "<T: Word>", operation).unwrap();
        let block = |from, operation| changed(from, "", operation).unwrap();
        assert_eq!(kernel("a", Operation::Invert), "(a).not()");
        assert_eq!(block("a.val()", Operation::Invert), "!(a.val())");
        assert_eq!(block("a + b", Operation::StuckAt0), "0.into()");
        assert_eq!(block("a", Operation::StuckAt1), "true");
        assert_eq!(kernel("a.and(b)", Operation::SwapAndOr), "a.or(b)");
        assert_eq!(block("a & b", Operation::SwapAndOr), "a | b");
        assert_eq!(kernel("s.mux(a, b)", Operation::SwapMux), "s.mux(b, a)");
        let list = kernel("all(&[a, b.not(), c])", Operation::Drop("b"));
        assert_eq!(list, "all(&[a, c])");
        assert_eq!(block("a & !b", Operation::Drop("b")), "a");
        assert_eq!(kernel("a.is(11_u64)", Operation::OffBy(-1)), "a.is(10u64)");
        assert_eq!(block("a.b.val()", Operation::Use("b", "c")), "a.c.val()");
        assert_eq!(block("a.b.c.val()", Operation::Skip("b")), "a.c.val()");
    }

    #[test]
    fn an_operation_without_an_operand_is_an_error() {
        assert!(changed("a", "", Operation::SwapMux).is_err());
        assert!(changed("a", "", Operation::OffBy(1)).is_err());
        assert!(changed("a & b", "", Operation::Drop("c")).is_err());
        assert!(changed("a & a", "", Operation::Use("a", "b")).is_err());
    }
}
