// SPDX-License-Identifier: MIT OR Apache-2.0
//! What depends on what in a netlist.

use super::delay;
use crate::netlist::cell::{Kind, Netlist};
use anyhow::{Result, bail};

/// Inputs of the driver of `net` that reach the net within the cycle.
pub fn fan_in(netlist: &Netlist, net: usize) -> Vec<usize> {
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
///
/// # Errors
/// If the netlist has a loop without a register.
pub fn topological(netlist: &Netlist) -> Result<Vec<usize>> {
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
pub fn cell_edges(netlist: &Netlist) -> Vec<Vec<usize>> {
    let mut edges = vec![Vec::new(); netlist.cells.len()];
    for (number, cell) in netlist.cells.iter().enumerate() {
        for pin in &cell.inputs {
            let is_clock = delay::launch(cell).is_some()
                && delay::setup(cell.kind, &pin.port).is_none()
                && !cell
                    .outputs
                    .iter()
                    .any(|output| delay::arc(cell.kind, pin, output).is_some());
            if let (false, Some((driver, _))) = (is_clock, netlist.driver[pin.net]) {
                edges[driver].push(number);
            }
        }
    }
    edges
}
