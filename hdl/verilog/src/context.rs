// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known while a kernel is translated: its signals, loops, reads and writes.

use std::collections::{BTreeMap, BTreeSet};

use super::design::Enums;
use super::place::Place;
use super::scope::{Role, Scope};
use super::{Findings, index};

/// Which bits of each signal have been assigned on all paths so far.
pub(super) type Cover = BTreeMap<String, Vec<bool>>;

/// Translates one kernel.
pub(super) struct Kernel<'a> {
    pub(super) path: &'a str,
    pub(super) scope: &'a Scope,
    pub(super) enums: &'a Enums,
    pub(super) findings: &'a mut Findings,
    pub(super) loops: Vec<(String, usize)>,
    pub(super) covered: Cover,
    pub(super) reads: BTreeSet<String>,
    pub(super) writes: BTreeSet<String>,
    pub(super) lines: Vec<String>,
    pub(super) indent: usize,
}

impl Kernel<'_> {
    pub(super) fn refuse(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.findings.add(self.path, subject, message);
    }

    pub(super) fn loop_value(&self, name: &str) -> Option<u128> {
        let found = self.loops.iter().rev().find(|(index, _)| index == name);
        found.map(|(_, value)| *value as u128)
    }

    /// The whole signal behind rust-hdl's text of a path.
    pub(super) fn lookup(&mut self, raw: &str) -> Option<Place> {
        let path = raw.trim_start_matches('.').replace('.', "$");
        let path = path.replace("::", "$");
        let path = path.strip_suffix("$next").unwrap_or(&path);
        let name = match index::resolve(path, &self.loops) {
            Ok(name) => name,
            Err(at) => {
                self.refuse(path, format!("has an index `{at}` that is not a constant"));
                return None;
            }
        };
        match self.scope.get(&name) {
            Some(signal) => Some(Place {
                text: signal.text.clone(),
                of: signal.width,
                offset: 0,
                width: signal.width,
                role: signal.role,
                name,
            }),
            None => {
                self.refuse(name, "does not exist in the exported module");
                None
            }
        }
    }

    /// Records that bits of a signal are read, and checks that they may be.
    pub(super) fn read(&mut self, place: &Place) {
        match place.role {
            Role::ChildInput => self.refuse(
                &place.name,
                "is an input of a sub-block and is read back, where Rust gives the value of the \
                 last sweep; keep the value in a Local",
            ),
            Role::InOut => self.refuse(&place.name, "is bidirectional, which is not exported"),
            Role::Output | Role::Local => {
                let bits = self.covered.get(&place.name);
                let range = place.offset..place.offset + place.width;
                if !bits.is_some_and(|bits| bits[range].iter().all(|bit| *bit)) {
                    self.refuse(&place.name, "is read before it is assigned on every path");
                }
            }
            Role::Input | Role::ChildOutput | Role::Constant => {}
        }
        self.reads.insert(place.name.clone());
    }
}
