// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures faults of one kind at one rate in many ports.

use std::fmt;
use std::ops::Range;

use coretrace_decode::Policy;
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;

use crate::compare::starts;
use crate::invariants::{broken, must_be_right};
use crate::{Compared, Fault, Observed, Port, compare, observe};

/// The seed of all figures.
pub const SEED: u64 = 1;
/// The policies of the hardware, with their names.
pub const POLICIES: [(Policy, &str); 2] =
    [(Policy::Resync, "resync"), (Policy::Lenient, "lenient")];
/// Periods of each source of a port.
const PERIODS: usize = 60;
/// Ports without faults.
const PORTS: usize = 16;

/// Ports, and the observations without faults.
pub struct Ports(Vec<(Port, Vec<Observed>)>);

impl Ports {
    /// The ports of [`SEED`].
    pub fn new() -> Ports {
        let mut rng = rng(SEED);
        let ports = (0..PORTS).map(|_| {
            let port = Port::new(&mut rng, PERIODS);
            let clean = observe(&port.sources, Policy::Resync, &port.bytes);
            (port, clean)
        });
        Ports(ports.collect())
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.0.iter().map(|(port, _)| port.bytes.len()).sum();
        let clean = || self.0.iter().flat_map(|(_, clean)| clean);
        let packets: usize = clean().map(|clean| clean.observations.len()).sum();
        let syncs: usize = clean().map(|clean| starts(&clean.observations).len()).sum();
        let ports = self.0.len();
        writeln!(
            f,
            "\nWithout faults {ports} ports have {bytes} bytes, {packets} packets and {syncs} A-Syncs."
        )
    }
}

impl Default for Ports {
    fn default() -> Ports {
        Ports::new()
    }
}

/// The effect of faults under one policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Faults.
    pub faults: u64,
    /// Packets of the ports without faults.
    pub packets: u64,
    /// Lost and wrong packets.
    pub compared: Compared,
    /// For every stretch that was not right: bytes of the port from the first one hit to the end of
    /// the A-Sync after which all is right.
    pub stretches: Vec<usize>,
    /// Ports that reported exactly the same as without faults.
    pub unchanged: u64,
    /// Ports that reported something else, but no error and no loss.
    pub unreported: u64,
    /// Broken invariants.
    pub broken: Vec<String>,
}

/// Hits each place of each port at this rate, until there are at least `faults` faults.
pub fn at_rate(ports: &Ports, fault: Fault, rate: f64, faults: u64) -> [Figures; 2] {
    let mut rng = rng(SEED);
    measure(ports, &mut rng, fault, faults, |rng, places| {
        places.retain(|_| rng.random_bool(rate));
    })
}

/// Hits one place of each port, in `faults` ports.
pub fn single(ports: &Ports, fault: Fault, faults: u64) -> [Figures; 2] {
    let mut rng = rng(SEED);
    measure(ports, &mut rng, fault, faults, |rng, places| {
        let place = places[rng.random_range(0..places.len())];
        *places = vec![place];
    })
}

fn measure(
    ports: &Ports,
    rng: &mut Rng,
    fault: Fault,
    faults: u64,
    mut choose: impl FnMut(&mut Rng, &mut Vec<usize>),
) -> [Figures; 2] {
    let mut figures = [Figures::default(), Figures::default()];
    let all_places: Vec<Vec<usize>> = ports.0.iter().map(|(port, _)| fault.places(port)).collect();
    for index in (0..ports.0.len()).cycle() {
        if figures[0].faults >= faults {
            break;
        }
        let (port, clean) = &ports.0[index];
        let mut places = all_places[index].clone();
        choose(rng, &mut places);
        let damaged = (!places.is_empty()).then(|| fault.inject(rng, &port.bytes, &places));
        for (figures, (policy, name)) in figures.iter_mut().zip(POLICIES) {
            figures.packets += clean
                .iter()
                .map(|clean| clean.observations.len() as u64)
                .sum::<u64>();
            if let Some((bytes, hits)) = &damaged {
                let all_observed = observe(&port.sources, policy, bytes);
                let place = format!("{}, port {index}, {name}, {places:?}", fault.name());
                figures.add(port, clean, hits, &all_observed, &place);
            }
        }
    }
    figures
}

impl Figures {
    /// Adds the observations of a port with these hits.
    fn add(
        &mut self,
        port: &Port,
        clean: &[Observed],
        hits: &[Range<usize>],
        all_observed: &[Observed],
        place: &str,
    ) {
        self.faults += hits.len() as u64;
        let (mut is_changed, mut is_reported) = (false, false);
        for ((source, clean), observed) in port.sources.iter().zip(clean).zip(all_observed) {
            let compared = compare(&clean.observations, &observed.observations);
            let must_be_right = must_be_right(port, clean, hits);
            let config = source.set.config();
            let broken = broken(&config, &must_be_right, observed, &compared);
            self.broken
                .extend(broken.iter().map(|what| format!("{place}: {what}")));
            self.stretches
                .extend(stretches(clean, &compared.is_right, hits));
            is_reported |= observed
                .observations
                .iter()
                .any(|observations| observations.is_notice());
            is_changed |= compared.lost + compared.wrong() > 0;
            self.compared += &compared;
        }
        self.unchanged += u64::from(!is_changed && !is_reported);
        self.unreported += u64::from(is_changed && !is_reported);
    }
}

/// The bytes of each stretch that is not right. A stretch that lasts to the end of the port is left
/// out.
fn stretches(clean: &Observed, is_right: &[bool], hits: &[Range<usize>]) -> Vec<usize> {
    let starts = starts(&clean.observations);
    let mut lengths = Vec::new();
    for first in 0..is_right.len() {
        let begins = !is_right[first] && (first == 0 || is_right[first - 1]);
        let again = (first..is_right.len()).find(|&period| is_right[period]);
        let (true, Some(again)) = (begins, again) else {
            continue;
        };
        // Everything up to the last byte of the previous period was right.
        let since = clean.place_before(starts[first]);
        if let Some(hit) = hits.iter().find(|hit| hit.end > since) {
            lengths.push(clean.until[starts[again]].saturating_sub(hit.start));
        }
    }
    lengths
}
