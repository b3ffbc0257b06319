// SPDX-License-Identifier: MIT OR Apache-2.0
//! Static timing estimate of a mapped netlist, register to register.
//!
//! Paths from inputs and to outputs of the module, hold, skew and congestion are not covered.

use crate::delay::{self, CLOCK_BUFFER_PERIOD, Corner, UNCERTAINTY};
use crate::graph::components;
use crate::netlist::{Kind, Netlist};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One cell of a path, and the net that leads on from it.
#[derive(Clone, Debug, Serialize)]
pub struct Hop {
    /// Cell type.
    pub cell: String,
    /// Name of the net at the output of the cell.
    pub net: String,
    /// Delay of the cell in ps.
    pub cell_ps: f64,
    /// Loads of the net.
    pub fan_out: usize,
    /// Delay of the net to the next cell in ps.
    pub net_ps: f64,
}

/// A path from a register to a register.
#[derive(Clone, Debug, Serialize)]
pub struct Path {
    /// Clock period that the path allows, uncertainty included, in ns.
    pub period_ns: f64,
    /// Setup time at the end in ps.
    pub setup_ps: f64,
    /// Type and pin of the end, and the register behind it.
    pub end: String,
    /// LUTs on the way.
    pub luts: usize,
    /// From the launching register to the last cell before the end.
    pub hops: Vec<Hop>,
}

/// Registers that depend on each other from one cycle to a later one.
#[derive(Clone, Debug, Serialize)]
pub struct Loop {
    /// Register names without bit numbers, sorted.
    pub registers: Vec<String>,
    /// Bits of these registers.
    pub bits: usize,
    /// The longest path that starts and ends in the loop without leaving it.
    pub path: Path,
}

/// How the latest arrival at a net came about.
#[derive(Clone, Copy)]
struct Arrival {
    time: f64,
    cell: f64,
    /// The net before the cell, and the delay of that net.
    from: Option<(usize, f64)>,
}

#[derive(Clone, Copy)]
struct End {
    total: f64,
    net: usize,
    hop: f64,
    setup: f64,
    cell: usize,
    pin: usize,
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
    arrivals: Vec<Option<Arrival>>,
}

impl<'a> Sta<'a> {
    /// Finds the latest arrival at every net.
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
            arrivals: Vec::new(),
        };
        sta.arrivals = vec![None; netlist.driver.len()];
        for at in 0..sta.order.len() {
            let net = sta.order[at];
            sta.rank_lut(net);
            sta.arrivals[net] = sta.arrival(net, &sta.arrivals, |_| true);
        }
        Ok(sta)
    }

    /// The longest path, if there is any from a register to a register.
    pub fn worst(&self) -> Option<Path> {
        let ends = self.ends(&self.arrivals, |_, _| true);
        let end = ends
            .into_iter()
            .max_by(|a, b| a.total.total_cmp(&b.total))?;
        Some(self.path(&self.arrivals, end))
    }

    /// Shortest period in ns for the longest path.
    pub fn period_ns(&self) -> Option<f64> {
        let worst = self.worst()?;
        Some(worst.period_ns.max(CLOCK_BUFFER_PERIOD / 1000.0))
    }

    /// Most LUTs on any path; a start or end that is not a flip-flop's Q or D counts as one more.
    pub fn lut_depth(&self) -> usize {
        let cells = &self.netlist.cells;
        let mut depth: Vec<Option<usize>> = vec![None; self.arrivals.len()];
        for &net in &self.order {
            let Some((number, _)) = self.netlist.driver[net] else {
                continue;
            };
            let cell = &cells[number];
            depth[net] = if delay::launch(cell).is_some() {
                Some(usize::from(cell.kind != Kind::Ff))
            } else {
                let inputs = fan_in(self.netlist, net).into_iter();
                let before = inputs.filter_map(|pin| depth[cell.inputs[pin].net]).max();
                before.map(|before| before + usize::from(cell.kind == Kind::Lut))
            };
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

    /// The loops, longest path first.
    ///
    /// A loop is a strongly connected component of the graph of registers: each of its registers
    /// can change each other one. Paths through data, enable and reset pins count.
    pub fn loops(&self) -> Vec<Loop> {
        let component = |cell: usize| self.component[cell];
        let mut arrivals = vec![None; self.arrivals.len()];
        for &net in &self.order {
            let Some((number, _)) = self.netlist.driver[net] else {
                continue;
            };
            let inside = |from: usize| component(from) == component(number);
            arrivals[net] = self.arrival(net, &arrivals, inside);
        }
        let mut worst: BTreeMap<usize, End> = BTreeMap::new();
        for end in self.ends(&arrivals, |from, to| component(from) == component(to)) {
            let slot = worst.entry(component(end.cell)).or_insert(end);
            if end.total > slot.total {
                *slot = end;
            }
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, cell) in self.netlist.cells.iter().enumerate() {
            if delay::launch(cell).is_some() {
                members.entry(component(number)).or_default().push(number);
            }
        }
        let mut loops: Vec<Loop> = worst
            .into_iter()
            .map(|(number, end)| {
                let cells = &members[&number];
                let registers: BTreeSet<String> =
                    cells.iter().map(|&cell| self.register(cell)).collect();
                Loop {
                    registers: registers.into_iter().collect(),
                    bits: cells.len(),
                    path: self.path(&arrivals, end),
                }
            })
            .collect();
        loops.sort_by(|a, b| b.path.period_ns.total_cmp(&a.path.period_ns));
        loops
    }

    /// Latest arrival at `net` from those before it, over cells that `admit` lets in.
    fn arrival(
        &self,
        net: usize,
        arrivals: &[Option<Arrival>],
        admit: impl Fn(usize) -> bool,
    ) -> Option<Arrival> {
        let (number, output) = self.netlist.driver[net]?;
        let cell = &self.netlist.cells[number];
        if let Some(time) = delay::launch(cell) {
            return Some(Arrival {
                time,
                cell: time,
                from: None,
            });
        }
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
                cell: inside,
                from: Some((input.net, hop)),
            })
        };
        let all = (0..cell.inputs.len()).filter_map(through);
        all.max_by(|a, b| a.time.total_cmp(&b.time))
    }

    /// Gives the pins of the LUT at `net` their delays: the later an input, the faster its pin.
    fn rank_lut(&mut self, net: usize) {
        let Some((number, _)) = self.netlist.driver[net] else {
            return;
        };
        let cell = &self.netlist.cells[number];
        if cell.kind != Kind::Lut {
            return;
        }
        let at = |pin: usize| {
            let arrival = self.arrivals[cell.inputs[pin].net].map(|arrival| arrival.time);
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
                    let time = arrivals[input.net].filter(|_| admit(driver, number))?.time;
                    let hop = self.hop(number, pin)?;
                    Some(End {
                        total: time + hop + setup,
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
            next = arrival.from;
        }
        hops.reverse();
        let cell = &self.netlist.cells[end.cell];
        let is_lut = |hop: &&Hop| hop.cell.starts_with("LUT") || hop.cell == "INV";
        Path {
            period_ns: (end.total + UNCERTAINTY) / 1000.0,
            setup_ps: end.setup,
            end: format!(
                "{} {} of {}",
                cell.model,
                cell.inputs[end.pin].port,
                self.register(end.cell)
            ),
            luts: hops.iter().filter(is_lut).count(),
            hops,
        }
    }

    /// Name of the register in a cell, without the bit number.
    fn register(&self, cell: usize) -> String {
        let output = self.netlist.cells[cell].outputs.first();
        let name = output.map_or("(open)", |pin| self.netlist.names[pin.net].as_str());
        name.split('[').next().unwrap_or(name).to_owned()
    }
}

/// Inputs of the driver of `net` that reach the net within the cycle.
fn fan_in(netlist: &Netlist, net: usize) -> Vec<usize> {
    let Some((number, output)) = netlist.driver[net] else {
        return Vec::new();
    };
    let cell = &netlist.cells[number];
    let reaches = |&pin: &usize| {
        cell.kind == Kind::Lut
            || delay::arc(cell.kind, &cell.inputs[pin], &cell.outputs[output]).is_some()
    };
    (0..cell.inputs.len()).filter(reaches).collect()
}

/// Nets in an order in which each one follows those that it depends on.
fn topological(netlist: &Netlist) -> Result<Vec<usize>> {
    let mut waits = vec![0_usize; netlist.driver.len()];
    let mut leads_to = vec![Vec::new(); netlist.driver.len()];
    for (net, wait) in waits.iter_mut().enumerate() {
        let Some((number, _)) = netlist.driver[net] else {
            continue;
        };
        for pin in fan_in(netlist, net) {
            leads_to[netlist.cells[number].inputs[pin].net].push(net);
            *wait += 1;
        }
    }
    let mut order: Vec<usize> = (0..waits.len()).filter(|&net| waits[net] == 0).collect();
    let mut done = 0;
    while let Some(&net) = order.get(done) {
        done += 1;
        for &next in &leads_to[net] {
            waits[next] -= 1;
            if waits[next] == 0 {
                order.push(next);
            }
        }
    }
    if order.len() < waits.len() {
        bail!("the netlist has a loop without a register");
    }
    Ok(order)
}

/// For each cell the cells that its outputs lead to, through pins that carry data.
fn cell_edges(netlist: &Netlist) -> Vec<Vec<usize>> {
    let mut edges = vec![Vec::new(); netlist.cells.len()];
    for (number, cell) in netlist.cells.iter().enumerate() {
        let stores = delay::launch(cell).is_some();
        for pin in &cell.inputs {
            let data = !stores || delay::setup(cell.kind, &pin.port).is_some();
            if let (true, Some((driver, _))) = (data, netlist.driver[pin.net]) {
                edges[driver].push(number);
            }
        }
    }
    edges
}

#[cfg(test)]
#[path = "sta_test.rs"]
mod tests;
