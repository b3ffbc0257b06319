// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements back to the packets of a trace unit.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::{Item, Note};
use coretrace_etm::address::{AddressForm, address_lead};
use coretrace_etm::atom::ATOMS;
use coretrace_etm::header::HEADERS;

/// The header of an address of 64 bits of A64 or A32.
const ADDRESS: u8 = 0x9D;

/// Atoms of a packet.
#[derive(Clone, Copy, Debug)]
struct AtomHeader {
    header: u8,
    count: u32,
    /// The oldest atom in bit 0; 1 is E.
    pattern: u32,
}

/// Writes packets.
#[derive(Clone, Debug)]
pub struct ElementPackets {
    /// Atom packets, those of the most atoms first.
    headers: Vec<AtomHeader>,
    /// Atoms that are not written yet, as in a packet.
    count: u32,
    pattern: u32,
}

impl Default for ElementPackets {
    fn default() -> ElementPackets {
        ElementPackets::new()
    }
}

impl ElementPackets {
    /// In front of the first item.
    pub fn new() -> ElementPackets {
        let is_atoms = |header: &u8| HEADERS[usize::from(*header)].kind.is_atoms();
        let headers = (0..=u8::MAX).filter(is_atoms).map(|header| {
            let atoms = ATOMS[usize::from(header)];
            AtomHeader {
                header,
                count: atoms.count.into(),
                pattern: atoms.pattern(),
            }
        });
        let mut headers: Vec<AtomHeader> = headers.collect();
        headers.sort_by_key(|header| u32::MAX - header.count);
        ElementPackets {
            headers,
            count: 0,
            pattern: 0,
        }
    }

    /// Takes the next item; `sink` gets the bytes of packets.
    pub fn item(&mut self, item: &Item<Element>, mut sink: impl FnMut(&[u8])) {
        match item {
            Item::Event(element) => self.element(element, &mut sink),
            Item::Note {
                note: Note::Bytes(bytes),
                ..
            } => {
                self.flush(&mut sink);
                sink(bytes.as_slice());
            }
            Item::Note { .. } | Item::Rest { .. } => {}
        }
    }

    /// Writes all atoms.
    pub fn flush(&mut self, mut sink: impl FnMut(&[u8])) {
        while self.count > 0 {
            self.put_atoms(&mut sink);
        }
    }

    fn element(&mut self, element: &Element, sink: &mut impl FnMut(&[u8])) {
        self.pattern |= u32::from(element.taken) << self.count;
        self.count += 1;
        if let Some(address) = element.address {
            self.flush(&mut *sink);
            let (lead, length) = address_lead(AddressForm::Long64, false, address);
            sink(&[ADDRESS]);
            sink(&lead[..length.into()]);
        } else if self
            .headers
            .first()
            .is_none_or(|most| most.count == self.count)
        {
            self.put_atoms(sink);
        }
    }

    /// Writes the packet that takes the most of the oldest atoms.
    fn put_atoms(&mut self, sink: &mut impl FnMut(&[u8])) {
        let fits = |header: &&AtomHeader| {
            let mask = (1 << header.count) - 1;
            header.count <= self.count && self.pattern & mask == header.pattern
        };
        // There is a packet for either atom alone.
        let Some(packet) = self.headers.iter().find(fits) else {
            return self.count = 0;
        };
        sink(&[packet.header]);
        self.count -= packet.count;
        self.pattern >>= packet.count;
    }
}
