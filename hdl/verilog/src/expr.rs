// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expressions with exact widths.
//!
//! Verilog widens operands to the context, Rust wraps at the type. Both agree when every operand
//! of an operator has the width of the result, so that is what is printed: literals get their
//! partner's width, widening is a concatenation (whose members are self-determined), narrowing is
//! a part select, and every compound operand is in parentheses.

use rust_hdl::core::ast::{VerilogExpression as Ast, VerilogLiteral, VerilogOp, VerilogOpUnary};

use super::context::Kernel;
use super::place::Place;

/// A printed expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub text: String,
    pub width: usize,
    /// Whether an operator can take it without parentheses.
    primary: bool,
}

/// The result of an expression before its width is matched with the other operand's.
enum Value {
    /// A number without a width of its own.
    Number(u128),
    Sized(Expr),
    /// A finding has been reported; report no more for this expression.
    Refused,
}

impl Expr {
    fn new(text: String, width: usize) -> Expr {
        Expr {
            text,
            width,
            primary: false,
        }
    }

    /// A name, a select, a literal or a concatenation.
    fn whole(text: String, width: usize) -> Expr {
        Expr {
            text,
            width,
            primary: true,
        }
    }

    /// Text of an operand.
    fn operand(&self) -> String {
        if self.primary {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// Text at a width that is not smaller: concatenation cuts its members at their own width.
    fn extended(&self, width: usize) -> Expr {
        if width == self.width {
            return self.clone();
        }
        let padding = number(0, width - self.width);
        Expr::whole(format!("{{{padding}, {}}}", self.text), width)
    }
}

/// A sized literal.
pub(super) fn number(value: u128, width: usize) -> String {
    if width == 1 {
        format!("1'b{value}")
    } else if value < 10 {
        format!("{width}'d{value}")
    } else {
        format!("{width}'h{value:x}")
    }
}

fn fits(value: u128, width: usize) -> bool {
    width >= 128 || value >> width == 0
}

fn literal(literal: &VerilogLiteral) -> (u128, usize) {
    let text = format!("{literal:x}");
    let (bits, hex) = text.split_once("'h").unwrap_or(("0", "0"));
    let value = u128::from_str_radix(hex, 16).unwrap_or_default();
    (value, bits.parse().unwrap_or_default())
}

impl Kernel<'_> {
    /// An expression that must be `width` bits wide.
    pub(super) fn sized(&mut self, ast: &Ast, width: usize) -> Option<Expr> {
        let value = self.value(ast);
        let expr = self.fit(value, width)?;
        if expr.width != width {
            let message = format!("has {} bits where {width} are needed", expr.width);
            self.refuse(expr.text, message);
            return None;
        }
        Some(expr)
    }

    /// An expression that has a width of its own.
    pub(super) fn own_width(&mut self, ast: &Ast) -> Option<Expr> {
        match self.value(ast) {
            Value::Sized(expr) => Some(expr),
            Value::Number(n) => {
                self.refuse(n.to_string(), "has no width here");
                None
            }
            Value::Refused => None,
        }
    }

    /// An expression that Rust evaluates as `usize` after `.index()`.
    ///
    /// The syntax tree does not show whether arithmetic comes before or after `.index()`, that is,
    /// whether it wraps, so only plain signals and their slices pass.
    pub(super) fn index(&mut self, ast: &Ast) -> Option<Expr> {
        let expr = self.own_width(ast)?;
        if !expr.primary {
            self.refuse(
                expr.text,
                "is arithmetic used as an index; put it in a Local first",
            );
            return None;
        }
        Some(expr)
    }

    /// Value of an expression over literals and loop variables, if it is one.
    pub(super) fn constant(&self, ast: &Ast) -> Option<u128> {
        match ast {
            Ast::Signal(name) => self.loop_value(name),
            Ast::Literal(l) => match literal(l) {
                (_, 1) => None,
                (value, _) => Some(value),
            },
            Ast::Paren(inner) => self.constant(inner),
            Ast::Binary(l, op, r) => {
                let (l, r) = (self.constant(l)?, self.constant(r)?);
                match op {
                    VerilogOp::Add => l.checked_add(r),
                    VerilogOp::Sub => l.checked_sub(r),
                    VerilogOp::Mul => l.checked_mul(r),
                    VerilogOp::Shl => l.checked_shl(u32::try_from(r).ok()?),
                    VerilogOp::Shr => l.checked_shr(u32::try_from(r).ok()?),
                    VerilogOp::BitAnd => Some(l & r),
                    VerilogOp::BitOr => Some(l | r),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The bits of a signal that an expression names, if it names some. Records no read.
    pub(super) fn place(&mut self, ast: &Ast) -> Option<Place> {
        match ast {
            Ast::Signal(name) if self.loop_value(name).is_none() => self.lookup(name),
            Ast::Paren(inner) => self.place(inner),
            Ast::Index(base, at) => {
                let at = usize::try_from(self.constant(at)?).ok()?;
                self.place(base)?.part(at, 1)
            }
            Ast::Slice(base, width, at) => {
                let at = usize::try_from(self.constant(at)?).ok()?;
                self.place(base)?.part(at, *width)
            }
            Ast::Cast(inner, width) => self.place(inner)?.part(0, *width),
            _ => None,
        }
    }

    fn value(&mut self, ast: &Ast) -> Value {
        if let Some(n) = self.constant(ast) {
            return Value::Number(n);
        }
        if let Some(place) = self.place(ast) {
            self.read(&place);
            return Value::Sized(Expr::whole(place.verilog(), place.width));
        }
        match ast {
            // `place` has refused the name.
            Ast::Signal(_) => Value::Refused,
            Ast::Literal(l) => Value::Sized(Expr::whole(number(literal(l).0, 1), 1)),
            Ast::Paren(inner) => self.value(inner),
            Ast::Cast(inner, width) => self.cast(inner, *width),
            Ast::Unary(op, inner) => self.unary(op, inner),
            Ast::Binary(l, op, r) => self.binary(l, op, r),
            Ast::Index(base, at) => self.select(base, 1, at),
            Ast::Slice(base, width, at) => self.select(base, *width, at),
            Ast::IndexReplace(base, at, bit) => self.replace_bit(base, at, bit),
            Ast::Signed(_) | Ast::Unsigned(_) => {
                self.refuse("signed", "arithmetic is not exported");
                Value::Refused
            }
        }
    }

    fn fit(&mut self, value: Value, width: usize) -> Option<Expr> {
        match value {
            Value::Sized(expr) => Some(expr),
            Value::Number(n) if fits(n, width) => Some(Expr::whole(number(n, width), width)),
            Value::Number(n) => {
                self.refuse(n.to_string(), format!("does not fit in {width} bits"));
                None
            }
            Value::Refused => None,
        }
    }

    fn cast(&mut self, inner: &Ast, width: usize) -> Value {
        let value = self.value(inner);
        match self.fit(value, width) {
            Some(expr) if expr.width <= width => {
                let expr = expr.extended(width);
                Value::Sized(expr)
            }
            Some(_) => match self.narrowed(inner, width) {
                Some(expr) => Value::Sized(expr),
                None => Value::Refused,
            },
            None => Value::Refused,
        }
    }

    /// The lowest `width` bits of a wider expression: operators whose low bits depend on the low
    /// bits of their operands alone are computed at `width`.
    fn narrowed(&mut self, ast: &Ast, width: usize) -> Option<Expr> {
        if let Some(n) = self.constant(ast) {
            let low = if width < 128 {
                n & ((1 << width) - 1)
            } else {
                n
            };
            return self.fit(Value::Number(low), width);
        }
        let sign = match ast {
            Ast::Paren(inner) => return self.narrowed(inner, width),
            Ast::Unary(VerilogOpUnary::Not, inner) => {
                let inner = self.narrowed(inner, width)?;
                return Some(Expr::new(format!("~{}", inner.operand()), width));
            }
            Ast::Binary(_, VerilogOp::Add, _) => "+",
            Ast::Binary(_, VerilogOp::Sub, _) => "-",
            Ast::Binary(_, VerilogOp::BitAnd, _) => "&",
            Ast::Binary(_, VerilogOp::BitOr, _) => "|",
            Ast::Binary(_, VerilogOp::BitXor, _) => "^",
            _ => "",
        };
        if let (Ast::Binary(left, _, right), false) = (ast, sign.is_empty()) {
            let (left, right) = (self.narrowed(left, width)?, self.narrowed(right, width)?);
            let text = format!("{} {sign} {}", left.operand(), right.operand());
            return Some(Expr::new(text, width));
        }
        if let Some(part) = self.place(ast).and_then(|place| place.part(0, width)) {
            self.read(&part);
            return Some(Expr::whole(part.verilog(), width));
        }
        let expr = self.own_width(ast)?;
        if expr.width > width {
            self.refuse(expr.text, "is cast to fewer bits; put it in a Local first");
            return None;
        }
        Some(expr.extended(width))
    }

    fn unary(&mut self, op: &VerilogOpUnary, inner: &Ast) -> Value {
        let Some(expr) = self.own_width(inner) else {
            return Value::Refused;
        };
        let (sign, width) = match op {
            VerilogOpUnary::Not => ("~", expr.width),
            VerilogOpUnary::All => ("&", 1),
            VerilogOpUnary::Any => ("|", 1),
            VerilogOpUnary::Xor => ("^", 1),
            VerilogOpUnary::Neg => {
                self.refuse(expr.text, "is negated; signed arithmetic is not exported");
                return Value::Refused;
            }
        };
        Value::Sized(Expr::new(format!("{sign}{}", expr.operand()), width))
    }

    fn binary(&mut self, left: &Ast, op: &VerilogOp, right: &Ast) -> Value {
        let sign = match op {
            VerilogOp::Shl | VerilogOp::Shr => return self.shift(left, op, right),
            VerilogOp::Add => "+",
            VerilogOp::Sub => "-",
            VerilogOp::LogicalAnd => "&&",
            VerilogOp::LogicalOr => "||",
            VerilogOp::BitXor => "^",
            VerilogOp::BitAnd => "&",
            VerilogOp::BitOr => "|",
            VerilogOp::Eq => "==",
            VerilogOp::Ne => "!=",
            VerilogOp::Lt => "<",
            VerilogOp::Le => "<=",
            VerilogOp::Gt => ">",
            VerilogOp::Ge => ">=",
            VerilogOp::Mul => {
                self.refuse("*", "of signals is not exported");
                return Value::Refused;
            }
        };
        let (left, right) = (self.value(left), self.value(right));
        let Some((l, r)) = self.partners(left, right) else {
            return Value::Refused;
        };
        let width = l.width.max(r.width);
        // Only `Bits + bool` mixes widths in Rust.
        if l.width != r.width && !(matches!(op, VerilogOp::Add) && r.width == 1) {
            let message = format!("joins {} and {} bits", l.width, r.width);
            self.refuse(format!("{} {sign} {}", l.operand(), r.operand()), message);
            return Value::Refused;
        }
        let text = format!(
            "{} {sign} {}",
            l.extended(width).operand(),
            r.extended(width).operand()
        );
        let is_flag = matches!(
            op,
            VerilogOp::LogicalAnd
                | VerilogOp::LogicalOr
                | VerilogOp::Eq
                | VerilogOp::Ne
                | VerilogOp::Lt
                | VerilogOp::Le
                | VerilogOp::Gt
                | VerilogOp::Ge
        );
        Value::Sized(Expr::new(text, if is_flag { 1 } else { width }))
    }

    /// Both operands, a number at the width of the other.
    fn partners(&mut self, left: Value, right: Value) -> Option<(Expr, Expr)> {
        match (left, right) {
            (Value::Refused, _) | (_, Value::Refused) => None,
            (Value::Sized(l), r) => Some((l.clone(), self.fit(r, l.width)?)),
            (l, Value::Sized(r)) => Some((self.fit(l, r.width)?, r)),
            (Value::Number(l), Value::Number(_)) => {
                self.refuse(l.to_string(), "meets another number; neither has a width");
                None
            }
        }
    }

    fn shift(&mut self, left: &Ast, op: &VerilogOp, right: &Ast) -> Value {
        let sign = if matches!(op, VerilogOp::Shl) {
            "<<"
        } else {
            ">>"
        };
        let left = self.own_width(left);
        let amount = match self.value(right) {
            Value::Number(n) => Some(n.to_string()),
            // A shift amount is self-determined, so it wraps at its own width as in Rust.
            Value::Sized(expr) => Some(expr.operand()),
            Value::Refused => None,
        };
        match (left, amount) {
            (Some(l), Some(amount)) => {
                let text = format!("{} {sign} {amount}", l.operand());
                Value::Sized(Expr::new(text, l.width))
            }
            _ => Value::Refused,
        }
    }

    /// `width` bits of a plain signal from a position; constant positions inside the signal are
    /// places and do not come here.
    fn select(&mut self, base: &Ast, width: usize, at: &Ast) -> Value {
        let Some(place) = self.place(base) else {
            if let Some(expr) = self.own_width(base) {
                self.refuse(
                    expr.text,
                    "is not a signal, so its bits cannot be selected; put it in a Local first",
                );
            }
            return Value::Refused;
        };
        if let Some(at) = self.constant(at) {
            return self.select_past_the_top(place, width, at);
        }
        self.read(&place);
        let Some(at) = self.index(at) else {
            return Value::Refused;
        };
        let highest = (1usize << at.width.min(32)) - 1;
        if width > 1 && highest + width > place.width {
            let message = format!(
                "may select bits past the top of `{}`, which Rust reads as 0 and Verilog as x; \
                 shift into a Local instead",
                place.text
            );
            self.refuse(at.text, message);
            return Value::Refused;
        }
        if place.width != place.of {
            self.refuse(
                place.verilog(),
                "is indexed by a signal; put it in a Local first",
            );
            return Value::Refused;
        }
        if place.width == 1 {
            return Value::Sized(Expr::whole(place.text, 1));
        }
        let at = self.position(at, place.width);
        let text = match width {
            1 => format!("{}[{at}]", place.text),
            _ => format!("{}[{at} +: {width}]", place.text),
        };
        Value::Sized(Expr::whole(text, width))
    }

    /// Rust reads zeros above the top of a vector.
    fn select_past_the_top(&mut self, place: Place, width: usize, at: u128) -> Value {
        let left = (place.width as u128).saturating_sub(at) as usize;
        let text = place.verilog();
        match place.part(at as usize, left.min(width)) {
            Some(part) if left > 0 && width > 1 => {
                self.read(&part);
                Value::Sized(Expr::whole(part.verilog(), left).extended(width))
            }
            _ => {
                self.refuse(text, format!("has no bit {at}"));
                Value::Refused
            }
        }
    }

    /// Text of a bit position in a vector of `of` bits. Rust panics on a position outside, so
    /// the upper bits of a wide index are zero.
    fn position(&mut self, at: Expr, of: usize) -> String {
        let bits = (of.next_power_of_two().trailing_zeros() as usize).max(1);
        if at.width <= bits {
            return at.extended(bits).text;
        }
        if at.text.ends_with(['}', ']']) {
            self.refuse(
                at.text.clone(),
                format!("has more than the {bits} bits of a position"),
            );
        }
        match bits {
            1 => format!("{}[0]", at.text),
            _ => format!("{}[{}:0]", at.text, bits - 1),
        }
    }

    fn replace_bit(&mut self, base: &Ast, at: &Ast, bit: &Ast) -> Value {
        let (base, bit) = (self.own_width(base), self.sized(bit, 1));
        let at = match self.constant(at) {
            Some(at) => Some(at.to_string()),
            None => self.index(at).map(|expr| expr.text),
        };
        let (Some(base), Some(bit), Some(at)) = (base, bit, at) else {
            return Value::Refused;
        };
        let width = base.width;
        let text = format!(
            "({} & ~({} << {at})) | ({} << {at})",
            base.operand(),
            number(1, width),
            bit.extended(width).operand(),
        );
        Value::Sized(Expr::new(text, width))
    }
}
