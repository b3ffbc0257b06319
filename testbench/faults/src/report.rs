// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as a document.

use crate::Fault;
use crate::sweep::{Figures, POLICIES, Ports, SEED, at_rate, single};

/// Faults per place.
pub const RATES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// Faults of each row, at least.
const FAULTS: u64 = 300;
/// Ports with a single fault of each kind.
const SINGLES: u64 = 1000;

/// The document, and what does not hold though it has to.
pub fn document() -> (String, Vec<String>) {
    let ports = Ports::new();
    let (mut text, mut broken) = (head(), Vec::new());
    text += &ports.to_string();
    text += "\n## One fault\n\n\
        | fault | policy | ports | nothing changes | an error or a loss is told | \
        something changes, and nothing is told |\n|---|---|---:|---:|---:|---:|\n";
    for fault in Fault::ALL {
        let figures = single(&ports, fault, SINGLES);
        for (figures, (_, policy)) in figures.into_iter().zip(POLICIES) {
            text += &single_row(fault, policy, &figures);
            broken.extend(figures.broken);
        }
    }
    text += "\n## Faults at a rate\n\n\
        | fault | rate | policy | faults | packets | lost | wrong | of these suspect | told late | \
        not told | stretches | bytes until right, mean | most |\n\
        |---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for fault in Fault::ALL {
        for rate in RATES {
            let (rows, not_held) = rows(&ports, fault, rate);
            text += &rows;
            broken.extend(not_held);
        }
    }
    (text, broken)
}

/// How the document begins: what made it, and what it says.
pub fn head() -> String {
    format!(
        "<!-- Made by `cargo faults > docs/faults.md` with seed {SEED}, do not edit. -->\n{}",
        include_str!("about.md")
    )
}

/// The rows of a fault at a rate, one for each policy, and what does not hold.
pub fn rows(ports: &Ports, fault: Fault, rate: f64) -> (String, Vec<String>) {
    let (mut text, mut broken) = (String::new(), Vec::new());
    for (figures, (_, policy)) in at_rate(ports, fault, rate, FAULTS)
        .into_iter()
        .zip(POLICIES)
    {
        text += &rate_row(fault, rate, policy, &figures);
        broken.extend(figures.broken);
    }
    (text, broken)
}

fn single_row(fault: Fault, policy: &str, figures: &Figures) -> String {
    let all = figures.faults;
    let told = all - figures.unchanged - figures.untold;
    let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / all as f64);
    format!(
        "| {} | {policy} | {all} | {} | {} | {} |\n",
        fault.name(),
        share(figures.unchanged),
        share(told),
        share(figures.untold)
    )
}

fn rate_row(fault: Fault, rate: f64, policy: &str, figures: &Figures) -> String {
    let compared = &figures.compared;
    let stretches = &figures.stretches;
    let mean = stretches.iter().sum::<usize>().checked_div(stretches.len());
    let most = stretches.iter().max();
    let or_none = |value: Option<usize>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "| {} | {rate:.0e} | {policy} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        fault.name(),
        figures.faults,
        figures.packets,
        compared.lost,
        compared.wrong(),
        compared.suspect,
        compared.late,
        compared.silent,
        stretches.len(),
        or_none(mean),
        or_none(most.copied()),
    )
}
