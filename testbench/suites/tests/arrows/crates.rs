// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrows between crates: manifests, the drawing in ARCHITECTURE.md, and actual use agree.

use super::{root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use toml::Table;

/// A folder of the workspace, and the folders that it imports.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The arrows of libraries and programs, and those of tests, benches and examples alone.
struct Drawn {
    normal: Arrows,
    tests: Arrows,
}

fn table(path: &Path) -> Table {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    text.parse()
        .unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The folders of the workspace.
pub fn members() -> Vec<String> {
    let workspace = table(&root().join("Cargo.toml"));
    let members = workspace["workspace"]["members"]
        .as_array()
        .expect("a list");
    let text = |member: &toml::Value| member.as_str().expect("a folder").to_owned();
    members.iter().map(text).collect()
}

/// The folder of each crate of the workspace, by the name of the crate.
fn folders() -> BTreeMap<String, String> {
    let named = |folder: String| {
        let manifest = table(&root().join(&folder).join("Cargo.toml"));
        (
            manifest["package"]["name"]
                .as_str()
                .expect("a name")
                .to_owned(),
            folder,
        )
    };
    members().into_iter().map(named).collect()
}

/// The crates that a section of a manifest names.
fn named(manifest: &Table, section: &str) -> Vec<String> {
    let names = manifest.get(section).and_then(|section| section.as_table());
    names.into_iter().flat_map(Table::keys).cloned().collect()
}

/// The arrows of a section of all manifests.
fn declared(section: &str) -> Arrows {
    let folders = folders();
    let imports = |folder: &String| {
        let names = named(&table(&root().join(folder).join("Cargo.toml")), section);
        names
            .iter()
            .filter_map(|name| folders.get(name).cloned())
            .collect()
    };
    members()
        .iter()
        .map(|folder| (folder.clone(), imports(folder)))
        .collect()
}

/// Reads lines such as `hdl/parts --> hdl/dataflow`; `··>` draws an arrow of tests.
fn drawn() -> Drawn {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the architecture");
    let mut drawn = Drawn {
        normal: Arrows::new(),
        tests: Arrows::new(),
    };
    for line in text.lines() {
        for (sign, arrows) in [("-->", &mut drawn.normal), ("..>", &mut drawn.tests)] {
            if let Some((from, to)) = line.split_once(sign) {
                let to = to.split_whitespace().map(str::to_owned);
                arrows.entry(from.trim().to_owned()).or_default().extend(to);
            }
        }
    }
    drawn
}

/// The arrows of one set that another set lacks.
fn surplus<'a>(arrows: &'a Arrows, of: &'a Arrows) -> Vec<String> {
    let pairs = arrows
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let missing =
        pairs.filter(|(from, to)| !of.get(*from).is_some_and(|known| known.contains(*to)));
    missing
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect()
}

#[test]
fn every_dependency_is_an_arrow_of_the_architecture_and_no_more() {
    let drawn = drawn();
    for (section, arrows) in [
        ("dependencies", &drawn.normal),
        ("dev-dependencies", &drawn.tests),
    ] {
        let declared = declared(section);
        let none: Vec<String> = Vec::new();
        assert_eq!(
            surplus(&declared, arrows),
            none,
            "not in ARCHITECTURE.md: {section}"
        );
        assert_eq!(
            surplus(arrows, &declared),
            none,
            "in ARCHITECTURE.md alone: {section}"
        );
    }
}

#[test]
fn floors_are_only_imported_from_above() {
    let below: [(&str, &[&str]); 5] = [
        ("protocol", &["protocol"]),
        ("hdl", &["protocol", "hdl"]),
        ("pipelines", &["protocol", "hdl"]),
        ("host", &["protocol", "host"]),
        (
            "testbench",
            &["protocol", "hdl", "pipelines", "host", "testbench"],
        ),
    ];
    let floor = |folder: &str| folder.split('/').next().unwrap_or_default().to_owned();
    for (from, to) in declared("dependencies") {
        let Some((_, allowed)) = below.iter().find(|(name, _)| *name == floor(&from)) else {
            continue;
        };
        for to in to {
            assert!(
                allowed.contains(&floor(&to).as_str()),
                "{from} imports {to}"
            );
        }
    }
}

#[test]
fn only_hardware_and_its_tests_import_rust_hdl() {
    for folder in members() {
        let manifest = table(&root().join(&folder).join("Cargo.toml"));
        let names = ["dependencies", "dev-dependencies"].map(|section| named(&manifest, section));
        let imports = names
            .concat()
            .iter()
            .any(|name| name.starts_with("rust-hdl"));
        let may = ["hdl/", "pipelines", "testbench/"]
            .iter()
            .any(|floor| folder.starts_with(floor));
        assert!(may || !imports, "{folder} imports rust-hdl");
    }
}

#[test]
fn every_dependency_within_the_workspace_is_used() {
    let folders = folders();
    for folder in members() {
        let base = root().join(&folder);
        let manifest = table(&base.join("Cargo.toml"));
        let all: &[&str] = &["src", "tests", "benches", "examples"];
        for (section, places) in [("dependencies", &all[..1]), ("dev-dependencies", all)] {
            let files = places.iter().flat_map(|place| sources(&base.join(place)));
            let text: String = files
                .map(|file| fs::read_to_string(file).expect("text"))
                .collect();
            for name in named(&manifest, section)
                .iter()
                .filter(|name| folders.contains_key(*name))
            {
                let library = table(&root().join(&folders[name]).join("Cargo.toml"));
                let library = library.get("lib").and_then(|lib| lib.get("name"));
                let library = library.and_then(|name| name.as_str()).unwrap_or(name);
                let path = format!("{}::", library.replace('-', "_"));
                assert!(
                    text.contains(&path),
                    "{folder}: nothing uses {name} of {section}"
                );
            }
        }
    }
}
