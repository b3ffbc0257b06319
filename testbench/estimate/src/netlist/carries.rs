// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carry chains as an UltraScale+ slice has them: eight bits a cell, where Yosys maps four.

use super::raw::{Bit, RawCell};
use std::collections::{BTreeMap, HashMap};

/// Two CARRY4 neighbours of a chain are one CARRY8 in an UltraScale+ slice.
pub(super) fn merge_carries(raw: BTreeMap<String, RawCell>) -> Vec<RawCell> {
    let (carries, rest): (BTreeMap<_, _>, BTreeMap<_, _>) = raw
        .into_iter()
        .partition(|(_, cell)| cell.model == "CARRY4");
    let net = |cell: &RawCell, port: &str, bit: usize| cell.bits(port).get(bit)?.net();
    let by_carry_out: HashMap<usize, &String> = carries
        .iter()
        .filter_map(|(name, cell)| Some((net(cell, "CO", 3)?, name)))
        .collect();
    let mut after = HashMap::new();
    let mut heads = Vec::new();
    for (name, cell) in &carries {
        match net(cell, "CI", 0).and_then(|net| by_carry_out.get(&net)) {
            Some(previous) => {
                after.insert(*previous, name);
            }
            None => heads.push(name),
        }
    }
    let mut cells: Vec<RawCell> = rest.into_values().collect();
    for head in heads {
        let chain: Vec<&RawCell> =
            std::iter::successors(Some(head), |name| after.get(*name).copied())
                .map(|name| &carries[name])
                .collect();
        cells.extend(chain.chunks(2).map(carry8));
    }
    cells
}

/// One CARRY8 of one or two CARRY4.
fn carry8(pair: &[&RawCell]) -> RawCell {
    let mut merged = pair[0].clone();
    merged.model = "CARRY8".to_owned();
    if let Some(Bit::Net(start)) = merged.bits("CYINIT").first() {
        let start = vec![Bit::Net(*start)];
        merged.connections.insert("CI".to_owned(), start);
    }
    merged.connections.remove("CYINIT");
    if let Some(upper) = pair.get(1) {
        for port in ["S", "DI", "O", "CO"] {
            let bits = merged.connections.entry(port.to_owned()).or_default();
            bits.resize(4, Bit::Constant("x".to_owned()));
            bits.extend_from_slice(upper.bits(port));
        }
    }
    merged
}
