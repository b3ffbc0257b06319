// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells, pins and nets of a mapped netlist.

use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// What a cell is to the timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// LUT1 to LUT6, and the inverter, which becomes one.
    Lut,
    /// MUXF7, MUXF8 and MUXF9, by 0, 1 and 2.
    Mux(usize),
    /// Eight bits of a carry chain.
    Carry,
    /// A flip-flop.
    Ff,
    /// A shift register in a LUT.
    ShiftRegister,
    /// A RAM in LUTs with asynchronous read.
    LutRam,
    /// A block RAM, with or without its output register.
    Bram {
        /// Whether the output register is on.
        registered: bool,
    },
    /// A clock buffer: not in any path from register to register.
    ClockBuffer,
}

/// One bit of a port of a cell, on a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Port of the cell.
    pub port: String,
    /// Bit of the port.
    pub bit: usize,
    /// Net, by the number that Yosys gave it.
    pub net: usize,
}

/// A cell with the pins that are not tied to a constant.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Type, such as `LUT6`.
    pub model: String,
    /// What it is to the timing.
    pub kind: Kind,
    /// Inputs on nets.
    pub inputs: Vec<Pin>,
    /// Outputs on nets.
    pub outputs: Vec<Pin>,
    /// Number of input bits, constants included.
    pub width: usize,
}

/// The cells of a flat module.
#[derive(Debug)]
pub struct Netlist {
    /// Cells, carries merged.
    pub cells: Vec<Cell>,
    /// The cell and output that drive a net; `None` for inputs of the module.
    pub driver: Vec<Option<(usize, usize)>>,
    /// Loads of a net.
    pub fan_out: Vec<usize>,
    /// A name for a net.
    pub names: Vec<String>,
    /// Cells of each type as mapped, before carries are merged.
    pub counts: BTreeMap<String, usize>,
}

impl Netlist {
    /// Connects `cells`; `name` gives a net its name, and `counts` are the cells as mapped.
    ///
    /// # Errors
    /// If a net has two drivers or a number that no netlist of Yosys has.
    pub fn connect(
        cells: Vec<Cell>,
        name: impl Fn(usize) -> String,
        counts: BTreeMap<String, usize>,
    ) -> Result<Netlist> {
        let pins = cells.iter().flat_map(|c| c.inputs.iter().chain(&c.outputs));
        let nets = pins.map(|pin| pin.net + 1).max().unwrap_or(0);
        // Yosys numbers nets without large gaps; a number far above is no netlist of its making.
        if nets > 100_000_000 {
            bail!("net number {nets} is out of range");
        }
        let mut netlist = Netlist {
            cells,
            driver: vec![None; nets],
            fan_out: vec![0; nets],
            names: (0..nets).map(&name).collect(),
            counts,
        };
        for (number, cell) in netlist.cells.iter().enumerate() {
            for (output, pin) in cell.outputs.iter().enumerate() {
                if netlist.driver[pin.net].replace((number, output)).is_some() {
                    bail!("net {} has two drivers", pin.net);
                }
            }
            for pin in &cell.inputs {
                netlist.fan_out[pin.net] += 1;
            }
        }
        Ok(netlist)
    }
}
