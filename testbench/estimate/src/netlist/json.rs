// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a mapped netlist as Yosys writes it in JSON.

use super::area;
use super::carries::merge_carries;
use super::cell::{Cell, Kind, Netlist, Pin};
use super::net_names::NetNames;
use super::raw::{Document, Module, RawCell};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;

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
        let names = NetNames::of(&netnames);
        let name = |net: usize| {
            let name = names.net(net).map(str::to_owned);
            name.unwrap_or_else(|| format!("net {net}"))
        };
        Netlist::connect(cells, name, counts)
    }

    /// Takes the names of registers from the netlist `text`, which is from before mapping.
    ///
    /// # Errors
    /// If the text is no netlist or has no such module.
    pub fn name_by(&mut self, text: &str, top: &str) -> Result<()> {
        let before = NetNames::of(&module(text, top)?.netnames);
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
