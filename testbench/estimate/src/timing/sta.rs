// SPDX-License-Identifier: MIT OR Apache-2.0
//! Static timing estimate of a mapped netlist, register to register.
//!
//! Paths from inputs and to outputs of the module, hold, skew and congestion are not covered.

use super::components::components;
use super::delay::{self, CLOCK_BUFFER_PERIOD, Corner, UNCERTAINTY};
use super::dependencies::{cell_edges, fan_in, topological};
use super::path::{Hop, Loop, Path};
use crate::netlist::cell::{Kind, Netlist};
use anyhow::Result;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What makes a path the longest.
#[derive(Clone, Copy)]
enum Longest {
    Time,
    Levels,
}

/// How the last arrival at a net came about.
#[derive(Clone, Copy)]
struct Arrival {
    time: f64,
    levels: usize,
    /// Delay of the cell.
    cell: f64,
    /// The net before the cell, and the delay of that net.
    from: Option<(usize, f64)>,
}

#[derive(Clone, Copy)]
struct End {
    total: f64,
    levels: usize,
    net: usize,
    hop: f64,
    setup: f64,
    cell: usize,
    pin: usize,
}

impl Longest {
    /// The other measure decides between equals.
    fn order(self, a: (f64, usize), b: (f64, usize)) -> Ordering {
        let (time, levels) = (a.0.total_cmp(&b.0), a.1.cmp(&b.1));
        match self {
            Longest::Time => time.then(levels),
            Longest::Levels => levels.then(time),
        }
    }

    fn end(self, a: &End, b: &End) -> Ordering {
        self.order((a.total, a.levels), (b.total, b.levels))
    }
}

/// The estimate of a netlist in one corner.
pub struct Sta<'a> {
    netlist: &'a Netlist,
    corner: Corner,
    /// Nets, each after those that it depends on.
    order: Vec<usize>,
    component: Vec<usize>,
    /// Delay of each LUT input, from the order of arrival in the whole netlist.
    lut_pins: Vec<Vec<f64>>,
}

impl<'a> Sta<'a> {
    /// Prepares the estimate.
    ///
    /// # Errors
    /// If the netlist has a loop without a register.
    pub fn new(netlist: &'a Netlist, corner: Corner) -> Result<Self> {
        let mut sta = Sta {
            netlist,
            corner,
            order: topological(netlist)?,
            component: components(&cell_edges(netlist)),
            lut_pins: vec![Vec::new(); netlist.cells.len()],
        };
        let mut arrivals = vec![None; netlist.driver.len()];
        for at in 0..sta.order.len() {
            let net = sta.order[at];
            sta.rank_lut(net, &arrivals);
            arrivals[net] = sta.arrival(net, &arrivals, Longest::Time, |_| true);
        }
        Ok(sta)
    }

    /// The slowest path, if there is any from a register to a register.
    pub fn slowest(&self) -> Option<Path> {
        self.longest(Longest::Time)
    }

    /// A path with the most LUTs, the slowest of them.
    pub fn deepest(&self) -> Option<Path> {
        self.longest(Longest::Levels)
    }

    fn longest(&self, longest: Longest) -> Option<Path> {
        let arrivals = self.arrivals(longest, |_, _| true);
        let ends = self.ends(&arrivals, |_, _| true).into_iter();
        let end = ends.max_by(|a, b| longest.end(a, b))?;
        Some(self.path(&arrivals, end))
    }

    /// Shortest period in ns for the slowest path.
    pub fn period_ns(&self) -> Option<f64> {
        let slowest = self.slowest()?;
        Some(slowest.period_ns.max(CLOCK_BUFFER_PERIOD / 1000.0))
    }

    /// Most LUTs on any path; a start or end that is not a flip-flop's Q or D counts as one more.
    pub fn lut_depth(&self) -> usize {
        let cells = &self.netlist.cells;
        let mut depth: Vec<Option<usize>> = vec![None; self.netlist.driver.len()];
        for &net in &self.order {
            let Some((number, _)) = self.netlist.driver[net] else {
                continue;
            };
            let cell = &cells[number];
            let launched = delay::launch(cell).map(|_| usize::from(cell.kind != Kind::Ff));
            let inputs = fan_in(self.netlist, net).into_iter();
            let before = inputs.filter_map(|pin| depth[cell.inputs[pin].net]).max();
            depth[net] = launched.max(before.map(|before| before + levels(cell.kind)));
        }
        let ends = cells.iter().flat_map(|cell| {
            let ends = cell.inputs.iter();
            ends.filter(|pin| delay::setup(cell.kind, &pin.port).is_some())
                .filter_map(|pin| {
                    let at_d = cell.kind == Kind::Ff && pin.port == "D";
                    Some(depth[pin.net]? + usize::from(!at_d))
                })
        });
        ends.max().unwrap_or(0)
    }

    /// The loops, slowest first.
    ///
    /// A loop is a strongly connected component of the graph of registers: each of its registers
    /// can change each other one. Paths through data, enable and reset pins count.
    pub fn loops(&self) -> Vec<Loop> {
        let mut deepest = self.longest_in_loops(Longest::Levels);
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, cell) in self.netlist.cells.iter().enumerate() {
            if delay::launch(cell).is_some() {
                let component = self.component[number];
                members.entry(component).or_default().push(number);
            }
        }
        let slowest = self.longest_in_loops(Longest::Time).into_iter();
        let mut loops: Vec<Loop> = slowest
            .filter_map(|(component, slowest)| {
                let cells = &members[&component];
                let registers: BTreeSet<String> =
                    cells.iter().map(|&cell| self.register(cell)).collect();
                Some(Loop {
                    registers: registers.into_iter().collect(),
                    bits: cells.len(),
                    slowest,
                    deepest: deepest.remove(&component)?,
                })
            })
            .collect();
        loops.sort_by(|a, b| b.slowest.period_ns.total_cmp(&a.slowest.period_ns));
        loops
    }

    /// The longest path inside each strongly connected component that has one.
    fn longest_in_loops(&self, longest: Longest) -> BTreeMap<usize, Path> {
        let inside = |from: usize, to: usize| self.component[from] == self.component[to];
        let arrivals = self.arrivals(longest, inside);
        let mut found: BTreeMap<usize, End> = BTreeMap::new();
        for end in self.ends(&arrivals, inside) {
            let slot = found.entry(self.component[end.cell]).or_insert(end);
            if longest.end(&end, slot).is_gt() {
                *slot = end;
            }
        }
        let path = |(component, end)| (component, self.path(&arrivals, end));
        found.into_iter().map(path).collect()
    }

    /// The last arrival at every net, over the hops between cells that `admit` lets in.
    fn arrivals(
        &self,
        longest: Longest,
        admit: impl Fn(usize, usize) -> bool,
    ) -> Vec<Option<Arrival>> {
        let mut arrivals = vec![None; self.netlist.driver.len()];
        for &net in &self.order {
            if let Some((number, _)) = self.netlist.driver[net] {
                let admit = |from: usize| admit(from, number);
                arrivals[net] = self.arrival(net, &arrivals, longest, admit);
            }
        }
        arrivals
    }

    /// Last arrival at `net`: from the clock, or from the nets before, over cells that `admit`
    /// lets in. Memories in LUTs have both.
    fn arrival(
        &self,
        net: usize,
        arrivals: &[Option<Arrival>],
        longest: Longest,
        admit: impl Fn(usize) -> bool,
    ) -> Option<Arrival> {
        let (number, output) = self.netlist.driver[net]?;
        let cell = &self.netlist.cells[number];
        let launched = delay::launch(cell).map(|time| Arrival {
            time,
            levels: 0,
            cell: time,
            from: None,
        });
        let through = |pin: usize| {
            let input = &cell.inputs[pin];
            if !admit(self.netlist.driver[input.net]?.0) {
                return None;
            }
            let before = arrivals[input.net]?;
            let hop = self.hop(number, pin)?;
            let inside = match cell.kind {
                Kind::Lut => self.lut_pins[number][pin],
                kind => delay::arc(kind, input, &cell.outputs[output])?,
            };
            Some(Arrival {
                time: before.time + hop + inside,
                levels: before.levels + levels(cell.kind),
                cell: inside,
                from: Some((input.net, hop)),
            })
        };
        let all = (0..cell.inputs.len()).filter_map(through).chain(launched);
        all.max_by(|a, b| longest.order((a.time, a.levels), (b.time, b.levels)))
    }

    /// Gives the pins of the LUT at `net` their delays: the later an input, the faster its pin.
    fn rank_lut(&mut self, net: usize, arrivals: &[Option<Arrival>]) {
        let Some((number, _)) = self.netlist.driver[net] else {
            return;
        };
        let cell = &self.netlist.cells[number];
        if cell.kind != Kind::Lut {
            return;
        }
        let at = |pin: usize| {
            let arrival = arrivals[cell.inputs[pin].net].map(|arrival: Arrival| arrival.time);
            arrival.and_then(|time| Some(time + self.hop(number, pin)?))
        };
        let times: Vec<f64> = (0..cell.inputs.len())
            .map(|pin| at(pin).unwrap_or(f64::NEG_INFINITY))
            .collect();
        let mut ranked: Vec<usize> = (0..times.len()).collect();
        ranked.sort_by(|&a, &b| times[b].total_cmp(&times[a]));
        let mut pins = vec![0.0; times.len()];
        for (rank, pin) in ranked.into_iter().enumerate() {
            pins[pin] = delay::lut(rank, cell.width);
        }
        self.lut_pins[number] = pins;
    }

    /// Delay of the net before an input.
    fn hop(&self, cell: usize, pin: usize) -> Option<f64> {
        let to = &self.netlist.cells[cell];
        let load = &to.inputs[pin];
        let (from, output) = self.netlist.driver[load.net]?;
        let driver = &self.netlist.cells[from];
        let fan_out = self.netlist.fan_out[load.net];
        Some(
            self.corner
                .hop(driver, &driver.outputs[output], fan_out, to.kind, load),
        )
    }

    /// Ends of paths whose last driver and whose register `admit` lets in.
    fn ends(&self, arrivals: &[Option<Arrival>], admit: impl Fn(usize, usize) -> bool) -> Vec<End> {
        let mut ends = Vec::new();
        for (number, cell) in self.netlist.cells.iter().enumerate() {
            for (pin, input) in cell.inputs.iter().enumerate() {
                let end = || {
                    let setup = delay::setup(cell.kind, &input.port)?;
                    let (driver, _) = self.netlist.driver[input.net]?;
                    let before = arrivals[input.net].filter(|_| admit(driver, number))?;
                    let hop = self.hop(number, pin)?;
                    Some(End {
                        total: before.time + hop + setup,
                        levels: before.levels,
                        net: input.net,
                        hop,
                        setup,
                        cell: number,
                        pin,
                    })
                };
                ends.extend(end());
            }
        }
        ends
    }

    fn path(&self, arrivals: &[Option<Arrival>], end: End) -> Path {
        let mut hops = Vec::new();
        let mut start = end.cell;
        let mut next = Some((end.net, end.hop));
        while let Some((net, net_ps)) = next {
            let (Some((number, _)), Some(arrival)) = (self.netlist.driver[net], arrivals[net])
            else {
                break;
            };
            hops.push(Hop {
                cell: self.netlist.cells[number].model.clone(),
                net: self.netlist.names[net].clone(),
                cell_ps: arrival.cell,
                fan_out: self.netlist.fan_out[net],
                net_ps,
            });
            start = number;
            next = arrival.from;
        }
        hops.reverse();
        let cell = &self.netlist.cells[end.cell];
        Path {
            period_ns: (end.total + UNCERTAINTY) / 1000.0,
            levels: end.levels,
            start: self.register(start),
            end: self.register(end.cell),
            end_pin: format!("{} {}", cell.model, cell.inputs[end.pin].port),
            setup_ps: end.setup,
            hops,
        }
    }

    /// Name of the register in a cell, without the bit number and the `q` of a register block.
    fn register(&self, cell: usize) -> String {
        let output = self.netlist.cells[cell].outputs.first();
        let name = output.map_or("(open)", |pin| self.netlist.names[pin.net].as_str());
        let name = name.split('[').next().unwrap_or(name);
        name.strip_suffix(".q").unwrap_or(name).to_owned()
    }
}

/// What a cell on the way adds to the number of LUTs of a path.
fn levels(kind: Kind) -> usize {
    usize::from(matches!(
        kind,
        Kind::Lut | Kind::LutRam | Kind::ShiftRegister
    ))
}

#[cfg(test)]
#[path = "sta_test.rs"]
mod tests;
