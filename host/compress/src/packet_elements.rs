// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packets of a trace unit as elements, without an image.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::{Item, MOST_BYTES, Note, SHORT_BYTES, StreamBytes};
use coretrace_etm::Record;

/// Addresses that an element can have: those of A64 and A32.
const ALIGNMENT: u64 = 4;

/// Gives what XE takes: atoms, and the address behind an E atom. All other packets are bytes.
///
/// The packets come back in their order with the same meaning; atoms may be packed in another way, and
/// addresses are written in full.
#[derive(Clone, Debug)]
pub struct PacketElements {
    /// The newest atom is an E, and its address may follow.
    has_open: bool,
    /// Bytes of packets that are no elements.
    bytes: Vec<u8>,
    /// How many of them a note has.
    most: usize,
}

impl Default for PacketElements {
    fn default() -> PacketElements {
        PacketElements::new()
    }
}

impl PacketElements {
    /// In front of the first record.
    pub fn new() -> PacketElements {
        PacketElements::with(MOST_BYTES)
    }

    /// The same with short notes, as cores make them.
    pub fn short() -> PacketElements {
        PacketElements::with(SHORT_BYTES)
    }

    fn with(most: usize) -> PacketElements {
        PacketElements {
            has_open: false,
            bytes: Vec::new(),
            most,
        }
    }

    /// Takes the next record of a source, and its bytes.
    pub fn record(&mut self, record: &Record, raw: &[u8], mut sink: impl FnMut(Item<Element>)) {
        if record.kind.is_atoms() {
            for taken in record.atoms.iter() {
                self.flush(&mut sink);
                self.has_open = taken;
                if !taken {
                    sink(element(false, None));
                }
            }
            return;
        }
        let address = record.address;
        let has_address = record.kind.is_address() && !address.is1;
        if self.has_open && has_address && address.value.is_multiple_of(ALIGNMENT) {
            self.has_open = false;
            sink(element(true, Some(address.value)));
            return;
        }
        self.put_open(&mut sink);
        self.bytes.extend_from_slice(raw);
    }

    /// The trace ends.
    pub fn finish(mut self, mut sink: impl FnMut(Item<Element>)) {
        self.flush(&mut sink);
    }

    fn flush(&mut self, sink: &mut impl FnMut(Item<Element>)) {
        self.put_open(sink);
        for bytes in self.bytes.chunks(self.most) {
            let note = StreamBytes::new(bytes).map(Note::Bytes);
            let item = note.map(|note| Item::Note {
                instructions: 0,
                note,
            });
            item.into_iter().for_each(&mut *sink);
        }
        self.bytes.clear();
    }

    /// No address follows the newest atom.
    fn put_open(&mut self, sink: &mut impl FnMut(Item<Element>)) {
        if std::mem::take(&mut self.has_open) {
            sink(element(true, None));
        }
    }
}

fn element(taken: bool, address: Option<u64>) -> Item<Element> {
    Item::Event(Element { taken, address })
}
