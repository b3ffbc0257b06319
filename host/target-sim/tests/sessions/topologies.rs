// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random topologies: a plan exists exactly if one path is the shortest, breaks no rule, and every byte arrives.

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

    /// Two ways that part behind an output and join again, each with a FIFO or without; the output behind them.
    fn diamond(&mut self, output: (usize, usize), rng: &mut ChaCha8Rng) -> (usize, usize) {
        let replicator = self.behind(output, "replicator");
        let funnel = self.add("funnel", None);
        for port in 0..2 {
            let has_fifo = rng.random_bool(0.8);
            let way = match has_fifo {
                true => (self.behind((replicator, port), "etf"), 0),
                false => (replicator, port),
            };
            self.links.push((way, (funnel, port)));
        }
        (funnel, 0)
    }

    /// The ways from a component to another one, as the numbers of their links.
    fn ways(&self, from: usize, to: usize) -> Vec<Vec<usize>> {
        if from == to {
            return vec![vec![]];
        }
        let links = self.links.iter().enumerate();
        let links = links.filter(|(_, ((at, _), _))| *at == from);
        let ways = links.flat_map(|(number, (_, (next, _)))| {
            let rest = self.ways(*next, to).into_iter();
            rest.map(move |rest| [vec![number], rest].concat())
        });
        ways.collect()
    }

    /// Whether exactly one of the shortest ways passes some components, without the planner.
    fn has_one_way(&self, from: usize, to: usize, via: &[usize]) -> bool {
        let mut ways = self.ways(from, to);
        let passes =
            |way: &[usize], via: usize| way.iter().any(|link| self.links[*link].1.0 == via);
        ways.retain(|way| via.iter().all(|via| passes(way, *via)));
        let shortest = ways.iter().map(Vec::len).min();
        ways.iter()
            .filter(|way| Some(way.len()) == shortest)
            .count()
            == 1
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

/// One to eight sources, funnels and FIFOs below them, ways that part and join again, replicators, and a sink at each
/// end.
fn random(rng: &mut ChaCha8Rng) -> Text {
    let mut text = Text::default();
    let mut open: Vec<(usize, usize)> = (0..rng.random_range(1..=8))
        .map(|cpu| {
            let kind = if cpu % 5 == 4 { "stm" } else { "etm4" };
            (text.add(kind, Some(cpu)), 0)
        })
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
        let is_parted = rng.random_bool(0.3);
        open.push(match is_parted {
            true => text.diamond((end, 0), rng),
            false => (end, 0),
        });
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

fn check(seeds: std::ops::Range<u64>) {
    let (mut planned, mut refused, mut chosen) = (0, 0, 0);
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
        let mut wanted = Wanted {
            sources: units.sample(rng, count).copied().collect(),
            sinks: ends
                .sample(rng, rng.clone().random_range(1..=ends.len().min(2)))
                .copied()
                .collect(),
            via: vec![],
        };
        if rng.random_bool(0.5) {
            let ways = text.ways(wanted.sources[0], wanted.sinks[0]);
            let link = ways.choose(rng).and_then(|way| way.choose(rng));
            wanted.via.extend(link.map(|link| text.links[*link].1.0));
        }
        let mut pairs = wanted
            .sources
            .iter()
            .flat_map(|from| wanted.sinks.iter().map(move |to| (*from, *to)));
        let exists = pairs.all(|(from, to)| text.has_one_way(from, to, &wanted.via));
        let plan = Plan::start(&topology, &wanted, &options());
        assert_eq!(plan.is_ok(), exists, "seed {seed}: {plan:?}");
        let Ok(plan) = plan else {
            refused += 1;
            continue;
        };
        planned += 1;
        let mut pairs = wanted.sources.iter().zip(&wanted.sinks);
        chosen += usize::from(pairs.any(|(from, to)| !text.has_one_way(*from, *to, &[])));
        let world = World::cold(&topology);
        let before = world.at_rest();
        let mut verdict = run(&topology, &plan, &plan.steps, world);
        verdict.running.clear();
        assert!(
            verdict.is_good() && verdict.at_rest == before,
            "seed {seed}: {verdict:#?}"
        );
    }
    println!(
        "judged: {planned} topologies planned, {chosen} of them by what trace must pass, {refused} refused"
    );
    assert!(planned > 20 && refused > 20, "{planned} and {refused}");
    assert!(chosen > 2, "only {chosen} ways were chosen");
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
