// SPDX-License-Identifier: MIT OR Apache-2.0
//! A topology as a text in TOML, and what must hold in it.
//!
//! ```toml
//! name = "zynqmp"
//! status = "not run"
//!
//! [[clock]]
//! name = "trace"
//! register = "CRF_APB.DBG_TRACE_CTRL"
//! address = 0xFD1A0064
//! bit = 24
//! advice = "boot with a psu_init that enables the trace peripheral"
//! rate = { source_mhz = 500, source_mask = 0x7, source = 0, divisor_bit = 8, divisor_bits = 6 }
//!
//! [[component]]
//! name = "etf1"
//! kind = "etf"
//! base = 0xFE940000
//! mark = "S"
//! clocks = ["trace"]
//!
//! [[link]]
//! from = "etf1:0"
//! to = "funnel2:2"
//!
//! [[receiver]]
//! name = "core"
//! port = "tpiu"
//! registers = 0xA0000000
//! dma = 0xA0010000
//! mark = "S"
//! ```

use std::fmt;

use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind, Mark};
use serde::Deserialize;

use super::check::check;
use super::{Clock, Component, Index, Link, Rate, Receiver, Topology};

/// Why a text is no topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyError(pub(super) String);

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TopologyError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    status: String,
    rom: Option<u64>,
    #[serde(default)]
    clock: Vec<ClockText>,
    #[serde(default)]
    component: Vec<ComponentText>,
    #[serde(default)]
    link: Vec<LinkText>,
    #[serde(default)]
    receiver: Vec<ReceiverText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockText {
    name: String,
    register: String,
    address: u64,
    bit: u32,
    advice: String,
    rate: Option<Rate>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentText {
    name: String,
    kind: String,
    base: u64,
    mark: MarkText,
    #[serde(default)]
    clocks: Vec<String>,
    cpu: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
enum MarkText {
    M,
    F,
    S,
    T,
    I,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkText {
    from: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReceiverText {
    name: String,
    port: String,
    registers: u64,
    dma: u64,
    mark: MarkText,
}

impl From<MarkText> for Mark {
    fn from(text: MarkText) -> Mark {
        match text {
            MarkText::M => Mark::M,
            MarkText::F => Mark::F,
            MarkText::S => Mark::S,
            MarkText::T => Mark::T,
            MarkText::I => Mark::I,
        }
    }
}

impl Topology {
    /// Reads a text and checks it: names and bases are unique, ports exist, an input has one driver, no
    /// trace goes in a circle, and every source reaches a sink.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Topology, TopologyError> {
        let text: Text = toml::from_str(text).map_err(|e| TopologyError(e.to_string()))?;
        let topology = build(text).map_err(TopologyError)?;
        check(&topology).map_err(TopologyError)?;
        Ok(topology)
    }
}

fn build(text: Text) -> Result<Topology, String> {
    let clocks: Vec<Clock> = text
        .clock
        .into_iter()
        .map(clock)
        .collect::<Result<_, _>>()?;
    let clock_of = |name: &String| {
        let found = clocks.iter().position(|clock| clock.name == *name);
        found.ok_or_else(|| format!("there is no clock {name}"))
    };
    let mut components = Vec::new();
    for row in &text.component {
        components.push(component(row, row.clocks.iter().map(clock_of).collect())?);
    }
    let link = |row: &LinkText| -> Result<Link, String> {
        Ok(Link {
            from: port(&components, &row.from)?,
            to: port(&components, &row.to)?,
        })
    };
    let links = text.link.iter().map(link).collect::<Result<_, _>>()?;
    let receiver = |row: ReceiverText| -> Result<Receiver, String> {
        let port = components.iter().position(|c| c.name == row.port);
        Ok(Receiver {
            port: port
                .ok_or_else(|| format!("{}: there is no component {}", row.name, row.port))?,
            name: row.name,
            registers: row.registers,
            dma: row.dma,
            mark: row.mark.into(),
        })
    };
    let receivers = text.receiver.into_iter().map(receiver);
    let receivers = receivers.collect::<Result<_, _>>()?;
    Ok(Topology {
        name: text.name,
        status: text.status,
        rom: text.rom,
        components,
        links,
        clocks,
        receivers,
    })
}

fn clock(row: ClockText) -> Result<Clock, String> {
    if row.bit > 31 || !row.address.is_multiple_of(4) {
        return Err(format!("clock {}: no such bit of a word", row.name));
    }
    let has_fields = |rate: &Rate| {
        let bits = 1..=8;
        let is_inside = rate.divisor_bit < 32 && rate.divisor_bit + rate.divisor_bits <= 32;
        bits.contains(&rate.divisor_bits) && is_inside && rate.source & !rate.source_mask == 0
    };
    if !row.rate.iter().all(has_fields) {
        return Err(format!("clock {}: no such fields of a word", row.name));
    }
    Ok(Clock {
        rate: row.rate,
        name: row.name,
        register: row.register,
        address: row.address,
        bit: row.bit,
        advice: row.advice,
    })
}

fn component(row: &ComponentText, clocks: Result<Vec<Index>, String>) -> Result<Component, String> {
    let kind = ComponentKind::ALL
        .into_iter()
        .find(|kind| kind.name() == row.kind);
    let kind = kind.ok_or_else(|| format!("{}: there is no kind {}", row.name, row.kind))?;
    if !row.base.is_multiple_of(COMPONENT_BYTES) {
        return Err(format!(
            "{}: its base is not that of a page of 4 KiB",
            row.name
        ));
    }
    if row.cpu.is_some() && !kind.is_source() {
        return Err(format!("{}: only a source has a cpu", row.name));
    }
    Ok(Component {
        name: row.name.clone(),
        kind,
        base: row.base,
        clocks: clocks.map_err(|error| format!("{}: {error}", row.name))?,
        cpu: row.cpu,
        mark: row.mark.into(),
    })
}

/// The component and the number of a port such as `etf1:0`.
fn port(components: &[Component], text: &str) -> Result<(Index, usize), String> {
    let parts = text.split_once(':');
    let (name, port) = parts.ok_or_else(|| format!("{text} is not NAME:PORT"))?;
    let index = components.iter().position(|c| c.name == name);
    let index = index.ok_or_else(|| format!("{text}: there is no component {name}"))?;
    let port = port
        .parse()
        .map_err(|_| format!("{text}: {port} is no number"))?;
    Ok((index, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source, a funnel and a sink, and what else a test needs.
    fn with(rows: &str) -> Result<Topology, TopologyError> {
        let component = |name: &str, kind: &str, base: u64| {
            format!(
                "[[component]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase = {base}\nmark = \"I\"\n"
            )
        };
        let text = ["name = \"t\"\nstatus = \"not run\"\n".to_owned()]
            .into_iter()
            .chain([
                component("etm", "etm4", 0x1000),
                component("funnel", "funnel", 0x2000),
            ])
            .chain([
                component("etf", "etf", 0x4000),
                component("tpiu", "tpiu", 0x3000),
            ])
            .chain([rows.to_owned()])
            .collect::<String>();
        Topology::parse(&text)
    }

    fn link(from: &str, to: &str) -> String {
        format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\n")
    }

    #[test]
    fn what_does_not_fit_together_is_refused_by_name() {
        let good = link("etm:0", "funnel:3") + &link("funnel:0", "tpiu:0");
        assert!(with(&good).is_ok());
        for (rows, error) in [
            (link("etm:0", "funnel:8"), "funnel has no input 8"),
            (link("etm:1", "funnel:0"), "etm has no output 1"),
            (link("etm:0", "none:0"), "there is no component none"),
            (link("etm:0", "funnel"), "funnel is not NAME:PORT"),
            (link("etm:0", "funnel:0"), "etm reaches no sink"),
            (
                good.clone() + &link("etf:0", "funnel:3"),
                "more than one driver of input funnel:3",
            ),
            (
                good.clone() + &link("etm:0", "funnel:4"),
                "more than one link from output etm:0",
            ),
            (
                link("etm:0", "funnel:3") + &link("funnel:0", "etf:0") + &link("etf:0", "funnel:1"),
                "trace goes in a circle through funnel",
            ),
            (
                good.clone()
                    + "[[component]]\nname = \"x\"\nkind = \"tpiu\"\nbase = 0x1000\nmark = \"I\"\n",
                "more than one base 0x1000",
            ),
        ] {
            let found = with(&rows).expect_err(error).to_string();
            assert!(found.contains(error), "{found}, and not {error}");
        }
    }
}
