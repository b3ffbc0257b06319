// SPDX-License-Identifier: MIT OR Apache-2.0
//! A mapped netlist as Yosys writes it in JSON, with CARRY4 pairs merged to CARRY8.

use crate::area;
use crate::names::Names;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

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

#[derive(Deserialize)]
struct Document {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(default)]
    cells: BTreeMap<String, RawCell>,
    #[serde(default)]
    netnames: BTreeMap<String, NetName>,
}

/// The nets of a name, lowest bit first.
#[derive(Deserialize)]
pub struct NetName {
    /// The nets.
    pub bits: Vec<Bit>,
}

#[derive(Clone, Deserialize)]
struct RawCell {
    #[serde(rename = "type")]
    model: String,
    #[serde(default)]
    parameters: BTreeMap<String, serde_json::Value>,
    port_directions: BTreeMap<String, String>,
    connections: BTreeMap<String, Vec<Bit>>,
}

/// What a bit is connected to.
#[derive(Clone, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Bit {
    /// A net.
    Net(usize),
    /// `0`, `1` or `x`.
    Constant(String),
}

impl Bit {
    fn net(&self) -> Option<usize> {
        match self {
            Bit::Net(net) => Some(*net),
            Bit::Constant(_) => None,
        }
    }
}

impl Netlist {
    /// Reads the module `top` of a JSON netlist.
    ///
    /// # Errors
    /// If the text is no netlist, has no such module, or has cells without a known delay.
    pub fn parse(text: &str, top: &str) -> Result<Netlist> {
        let Module { cells, netnames } = module(text, top)?;
        let mut raw = cells;
        raw.retain(|_, cell| !cell.model.starts_with('$'));
        let mut counts = BTreeMap::new();
        for cell in raw.values() {
            *counts.entry(cell.model.clone()).or_default() += 1;
        }
        let cells = merge_carries(raw)
            .iter()
            .map(compile)
            .collect::<Result<Vec<_>>>()?;
        index(cells, &Names::of(&netnames), counts)
    }

    /// Takes the names of registers from the netlist `text`, which is from before mapping.
    ///
    /// # Errors
    /// If the text is no netlist or has no such module.
    pub fn name_by(&mut self, text: &str, top: &str) -> Result<()> {
        let before = Names::of(&module(text, top)?.netnames);
        for name in &mut self.names {
            if let Some(better) = before.alias(name) {
                *name = better.to_owned();
            }
        }
        Ok(())
    }
}

/// The module `top` of a JSON netlist.
fn module(text: &str, top: &str) -> Result<Module> {
    let mut document: Document = serde_json::from_str(text).context("no Yosys JSON netlist")?;
    let module = document.modules.remove(top);
    module.with_context(|| format!("the netlist has no module `{top}`"))
}

/// Driver, loads and name of every net.
fn index(cells: Vec<Cell>, names: &Names, counts: BTreeMap<String, usize>) -> Result<Netlist> {
    let pins = cells.iter().flat_map(|c| c.inputs.iter().chain(&c.outputs));
    let nets = pins.map(|pin| pin.net + 1).max().unwrap_or(0);
    // Yosys numbers nets without large gaps; a number far above is no netlist of its making.
    if nets > 100_000_000 {
        bail!("net number {nets} is out of range");
    }
    let name = |net: usize| {
        let name = names.net(net).map(str::to_owned);
        name.unwrap_or_else(|| format!("net {net}"))
    };
    let mut netlist = Netlist {
        cells,
        driver: vec![None; nets],
        fan_out: vec![0; nets],
        names: (0..nets).map(name).collect(),
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

/// Two CARRY4 neighbours of a chain are one CARRY8 in an UltraScale+ slice.
fn merge_carries(raw: BTreeMap<String, RawCell>) -> Vec<RawCell> {
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

/// Sorts the pins of a cell, and looks up its kind.
fn compile(raw: &RawCell) -> Result<Cell> {
    let kind = match raw.model.as_str() {
        "INV" | "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" => Kind::Lut,
        "MUXF7" => Kind::Mux(0),
        "MUXF8" => Kind::Mux(1),
        "MUXF9" => Kind::Mux(2),
        "CARRY8" => Kind::Carry,
        "FDRE" | "FDSE" | "FDCE" | "FDPE" => Kind::Ff,
        "SRL16E" | "SRLC32E" => Kind::ShiftRegister,
        model if area::lut_ram(model).is_some() => Kind::LutRam,
        "RAMB18E2" | "RAMB36E2" => Kind::Bram {
            registered: raw.flag("DOA_REG") && raw.flag("DOB_REG"),
        },
        "BUFG" => Kind::ClockBuffer,
        model => bail!("no delay is known for cells of type {model}"),
    };
    let mut cell = Cell {
        model: raw.model.clone(),
        kind,
        inputs: Vec::new(),
        outputs: Vec::new(),
        width: 0,
    };
    for (port, bits) in &raw.connections {
        let output = raw.port_directions.get(port).is_some_and(|d| d == "output");
        if !output {
            cell.width += bits.len();
        }
        let pins = if output {
            &mut cell.outputs
        } else {
            &mut cell.inputs
        };
        pins.extend(bits.iter().enumerate().filter_map(|(bit, on)| {
            let net = on.net()?;
            Some(Pin {
                port: port.clone(),
                bit,
                net,
            })
        }));
    }
    Ok(cell)
}

impl RawCell {
    fn bits(&self, port: &str) -> &[Bit] {
        self.connections.get(port).map_or(&[], Vec::as_slice)
    }

    /// A parameter that Yosys writes as a string of bits.
    fn flag(&self, parameter: &str) -> bool {
        let value = self
            .parameters
            .get(parameter)
            .and_then(|value| value.as_str());
        value.is_some_and(|bits| bits.contains('1'))
    }
}
