// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder knows of a packet from its header alone.

use coretrace_etm::address::address_form;
use coretrace_etm::atom::ATOMS;
use coretrace_etm::packet::{cycle_count, elements};
use coretrace_etm::{ASYNC_END, AddressForm, Atoms, Config, Kind, Lead, Part, Parts, layout};

/// How a packet is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is the header alone: atoms.
    Atoms,
    /// It is the header alone, and changes no state.
    Alone,
    /// An address without a context, and its IS bit.
    Address(AddressForm, bool),
    /// Continuation fields: whether there are a first and a second one.
    Fields(bool, bool),
    /// By what the header table says.
    Other,
    /// Byte by byte: it may be a part of an A-Sync.
    Async,
}

/// A header under a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub shape: Shape,
    pub kind: Kind,
    pub atoms: Atoms,
    /// The atoms as bits, the oldest in bit 0.
    pub pattern: u32,
    /// Of a header alone: cycles besides the threshold, and whether the threshold counts.
    above: u32,
    threshold: u32,
    /// Of a header alone: P0 elements that are committed or cancelled.
    pub elements: u32,
}

/// All headers under a configuration.
#[derive(Clone, Debug)]
pub struct Headers(Box<[Header; 256]>);

impl Headers {
    /// Those of a source.
    pub fn new(config: &Config) -> Headers {
        let mut all = Box::new([Header::of(0, config); 256]);
        for (header, row) in (0..=u8::MAX).zip(all.iter_mut()) {
            *row = Header::of(header, config);
        }
        Headers(all)
    }

    #[inline]
    pub fn get(&self, header: u8) -> Header {
        self.0[usize::from(header)]
    }
}

impl Header {
    fn of(header: u8, config: &Config) -> Header {
        let shape = shape(header, config);
        let kind = layout(header, config).kind;
        let mut row = Header {
            shape,
            kind,
            atoms: ATOMS[usize::from(header)],
            pattern: ATOMS[usize::from(header)].pattern(),
            above: 0,
            threshold: 0,
            elements: 0,
        };
        if shape == Shape::Alone {
            let count = |threshold| cycle_count(kind, header, 0, 0, threshold).unwrap_or(0);
            row.above = count(0);
            row.threshold = count(1).wrapping_sub(row.above);
            row.elements = elements(kind, header, 0, 0, config);
        }
        row
    }

    /// Of a header alone: cycles.
    #[inline]
    pub fn count(&self, threshold: u32) -> u32 {
        self.above
            .wrapping_add(threshold.wrapping_mul(self.threshold))
    }
}

fn shape(header: u8, config: &Config) -> Shape {
    let row = layout(header, config);
    if row.kind == Kind::Async || header == ASYNC_END {
        return Shape::Async;
    }
    let [first, second] = [Part::Field0, Part::Field1].map(Parts::of);
    let has = |part: Parts| row.tail.0 & part.0 != 0;
    if !config.allows(row.gate) {
        return Shape::Other;
    }
    match (row.lead, row.tail, address_form(header)) {
        (_, Parts::NONE, Some((form, is1))) => Shape::Address(form, is1),
        (Lead::None, Parts::NONE, None) if row.kind.is_atoms() => Shape::Atoms,
        (Lead::None, Parts::NONE, None) => Shape::Alone,
        (Lead::None, tail, None) if tail.0 & !(first.0 | second.0) == 0 => {
            Shape::Fields(has(first), has(second))
        }
        _ => Shape::Other,
    }
}

/// The number of bytes of an address.
#[inline]
pub fn address_len(form: AddressForm, first: u8) -> u8 {
    match form {
        AddressForm::Match(_) | AddressForm::Zero => 0,
        AddressForm::Short => 1 + (first >> 7),
        AddressForm::Long32 => 4,
        AddressForm::Long64 => 8,
    }
}
