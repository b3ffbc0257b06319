// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random topologies: a plan exists exactly if paths do, breaks no rule, and every byte arrives.

use std::fmt::Write;

use coretrace_target::{Plan, Topology, Wanted};
use coretrace_target_sim::World;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::session::{options, run};

/// Components and links as a text.
#[derive(Default)]
struct Text {
    components: Vec<(String, Option<u32>)>,
    links: Vec<((usize, usize), (usize, usize))>,
}

impl Text {
    fn add(&mut self, kind: &str, cpu: Option<u32>) -> usize {
        self.components.push((kind.to_owned(), cpu));
        self.components.len() - 1
    }

    /// A component behind an output.
    fn behind(&mut self, output: (usize, usize), kind: &str) -> usize {
        let index = self.add(kind, None);
        self.links.push((output, (index, 0)));
        index
    }

    fn text(&self) -> String {
        let mut out = "name = \"random\"\nstatus = \"not run\"\n".to_owned();
        for (index, (kind, cpu)) in self.components.iter().enumerate() {
            let base = (index + 1) * 0x1000;
            let _ = writeln!(
                out,
                "[[component]]\nname = \"c{index}\"\nkind = \"{kind}\"\nbase = {base}\nmark = \"I\""
            );
            if let Some(cpu) = cpu {
                let _ = writeln!(out, "cpu = {cpu}");
            }
        }
        for ((from, output), (to, input)) in &self.links {
            let _ = writeln!(
                out,
                "[[link]]\nfrom = \"c{from}:{output}\"\nto = \"c{to}:{input}\""
            );
        }
        out
    }
}

/// One to eight sources, funnels and FIFOs below them, replicators, and a sink at each end.
fn random(rng: &mut ChaCha8Rng) -> Text {
    let mut text = Text::default();
    let mut open: Vec<(usize, usize)> = (0..rng.random_range(1..=8))
        .map(|cpu| (text.add("etm4", Some(cpu)), 0))
        .collect();
    while open.len() > 1 && rng.random_ratio(9, 10) {
        let funnel = text.add("funnel", None);
        let mut inputs: Vec<usize> = (0..8).collect();
        for _ in 0..rng.random_range(1..=open.len().min(8)) {
            let output = open.swap_remove(rng.random_range(0..open.len()));
            let input = inputs.swap_remove(rng.random_range(0..inputs.len()));
            text.links.push((output, (funnel, input)));
        }
        let is_buffered = rng.random_bool(0.5);
        let end = if is_buffered {
            text.behind((funnel, 0), "etf")
        } else {
            funnel
        };
        open.push((end, 0));
    }
    while let Some(output) = open.pop() {
        if rng.random_bool(0.3) {
            let replicator = text.behind(output, "replicator");
            open.extend([(replicator, 0), (replicator, 1)]);
        } else {
            let kind = ["tpiu", "etr", "etb", "etf"].choose(rng).expect("a kind");
            text.behind(output, kind);
        }
    }
    text
}

/// Whether a component reaches another one, without the planner.
fn reaches(text: &Text, from: usize, to: usize) -> bool {
    let mut links = text.links.iter();
    from == to || links.any(|((at, _), (next, _))| *at == from && reaches(text, *next, to))
}

fn check(seeds: std::ops::Range<u64>) {
    let (mut planned, mut refused) = (0, 0);
    for seed in seeds {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let text = random(rng);
        let topology = Topology::parse(&text.text()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let all = 0..text.components.len();
        let is_end = |index: &usize| text.links.iter().all(|(from, _)| from.0 != *index);
        let ends: Vec<usize> = all.clone().filter(is_end).collect();
        let units: Vec<usize> = all
            .filter(|index| text.components[*index].1.is_some())
            .collect();
        let count = rng.random_range(1..=units.len());
        let wanted = Wanted {
            sources: units.sample(rng, count).copied().collect(),
            sinks: ends
                .sample(rng, rng.clone().random_range(1..=ends.len().min(2)))
                .copied()
                .collect(),
            via: vec![],
        };
        let mut pairs = wanted
            .sources
            .iter()
            .flat_map(|from| wanted.sinks.iter().map(move |to| (*from, *to)));
        let exists = pairs.all(|(from, to)| reaches(&text, from, to));
        let plan = Plan::start(&topology, &wanted, &options());
        assert_eq!(plan.is_ok(), exists, "seed {seed}: {plan:?}");
        let Ok(plan) = plan else {
            refused += 1;
            continue;
        };
        planned += 1;
        let world = World::cold(&topology);
        let before = world.at_rest();
        let mut verdict = run(&topology, &plan, &plan.steps, world);
        verdict.running.clear();
        assert!(
            verdict.is_good() && verdict.at_rest == before,
            "seed {seed}: {verdict:#?}"
        );
    }
    assert!(planned > 20 && refused > 20, "{planned} and {refused}");
}

#[test]
fn random_topologies_are_planned_exactly_if_paths_exist_and_work() {
    check(0..200);
}

#[test]
#[ignore = "10,000 topologies"]
fn many_random_topologies_are_planned_exactly_if_paths_exist() {
    check(0..10_000);
}
