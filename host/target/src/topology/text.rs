// SPDX-License-Identifier: MIT OR Apache-2.0
//! A topology as the text in TOML that it is read from.

use std::fmt::Write;

use super::{Clock, Component, Index, Link, Receiver, Topology};

impl Topology {
    /// The text that [`Topology::parse`] reads as this topology.
    pub fn toml(&self) -> String {
        let (name, status) = (quoted(&self.name), quoted(&self.status));
        let mut text = format!("name = {name}\nstatus = {status}\n");
        text.extend(self.rom.map(|rom| format!("rom = {rom:#X}\n")));
        text.extend(self.clocks.iter().map(clock));
        text.extend(self.components.iter().map(|of| self.component(of)));
        text.extend(self.links.iter().map(|of| self.link(of)));
        text.extend(self.receivers.iter().map(|of| self.receiver_text(of)));
        text
    }

    fn name_of(&self, component: Index) -> &str {
        &self.components[component].name
    }

    fn component(&self, of: &Component) -> String {
        let mut text = format!(
            "\n[[component]]\nname = {}\nkind = \"{}\"\nbase = {:#X}\nmark = \"{:?}\"\n",
            quoted(&of.name),
            of.kind.name(),
            of.base,
            of.mark
        );
        if !of.clocks.is_empty() {
            let names = of
                .clocks
                .iter()
                .map(|&clock| quoted(&self.clocks[clock].name));
            let names: Vec<String> = names.collect();
            // A String takes everything.
            let _ = writeln!(text, "clocks = [{}]", names.join(", "));
        }
        text.extend(of.cpu.map(|cpu| format!("cpu = {cpu}\n")));
        text
    }

    fn link(&self, of: &Link) -> String {
        let end = |(component, port): (Index, usize)| {
            quoted(&format!("{}:{port}", self.name_of(component)))
        };
        format!("\n[[link]]\nfrom = {}\nto = {}\n", end(of.from), end(of.to))
    }

    fn receiver_text(&self, of: &Receiver) -> String {
        format!(
            "\n[[receiver]]\nname = {}\nport = {}\nregisters = {:#X}\ndma = {:#X}\nmark = \"{:?}\"\n",
            quoted(&of.name),
            quoted(self.name_of(of.port)),
            of.registers,
            of.dma,
            of.mark
        )
    }
}

fn clock(of: &Clock) -> String {
    let mut text = format!(
        "\n[[clock]]\nname = {}\nregister = {}\naddress = {:#X}\nbit = {}\nadvice = {}\n",
        quoted(&of.name),
        quoted(&of.register),
        of.address,
        of.bit,
        quoted(&of.advice)
    );
    text.extend(of.rate.map(|rate| {
        format!(
            "rate = {{ source_mhz = {}, source_mask = {:#x}, source = {}, divisor_bit = {}, divisor_bits = {} }}\n",
            rate.source_mhz, rate.source_mask, rate.source, rate.divisor_bit, rate.divisor_bits
        )
    }));
    text
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::PRESETS;

    #[test]
    fn every_preset_is_written_as_it_is_read() {
        for preset in PRESETS {
            let topology = preset.topology().expect(preset.name);
            assert_eq!(
                Topology::parse(&topology.toml()),
                Ok(topology),
                "{}",
                preset.name
            );
        }
    }
}
