// SPDX-License-Identifier: MIT OR Apache-2.0
//! Imports between the files of a crate. A parent that only names its children imports nothing.

use super::crates::members;
use super::{root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::{Attribute, Item, UseTree, Visibility};

/// A module by its path in the crate; the root is empty.
type Module = Vec<String>;

/// The imports and exports of a module.
#[derive(Default)]
struct Imports {
    /// Paths behind `use`.
    used: Vec<Module>,
    /// Names that it re-exports, and their paths.
    passed_on: BTreeMap<String, Module>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    let test = |attribute: &Attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    };
    attributes.iter().any(test)
}

/// Every path of a `use`, with the name under which it is known.
fn paths(tree: &UseTree, before: &[String], out: &mut Vec<(String, Module)>) {
    let with = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
    match tree {
        UseTree::Path(path) => paths(&path.tree, &with(&path.ident), out),
        UseTree::Name(name) => out.push((name.ident.to_string(), with(&name.ident))),
        UseTree::Rename(name) => out.push((name.rename.to_string(), with(&name.ident))),
        UseTree::Glob(_) => out.push(("*".to_owned(), before.to_vec())),
        UseTree::Group(group) => group.items.iter().for_each(|item| paths(item, before, out)),
    }
}

/// The path from the root of the crate; `None` if it is outside the crate.
fn absolute(path: &[String], module: &[String], modules: &BTreeSet<Module>) -> Option<Module> {
    let mut from = module.to_vec();
    let mut rest = path;
    loop {
        match rest.first().map(String::as_str) {
            Some("crate") => from.clear(),
            Some("super") => drop(from.pop()),
            Some("self") => {}
            Some(first) => {
                let relative = rest.len() < path.len()
                    || modules.contains(&[&from[..], &[first.into()]].concat());
                return relative.then(|| [&from[..], rest].concat());
            }
            None => return Some(from),
        }
        rest = &rest[1..];
    }
}

fn imports(text: &str, module: &[String], modules: &BTreeSet<Module>) -> Imports {
    let mut imports = Imports::default();
    let file = syn::parse_file(text).expect("a source file");
    for item in file.items {
        let Item::Use(item) = item else { continue };
        if is_test(&item.attrs) {
            continue;
        }
        let mut all = Vec::new();
        paths(&item.tree, &[], &mut all);
        for (name, path) in all {
            let Some(path) = absolute(&path, module, modules) else {
                continue;
            };
            let own = path.len() > module.len() && path.starts_with(module);
            if own && !matches!(item.vis, Visibility::Inherited) {
                imports.passed_on.insert(name, path);
            } else {
                imports.used.push(path);
            }
        }
    }
    imports
}

/// The module of a path, after following re-exports.
fn home(path: &[String], crates: &BTreeMap<Module, Imports>) -> Option<Module> {
    let depth = (0..=path.len())
        .rev()
        .find(|&depth| crates.contains_key(&path[..depth]))?;
    let (module, rest) = path.split_at(depth);
    match rest
        .first()
        .and_then(|name| crates[module].passed_on.get(name))
    {
        Some(further) if further != path => home(further, crates),
        _ => Some(module.to_vec()),
    }
}

/// The module of a file of `src`.
fn module_of(file: &Path, src: &Path) -> Module {
    let local = file
        .strip_prefix(src)
        .expect("a file below src")
        .with_extension("");
    let mut names: Module = local
        .iter()
        .map(|name| name.to_str().expect("text").to_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| name == "mod" || name == "lib" || name == "main")
    {
        names.pop();
    }
    names
}

/// The arrows between the modules of a crate.
fn arrows(src: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let files = sources(src);
    let modules: BTreeSet<Module> = files.iter().map(|file| module_of(file, src)).collect();
    let mut crates: BTreeMap<Module, Imports> = BTreeMap::new();
    for file in &files {
        let module = module_of(file, src);
        let text = fs::read_to_string(file).expect("text");
        let new = imports(&text, &module, &modules);
        let known = crates.entry(module).or_default();
        known.used.extend(new.used);
        known.passed_on.extend(new.passed_on);
    }
    let to = |module: &Module, imports: &Imports| {
        let homes = imports.used.iter().filter_map(|path| home(path, &crates));
        homes.filter(|home| home != module).collect()
    };
    crates
        .iter()
        .map(|(module, imports)| (module.clone(), to(module, imports)))
        .collect()
}

/// A circle through a module, if there is one.
fn circle(
    module: &Module,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
    arrows: &BTreeMap<Module, BTreeSet<Module>>,
) -> Option<Vec<Module>> {
    if let Some(start) = way.iter().position(|seen| seen == module) {
        return Some(way[start..].to_vec());
    }
    if !done.insert(module.clone()) {
        return None;
    }
    way.push(module.clone());
    let found = arrows[module]
        .iter()
        .find_map(|next| circle(next, way, done, arrows));
    way.pop();
    found
}

fn circle_in(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Option<String> {
    let mut done = BTreeSet::new();
    let found = arrows
        .keys()
        .find_map(|module| circle(module, &mut Vec::new(), &mut done, arrows));
    found.map(|modules| {
        modules
            .iter()
            .map(|module| module.join("::"))
            .collect::<Vec<_>>()
            .join(" -> ")
    })
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let circle = |folder: String| {
        let found = circle_in(&arrows(&root().join(&folder).join("src")));
        found.map(|circle| format!("{folder}: {circle}"))
    };
    let found: Vec<String> = members().into_iter().filter_map(circle).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_circle_through_a_name_that_is_passed_on_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("lib.rs", "mod a;\nmod b;\npub use a::A;\n");
    write("a.rs", "use crate::b::B;\n");
    write("b.rs", "#[cfg(test)]\nuse crate::A;\n");
    assert_eq!(circle_in(&arrows(folder.path())), None);
    write("b.rs", "use super::{A};\n");
    assert_eq!(circle_in(&arrows(folder.path())).as_deref(), Some("a -> b"));
}
