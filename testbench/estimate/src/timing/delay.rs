// SPDX-License-Identifier: MIT OR Apache-2.0
//! UltraScale+ delays at speed grade -2, in picoseconds.
//!
//! Cells come from public timing data (RapidWright; prjuray-db for the wide multiplexers and the
//! shift registers). The net delay is a fit to published routed paths: no placement is known here.

use crate::netlist::cell::{Cell, Kind, Pin};

/// LUT pin to O6, fastest pin first: A6 A5 A4 A3 A2 A1.
const LUT_PINS: [f64; 6] = [35.0, 50.0, 90.0, 100.0, 125.0, 150.0];
/// MUXF7, MUXF8 and MUXF9, from a data pin.
const MUX_DATA: [f64; 3] = [70.0, 34.0, 65.0];
/// MUXF7, MUXF8 and MUXF9, from the select pin.
const MUX_SELECT: [f64; 3] = [77.0, 87.0, 71.0];
const CARRY_S_TO_CO: f64 = 199.0;
const CARRY_CI_TO_CO: f64 = 23.0;
const CARRY_CI_TO_O: f64 = 116.0;
/// Address to output of a LUT that stores: shift register or RAM.
const STORED_READ: f64 = 120.0;
const LUT_TO_CARRY: f64 = 15.0;
const CARRY_TO_CARRY: f64 = 26.0;
const LUT_TO_FF: f64 = 50.0;
/// Every other wire that does not leave its slice.
const IN_SLICE: f64 = 25.0;

/// Clock uncertainty that is added to the longest path.
pub const UNCERTAINTY: f64 = 100.0;
/// The clock buffer is never faster than this.
pub const CLOCK_BUFFER_PERIOD: f64 = 1290.0;

/// How nets are taken.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    net_scale: f64,
    fan_out_cap: usize,
}

/// Nets as fitted.
pub const DEFAULT: Corner = Corner {
    net_scale: 1.0,
    fan_out_cap: usize::MAX,
};
/// Short nets, drivers of many loads replicated.
pub const TIGHT: Corner = Corner {
    net_scale: 0.85,
    fan_out_cap: 16,
};

impl Corner {
    /// A net through the fabric with this many loads.
    fn net(&self, fan_out: usize) -> f64 {
        let loads = fan_out.clamp(1, self.fan_out_cap) as f64;
        self.net_scale * (152.0 + 63.0 * loads.ln())
    }

    /// From the output of `driver` to the pin `load` of a cell of kind `to`.
    pub fn hop(&self, driver: &Cell, from: &Pin, fan_out: usize, to: Kind, load: &Pin) -> f64 {
        let lut = matches!(driver.kind, Kind::Lut | Kind::LutRam);
        let only = fan_out == 1;
        match (to, load.port.as_str(), driver.kind) {
            (Kind::Carry, "CI", Kind::Carry) if from.port == "CO" && from.bit == 7 => {
                CARRY_TO_CARRY
            }
            (Kind::Carry, "S", _) if lut && fan_out <= 2 => LUT_TO_CARRY,
            (Kind::Carry, "DI", _) if lut && only => LUT_TO_CARRY,
            // S is reached through a LUT only.
            (Kind::Carry, "S", _) => self.net(fan_out) + mean_lut_pin(6),
            (Kind::Ff, "D", _) if lut && only => LUT_TO_FF,
            (Kind::Ff, "D", Kind::Carry | Kind::Mux(_)) if only => IN_SLICE,
            (Kind::Mux(_), "I0" | "I1", Kind::Mux(_)) => IN_SLICE,
            (Kind::Mux(_), "I0" | "I1", _) if lut && only => IN_SLICE,
            (Kind::Mux(0), "I0" | "I1", _) => self.net(fan_out) + mean_lut_pin(6),
            _ => self.net(fan_out),
        }
    }
}

/// The pins of a LUT with few inputs leave out the slowest one.
fn mean_lut_pin(inputs: usize) -> f64 {
    let used = &LUT_PINS[..if inputs < 5 { 5 } else { 6 }];
    used.iter().sum::<f64>() / used.len() as f64
}

/// A LUT of `inputs` pins from the input that arrives as number `rank` from the last.
///
/// The router gives late inputs fast pins, but not always: half-way between the ideal order and the
/// mean of the pins.
pub fn lut(rank: usize, inputs: usize) -> f64 {
    let ideal = LUT_PINS[rank.min(inputs.max(1) - 1).min(5)];
    (ideal + mean_lut_pin(inputs)) / 2.0
}

/// Through a cell that is not a LUT, or `None` if the pins are not connected inside.
pub fn arc(kind: Kind, input: &Pin, output: &Pin) -> Option<f64> {
    match (kind, input.port.as_str()) {
        (Kind::Mux(step), "S") => Some(MUX_SELECT[step]),
        (Kind::Mux(step), _) => Some(MUX_DATA[step]),
        (Kind::Carry, "CI") if output.port == "CO" => Some(CARRY_CI_TO_CO),
        (Kind::Carry, "CI") => Some(CARRY_CI_TO_O),
        // One figure for every way into the chain: to CO7 it is known, and O lies around it.
        (Kind::Carry, "S" | "DI") if input.bit <= output.bit => Some(CARRY_S_TO_CO),
        (Kind::ShiftRegister, port) if port.starts_with('A') && output.port == "Q" => {
            Some(STORED_READ)
        }
        (Kind::LutRam, port) if reads(port, &output.port) => Some(STORED_READ),
        _ => None,
    }
}

/// Whether an address of a LUT RAM selects what is at an output: `ADDRA` does for `DOA`.
fn reads(address: &str, output: &str) -> bool {
    match address.strip_prefix("ADDR") {
        Some(port) => output.strip_prefix("DO") == Some(port),
        None if address.starts_with("DPRA") => output == "DPO",
        None => address.starts_with('A') && output != "DPO",
    }
}

/// Clock to output of a cell that stores something.
pub fn launch(cell: &Cell) -> Option<f64> {
    match cell.kind {
        Kind::Ff => Some(79.0),
        Kind::ShiftRegister => Some(408.0),
        Kind::LutRam => Some(312.0),
        Kind::Bram { registered: false } => Some(1003.0),
        Kind::Bram { registered: true } => Some(220.0),
        _ => None,
    }
}

/// Setup time of an input of a cell that stores something, `None` for a clock.
pub fn setup(kind: Kind, port: &str) -> Option<f64> {
    match (kind, port) {
        (Kind::Ff, "D") => Some(-25.0),
        (Kind::Ff, "CE") => Some(50.0),
        (Kind::Ff, "R" | "S" | "CLR" | "PRE") => Some(60.0),
        (_, port) if port.contains("CLK") => None,
        // The address of a shift register selects an output and needs no clock.
        (Kind::ShiftRegister, "D") => Some(75.0),
        (Kind::ShiftRegister, "CE") => Some(180.0),
        (Kind::LutRam, port) if port.starts_with("DPRA") => None,
        (Kind::LutRam, port) if port.starts_with('D') => Some(75.0),
        (Kind::LutRam, port) if port.starts_with('W') => Some(180.0),
        (Kind::LutRam, _) => Some(117.0),
        (Kind::Bram { .. }, port) if port.contains("ADDR") => Some(383.0),
        // Data, enable and reset pins are taken like the write enable.
        (Kind::Bram { .. }, _) => Some(394.0),
        _ => None,
    }
}
