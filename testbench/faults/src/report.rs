// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures as a document.

use crate::Fault;
use crate::share::share;
use crate::software;
use crate::sweep::{Figures, POLICIES, Ports, SEED, at_rate, single};

/// Faults per place.
pub const RATES: [f64; 4] = [1e-5, 1e-4, 1e-3, 1e-2];
/// Faults of each row, at least.
const FAULTS: u64 = 300;
/// Ports with a single fault of each kind.
const SINGLES: u64 = 1000;

/// The document, and the broken invariants.
pub fn document() -> (String, Vec<String>) {
    let ports = Ports::new();
    let (mut text, mut broken, mut faults) = (head(), Vec::new(), 0);
    text += &ports.to_string();
    text += "\n## One fault\n\n\
        | fault | policy | ports | unchanged | error or loss reported | \
        changed, nothing reported |\n|---|---|---:|---:|---:|---:|\n";
    for fault in Fault::ALL {
        let figures = single(&ports, fault, SINGLES);
        faults += figures[0].faults;
        for (figures, (_, policy)) in figures.into_iter().zip(POLICIES) {
            text += &single_row(fault, policy, &figures);
            broken.extend(figures.broken);
        }
    }
    text += "\n## Faults at a rate\n\n\
        | fault | rate | policy | faults | packets | lost | wrong | of these suspect | \
        reported late | not reported | stretches | bytes until right, mean | most |\n\
        |---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for fault in Fault::ALL {
        for rate in RATES {
            let rows = rows(&ports, fault, rate);
            text += &rows.text;
            broken.extend(rows.broken);
            faults += rows.faults;
        }
    }
    text += &format!(
        "\n{faults} faults in total, each under both policies; the invariants failed {} times.\n",
        broken.len()
    );
    let (section, of_software) = software::section();
    text += &section;
    broken.extend(of_software);
    (text, broken)
}

/// The start of the document: the command that made it, and the text.
pub fn head() -> String {
    format!(
        "<!-- Made by `cargo faults > docs/faults.md` with seed {SEED}, do not edit. -->\n{}",
        include_str!("about.md")
    )
}

/// A fault at a rate.
pub struct Rows {
    /// A row for each policy.
    pub text: String,
    /// Broken invariants.
    pub broken: Vec<String>,
    /// Faults under each policy.
    pub faults: u64,
}

/// Measures the rows of a fault at a rate.
pub fn rows(ports: &Ports, fault: Fault, rate: f64) -> Rows {
    let policies = at_rate(ports, fault, rate, FAULTS);
    let mut rows = Rows {
        text: String::new(),
        broken: Vec::new(),
        faults: policies[0].faults,
    };
    for (figures, (_, policy)) in policies.into_iter().zip(POLICIES) {
        rows.text += &rate_row(fault, rate, policy, &figures);
        rows.broken.extend(figures.broken);
    }
    rows
}

fn single_row(fault: Fault, policy: &str, figures: &Figures) -> String {
    let all = figures.faults;
    let reported = all - figures.unchanged - figures.unreported;
    format!(
        "| {} | {policy} | {all} | {} | {} | {} |\n",
        fault.name(),
        share(figures.unchanged, all),
        share(reported, all),
        share(figures.unreported, all)
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
