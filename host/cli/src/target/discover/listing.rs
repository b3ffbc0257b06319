// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found on a chip, and what it is in a topology, as text and JSON.

use coretrace_coresight::map::common::claimset;
use coretrace_target::topology::{Component, Topology};
use coretrace_target::{Found, Place, What, joined};

/// What was found, and what it is in a topology.
pub struct Listing<'a> {
    /// The topology.
    pub topology: &'a Topology,
    /// What was found.
    pub found: &'a [Found],
    /// The place of each component.
    pub places: &'a [Place],
    /// The driver of Linux that has the registers at an address.
    pub driver: &'a dyn Fn(u64) -> Option<String>,
}

/// Who has set claim tags. Source: Arm IHI 0029, claim tags.
fn holders(claims: u32) -> impl Iterator<Item = &'static str> {
    let others = !(claimset::EXTERNAL.mask() | claimset::SELF_HOSTED.mask());
    let holders = [
        (claimset::EXTERNAL.mask(), "an external debugger"),
        (claimset::SELF_HOSTED.mask(), "software on the chip"),
        (others, "another agent"),
    ];
    let is_set = move |(mask, _): &(u32, &str)| claims & mask != 0;
    holders.into_iter().filter(is_set).map(|(_, holder)| holder)
}

impl Listing<'_> {
    /// The name that the topology has for what was found.
    fn name(&self, found: &Found) -> Option<&str> {
        let component = joined(self.topology, self.places, found.base)?;
        Some(&self.topology.components[component].name)
    }

    /// What something is, in a word or with its registers.
    fn what(&self, what: What) -> String {
        match what {
            What::Table => "table".to_owned(),
            What::Kind(kind) => kind.name().to_owned(),
            What::Other(devtype, devarch) => format!("DEVTYPE={devtype:02X} DEVARCH={devarch:08X}"),
            What::Class(class) => format!("class {class:X}"),
            What::Nothing => "nothing".to_owned(),
            What::Unread => "not of the topology".to_owned(),
            What::Off(clock) => format!("{} is off", self.topology.clocks[clock].register),
        }
    }

    /// Where a component of the topology is, if not where it is to be.
    fn elsewhere(&self, place: Place) -> Option<String> {
        match place {
            Place::Same | Place::Off(_) => None,
            Place::Moved(base) => Some(format!("it is at {base:010X}")),
            Place::Other(what) => Some(self.what(what)),
        }
    }

    /// A line for each, and for each component of the topology that is not as it is to be.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, found) in self.found.iter().enumerate() {
            let indent = "  ".repeat(found.depth);
            let (what, of) = (self.what(found.what), self.name(found).unwrap_or("-"));
            text += &format!(
                "{indent}{:010X} {:04X} {what:<12} {of}",
                found.base, found.part
            );
            if found.depth == 0 && number > 0 {
                text += " (no table has it)";
            }
            if found.is_locked {
                text += " locked";
            }
            if found.claims != 0 {
                text += &format!(" claims={:X}", found.claims);
            }
            text.extend(holders(found.claims).map(|holder| format!(" ({holder})")));
            text.extend((self.driver)(found.base).map(|driver| format!(" driver={driver}")));
            text.push('\n');
        }
        for (component, place) in self.topology.components.iter().zip(self.places) {
            if let Some(why) = self.elsewhere(*place) {
                let Component {
                    base, name, kind, ..
                } = component;
                let kind = kind.name();
                text += &format!("{base:010X} {name} is to be a {kind}: {why}\n");
            }
        }
        text
    }

    /// An object for each, and for each component of the topology.
    pub fn json(&self) -> String {
        let found = self.found.iter().map(|found| {
            serde_json::json!({
                "schema": "etm4.target-found.1",
                "base": found.base,
                "depth": found.depth,
                "part": found.part,
                "what": self.what(found.what),
                "name": self.name(found),
                "locked": found.is_locked,
                "claims": found.claims,
                "holders": holders(found.claims).collect::<Vec<_>>(),
                "driver": (self.driver)(found.base),
            })
        });
        let components = self.topology.components.iter().zip(self.places);
        let joined = components.map(|(component, place)| {
            let (name, base) = match place {
                Place::Same => ("same", Some(component.base)),
                Place::Moved(base) => ("moved", Some(*base)),
                Place::Other(_) => ("other", None),
                Place::Off(_) => ("off", None),
            };
            serde_json::json!({
                "schema": "etm4.target-joined.1",
                "name": component.name,
                "kind": component.kind.name(),
                "base": component.base,
                "place": name,
                "found": base,
            })
        });
        found
            .chain(joined)
            .map(|line| format!("{line}\n"))
            .collect()
    }
}
