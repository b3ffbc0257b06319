// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of nets that mean something to a reader.
//!
//! Mapping keeps only some of the names of a net, and not the best ones: the netlist from before
//! mapping has them all.

use super::raw::{Bit, NetName};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The names of a netlist.
#[derive(Debug, Default)]
pub(super) struct NetNames {
    net_of: HashMap<String, usize>,
    best: HashMap<usize, String>,
}

impl NetNames {
    /// Sorts the names of a module. A `$` marks those that Yosys made: they mean nothing to a reader.
    pub(super) fn of(names: &BTreeMap<String, NetName>) -> NetNames {
        let mut named: Vec<_> = names
            .iter()
            .filter(|(name, _)| !name.contains('$'))
            .collect();
        // The best name of a net is written last.
        named.sort_by_key(|(name, _)| Reverse(obscurity(name)));
        let mut sorted = NetNames::default();
        for (name, bits) in named {
            for (bit, net) in bits.bits.iter().enumerate() {
                if let Bit::Net(net) = net {
                    let name = format!("{name}[{bit}]");
                    sorted.net_of.insert(name.clone(), *net);
                    sorted.best.insert(*net, name);
                }
            }
        }
        sorted
    }

    /// The best name of a net.
    pub(super) fn net(&self, net: usize) -> Option<&str> {
        self.best.get(&net).map(String::as_str)
    }

    /// The best name of the net that has this name.
    pub(super) fn alias(&self, name: &str) -> Option<&str> {
        self.net(*self.net_of.get(name)?)
    }
}

/// How little a name means: numbered by the export, not the output `q` of a register, deep in the
/// hierarchy.
fn obscurity(name: &str) -> (bool, bool, usize) {
    let last = name.rsplit('.').next().unwrap_or(name);
    let number = last.strip_prefix('n').unwrap_or_default();
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (numbered, last != "q", name.matches('.').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[(&str, &[usize])]) -> NetNames {
        let names = names.iter().map(|(name, bits)| {
            let bits = bits.iter().map(|&net| Bit::Net(net)).collect();
            ((*name).to_owned(), NetName { bits })
        });
        NetNames::of(&names.collect())
    }

    #[test]
    fn a_register_is_named_by_its_block_and_not_by_numbers_or_tools() {
        let names = names(&[
            ("stage.n7", &[2]),
            ("stage.deep.state", &[2]),
            ("$auto$1", &[3]),
            ("next.d", &[3]),
            ("stage.valid.q", &[3]),
            ("a", &[4]),
            ("inner.a", &[4]),
            ("$auto$2", &[5]),
        ]);
        let best = [2, 3, 4, 5].map(|net| names.net(net));
        let wanted = [
            Some("stage.deep.state[0]"),
            Some("stage.valid.q[0]"),
            Some("a[0]"),
            None,
        ];
        assert_eq!(best, wanted);
    }

    #[test]
    fn a_name_leads_to_the_best_name_of_its_net() {
        let names = names(&[("n1", &[7, 8]), ("state.q", &[9, 8])]);
        assert_eq!(names.alias("n1[1]"), Some("state.q[1]"));
        assert_eq!(names.alias("n1[0]"), Some("n1[0]"));
        assert_eq!(names.alias("n2[0]"), None);
    }
}
