// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Block, Expr, FieldValue, GenericParam, Generics, ImplItem, Item, Local, Member, Pat, PatIdent,
    ReturnType, Signature, Stmt, Type, TypeParamBound, parse_quote,
};

/// Reports the names that a kernel, a function of a kernel or an `impl` of such functions gives to
/// its words. The function or the `impl` has a type parameter `T: Word`.
#[proc_macro_attribute]
pub fn named(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item = syn::parse_macro_input!(item as Item);
    match instrument(item) {
        Ok(tokens) => tokens.into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn instrument(mut item: Item) -> syn::Result<TokenStream> {
    match &mut item {
        Item::Fn(function) => {
            let word = word(&function.sig.generics)?;
            body(&word, &function.sig, &mut function.block);
        }
        Item::Impl(list) => {
            let word = word(&list.generics)?;
            for item in &mut list.items {
                if let ImplItem::Fn(function) = item {
                    body(&word, &function.sig, &mut function.block);
                }
            }
        }
        other => {
            return Err(syn::Error::new_spanned(
                other,
                "neither a function nor an impl",
            ));
        }
    }
    Ok(quote!(#item))
}

/// The type parameter that is a word.
fn word(generics: &Generics) -> syn::Result<Ident> {
    let is_word = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident == "Word"),
        _ => false,
    };
    let found = generics
        .params
        .iter()
        .find_map(|parameter| match parameter {
            GenericParam::Type(parameter) if parameter.bounds.iter().any(is_word) => {
                Some(parameter.ident.clone())
            }
            _ => None,
        });
    found.ok_or_else(|| syn::Error::new_spanned(generics, "no type parameter is a `Word`"))
}

/// Names the words of a body, and those that it returns.
fn body(word: &Ident, signature: &Signature, block: &mut Block) {
    let mut names = Names { word };
    names.visit_block_mut(block);
    let ReturnType::Type(_, result) = &signature.output else {
        return;
    };
    let ascribed = !matches!(**result, Type::ImplTrait(_));
    let result = ascribed.then(|| quote!(: #result));
    let name = signature.ident.to_string();
    let statements = names.given(&name, quote!(#block), result);
    *block = parse_quote!({ #statements });
}

/// Rewrites a function so that it reports names. All of it is removed where a kernel computes.
struct Names<'a> {
    word: &'a Ident,
}

impl Names<'_> {
    /// Where the words begin that an expression makes.
    fn mark(&self) -> TokenStream {
        let word = self.word;
        quote!(let __mark = ::coretrace_hdl_dataflow::naming::mark::<#word>();)
    }

    /// Reports what the words since the mark were made for.
    fn purpose(&self, name: &str) -> TokenStream {
        let word = self.word;
        quote!(::coretrace_hdl_dataflow::naming::made_for::<#word>(__mark, #name);)
    }

    /// Names a value, if it has words.
    fn give(&self, value: TokenStream, name: &str) -> TokenStream {
        let word = self.word;
        quote! {{
            #[allow(unused_imports)]
            use ::coretrace_hdl_dataflow::naming::{NamesNothing as _, NamesWords as _};
            (&::coretrace_hdl_dataflow::naming::Named::<#word, _>::new(&#value)).name(__mark, #name);
        }}
    }

    /// The value of an expression of a type, if that is known, and its name and purpose.
    fn given(&self, name: &str, value: TokenStream, of: Option<TokenStream>) -> TokenStream {
        let (mark, give) = (self.mark(), self.give(quote!(__value), name));
        let purpose = self.purpose(name);
        quote! {
            #mark
            #[allow(clippy::let_and_return)]
            let __value #of = #value;
            #purpose
            #give
            __value
        }
    }

    /// What to put before and behind a `let`.
    fn of_let(&self, local: &mut Local) -> Option<[TokenStream; 2]> {
        let init = local.init.as_mut()?;
        if init.diverge.is_some() || is_empty(&init.expr) {
            return None;
        }
        if let (Pat::Ident(pattern), Expr::Closure(closure)) = (&local.pat, &mut *init.expr) {
            let body = &closure.body;
            let result = match &closure.output {
                ReturnType::Type(_, result) => Some(quote!(: #result)),
                ReturnType::Default => None,
            };
            let name = pattern.ident.to_string();
            let given = self.given(&name, quote!(#body), result);
            closure.body = parse_quote!({ #given });
            return None;
        }
        let mut bound = Bound::default();
        bound.visit_pat(&local.pat);
        let purpose = self.purpose(&plain(bound.0.first()?));
        let gives = bound
            .0
            .iter()
            .map(|ident| self.give(quote!(#ident), &plain(ident)));
        Some([self.mark(), quote!(#purpose #(#gives)*)])
    }
}

/// A name without the underscore of what is not read again.
fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    name.trim_start_matches('_').to_owned()
}

/// The names that a pattern binds.
#[derive(Default)]
struct Bound(Vec<Ident>);

impl<'a> Visit<'a> for Bound {
    fn visit_pat_ident(&mut self, pattern: &'a PatIdent) {
        self.0.push(pattern.ident.clone());
    }
}

/// Whether an expression has no words yet, such as `Vec::new()`: its type may not be known either.
fn is_empty(value: &Expr) -> bool {
    matches!(value, Expr::Call(call) if call.args.is_empty())
}

/// The name of what an assignment writes.
fn target(place: &Expr) -> Option<Ident> {
    match place {
        Expr::Path(path) => path.path.get_ident().cloned(),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.clone()),
            Member::Unnamed(_) => None,
        },
        _ => None,
    }
}

impl VisitMut for Names<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut statements = Vec::new();
        for mut statement in std::mem::take(&mut block.stmts) {
            let around = match &mut statement {
                Stmt::Local(local) => self.of_let(local),
                Stmt::Expr(Expr::Assign(assign), Some(_)) => target(&assign.left).map(|name| {
                    let (place, name) = (&assign.left, plain(&name));
                    let (purpose, give) = (self.purpose(&name), self.give(quote!(#place), &name));
                    [self.mark(), quote!(#purpose #give)]
                }),
                _ => None,
            };
            let [before, behind] = around.unwrap_or_default();
            let all: Block = parse_quote!({ #before #statement #behind });
            // A block of the last expression stays the last one.
            statements.extend(all.stmts);
        }
        block.stmts = statements;
    }

    /// Only what is computed in its place: a value from elsewhere has its name there.
    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        visit_mut::visit_field_value_mut(self, field);
        let (Member::Named(name), Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_)) =
            (&field.member, &field.expr)
        else {
            return;
        };
        if is_empty(&field.expr) {
            return;
        }
        let value = &field.expr;
        let name = plain(name);
        let given = self.given(&name, quote!(#value), None);
        field.expr = parse_quote!({ #given });
    }

    /// Functions within functions have words of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
