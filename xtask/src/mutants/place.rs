// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the expression that a mutant changes, by the names around it.

use anyhow::{Context, Result, ensure};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, File, Pat};

/// What an expression gives its value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The variable of this name.
    Let(&'static str),
    /// The signal of a block: `self.NAME.next = EXPRESSION`.
    Set(&'static str),
    /// The register of a kernel: `T::set_next(NAME, EXPRESSION)`.
    Drive(&'static str),
    /// The field of a structure.
    Field(&'static str),
    /// The only branch whose condition uses this name: the condition.
    If(&'static str),
    /// The match arm with this pattern: its value.
    Arm(&'static str),
    /// The constant of this name.
    Constant(&'static str),
    /// The value of the function.
    Result,
}

/// A place in a source file.
pub struct Place {
    /// Where the expression is in the text, in bytes.
    pub range: Range<usize>,
    /// The expression.
    pub expression: Expr,
    /// Whether it is in a kernel, which is generic over `T: Word`; otherwise in a block.
    pub is_kernel: bool,
    /// Whether Rust evaluates it: `update` is read by a macro, constants by the compiler.
    pub is_evaluated: bool,
}

/// The only expression of `function` in `text` for `target`.
///
/// The function is empty for a constant of the file, and `Type::name` where several have the name.
///
/// # Errors
/// If the text is no Rust, or has no such expression or more than one.
pub fn find(text: &str, function: &str, target: Target) -> Result<Place> {
    let file: File = syn::parse_file(text).context("no Rust")?;
    let mut finder = Finder {
        function,
        target,
        owner: None,
        owner_is_kernel: false,
        is_inside: function.is_empty(),
        is_kernel: false,
        places: Vec::new(),
    };
    finder.visit_file(&file);
    let count = finder.places.len();
    ensure!(
        count == 1,
        "`{function}` has {count} places for {target:?}, not one"
    );
    finder.places.pop().context("one place")
}

/// The text of some tokens without spaces.
pub fn compact(tokens: &impl quote::ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.split_whitespace().collect()
}

/// Whether an expression uses a name.
pub fn mentions(expression: &Expr, name: &str) -> bool {
    struct Names<'a>(&'a str, bool);
    impl Visit<'_> for Names<'_> {
        fn visit_ident(&mut self, ident: &proc_macro2::Ident) {
            self.1 |= ident == self.0;
        }
    }
    let mut names = Names(name, false);
    names.visit_expr(expression);
    names.1
}

struct Finder<'a> {
    function: &'a str,
    target: Target,
    /// The type of the `impl` around.
    owner: Option<String>,
    owner_is_kernel: bool,
    is_inside: bool,
    is_kernel: bool,
    places: Vec<Place>,
}

impl Finder<'_> {
    fn found(&mut self, expression: &Expr) {
        self.places.push(Place {
            range: expression.span().byte_range(),
            expression: expression.clone(),
            is_kernel: self.is_kernel,
            is_evaluated: !self.function.is_empty() && !self.function.ends_with("update"),
        });
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let name = signature.ident.to_string();
        let owner = self.owner.as_deref().unwrap_or_default();
        let is_it = name == self.function || format!("{owner}::{name}") == self.function;
        if !is_it {
            return visit::visit_block(self, block);
        }
        let is_kernel = self.owner_is_kernel || is_over_words(&signature.generics);
        let outside = (self.is_inside, self.is_kernel);
        (self.is_inside, self.is_kernel) = (true, is_kernel);
        if let (Target::Result, Some(syn::Stmt::Expr(value, None))) =
            (self.target, block.stmts.last())
        {
            self.found(value);
        }
        visit::visit_block(self, block);
        (self.is_inside, self.is_kernel) = outside;
    }
}

impl Visit<'_> for Finder<'_> {
    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        let name = compact(&item.self_ty);
        let name = name.split('<').next().unwrap_or_default().to_owned();
        self.owner = Some(name);
        self.owner_is_kernel = is_over_words(&item.generics);
        visit::visit_item_impl(self, item);
        (self.owner, self.owner_is_kernel) = (None, false);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.body(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        self.body(&item.sig, &item.block);
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        if matches!(self.target, Target::Constant(name) if item.ident == name) {
            self.found(&item.expr);
        }
    }

    fn visit_local(&mut self, local: &syn::Local) {
        if let (true, Target::Let(name), Some(init)) = (self.is_inside, self.target, &local.init)
            && let Some(value) = bound(&local.pat, &init.expr, name)
        {
            self.found(value);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &syn::ExprAssign) {
        if let (true, Target::Set(name)) = (self.is_inside, self.target)
            && compact(&assign.left) == format!("self.{name}.next")
        {
            self.found(&assign.right);
        }
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let (true, Target::Drive(name), [register, value]) = (
            self.is_inside,
            self.target,
            &call.args.iter().collect::<Vec<_>>()[..],
        ) && compact(&call.func) == "T::set_next"
            && compact(register) == name
        {
            self.found(value);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_field_value(&mut self, field: &syn::FieldValue) {
        if let (true, Target::Field(name)) = (self.is_inside, self.target)
            && compact(&field.member) == name
        {
            self.found(&field.expr);
        }
        visit::visit_field_value(self, field);
    }

    fn visit_expr_if(&mut self, branch: &syn::ExprIf) {
        if let (true, Target::If(name)) = (self.is_inside, self.target)
            && mentions(&branch.cond, name)
        {
            self.found(&branch.cond);
        }
        visit::visit_expr_if(self, branch);
    }

    fn visit_arm(&mut self, arm: &syn::Arm) {
        if let (true, Target::Arm(name)) = (self.is_inside, self.target)
            && compact(&arm.pat) == name
        {
            self.found(&arm.body);
        }
        visit::visit_arm(self, arm);
    }
}

/// Whether there is a parameter `T: Word`.
fn is_over_words(generics: &syn::Generics) -> bool {
    let mut types = generics.type_params();
    types.any(|parameter| {
        parameter
            .bounds
            .iter()
            .any(|bound| compact(bound) == "Word")
    })
}

/// The part of `value` that a pattern binds to `name`.
fn bound<'a>(pattern: &Pat, value: &'a Expr, name: &str) -> Option<&'a Expr> {
    match (pattern, value) {
        (Pat::Ident(ident), _) => (ident.ident == name).then_some(value),
        (Pat::Type(typed), _) => bound(&typed.pat, value, name),
        (Pat::Tuple(patterns), Expr::Tuple(values)) => {
            let mut pairs = patterns.elems.iter().zip(&values.elems);
            pairs.find_map(|(pattern, value)| bound(pattern, value, name))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const WIDTH: u64 = 4;\n\
        fn kernel<T: Word>(a: T) -> T { let (x, y) = (a.not(), a); T::set_next(held, x.and(y)); \
        Pair { left: x, right: y.or(x) } }\n\
        impl Logic for Block { fn update(&mut self) { self.valid.d.next = self.a.val(); \
        if self.reset.val() { match s { State::Run => 1, _ => 2 } } } }";

    #[test]
    fn every_kind_of_target_is_found_by_its_name() {
        let cases = [
            ("", Target::Constant("WIDTH"), "4"),
            ("kernel", Target::Let("y"), "a"),
            ("kernel", Target::Drive("held"), "x.and(y)"),
            ("kernel", Target::Field("right"), "y.or(x)"),
            ("Block::update", Target::Set("valid.d"), "self.a.val()"),
            ("update", Target::If("reset"), "self.reset.val()"),
            ("update", Target::Arm("State::Run"), "1"),
        ];
        for (function, target, expression) in cases {
            let place = find(TEXT, function, target).unwrap();
            assert_eq!(&TEXT[place.range], expression, "{target:?}");
            assert_eq!(place.is_kernel, function == "kernel");
            assert_eq!(place.is_evaluated, function == "kernel");
        }
        assert!(find(TEXT, "kernel", Target::Result).is_ok());
        assert!(find(TEXT, "kernel", Target::Let("z")).is_err());
        assert!(find(TEXT, "other", Target::Let("x")).is_err());
    }
}
