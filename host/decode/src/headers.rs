// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder knows of a packet from its header alone.

use std::sync::Arc;

use coretrace_etm::address::address_form;
use coretrace_etm::atom::ATOMS;
use coretrace_etm::packet::{cycle_count, elements};
use coretrace_etm::{ASYNC_END, AddressForm, Atoms, Config, Kind, Lead, Part, Parts, layout};

use crate::payload::{AddressMasks, Extent, FieldMasks};

/// How a packet is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is the header alone: atoms.
    Atoms,
    /// It is the header alone, and changes no state.
    Alone,
    /// An address without a context.
    Address,
    /// An address, and continuation field 1: a Q.
    AddressAndField,
    /// An address, which may be missing, and a context.
    AddressAndContext,
    /// A byte or two, or one continuation field.
    Field,
    /// Two continuation fields.
    TwoFields,
    /// A timestamp.
    Timestamp,
    /// A timestamp, and continuation field 1.
    TimestampAndField,
    /// It may be a part of an A-Sync.
    Extension,
    /// By what the header table says.
    Other,
}

/// A header under a configuration: two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub struct Header {
    /// The bytes behind it.
    pub extent: Extent,
    pub address: AddressMasks,
    pub fields: FieldMasks,
    pub shape: Shape,
    pub kind: Kind,
    pub atoms: Atoms,
    /// The atoms as bits, the oldest in bit 0.
    pub pattern: u32,
    /// The address register on which its address builds.
    pub register: u8,
    /// It is of an address packet.
    pub has_address: bool,
    /// Cycles besides the threshold and those in the payload, and all bits if the threshold counts.
    above: u32,
    threshold: u32,
    /// P0 elements that are committed or cancelled besides those in the payload.
    pub elements: u32,
}

const _: () = assert!(size_of::<Header>() == 128);

/// All headers under a configuration.
#[derive(Clone, Debug)]
pub struct Headers(Arc<[Header; 256]>);

impl Headers {
    /// Those of a source.
    pub fn new(config: &Config) -> Headers {
        let header = |header| Header::of(header as u8, config);
        Headers(Arc::new(std::array::from_fn(header)))
    }

    #[inline]
    pub fn get(&self, header: u8) -> &Header {
        &self.0[usize::from(header)]
    }
}

impl Header {
    fn of(header: u8, config: &Config) -> Header {
        let kind = layout(header, config).kind;
        let form = address_form(header).map(|(form, _)| form);
        let count = |threshold| cycle_count(kind, header, 0, 0, threshold).unwrap_or(0);
        Header {
            extent: Extent::of(header, config),
            address: AddressMasks::of(header),
            fields: FieldMasks::of(header, config),
            shape: shape(header, config),
            kind,
            atoms: ATOMS[usize::from(header)],
            pattern: ATOMS[usize::from(header)].pattern(),
            register: match form {
                Some(AddressForm::Match(register)) => register,
                _ => 0,
            },
            has_address: form.is_some(),
            above: count(0),
            threshold: if count(1) != count(0) { !0 } else { 0 },
            elements: elements(kind, header, 0, 0, config),
        }
    }

    /// Cycles besides those in the payload.
    #[inline]
    pub fn count(&self, threshold: u32) -> u32 {
        self.above.wrapping_add(threshold & self.threshold)
    }
}

fn shape(header: u8, config: &Config) -> Shape {
    let row = layout(header, config);
    if row.kind == Kind::Async || header == ASYNC_END {
        return Shape::Extension;
    }
    if !config.allows(row.gate) || config.is_ete() && row.lead == Lead::Exception {
        return Shape::Other;
    }
    let [info, first, second] = [Part::Info, Part::Field0, Part::Field1].map(Parts::of);
    let two = first.with(Part::Field1);
    let has_address = address_form(header).is_some();
    match (row.lead, row.tail) {
        (Lead::None, Parts::NONE) if row.kind.is_atoms() => Shape::Atoms,
        (Lead::None, Parts::NONE) if !has_address => Shape::Alone,
        (Lead::Plctl | Lead::Instrumentation, _) => Shape::Other,
        (Lead::Timestamp, Parts::NONE) => Shape::Timestamp,
        (Lead::Timestamp, _) => Shape::TimestampAndField,
        (_, Parts::NONE) if has_address => Shape::Address,
        (_, Parts::NONE) => Shape::Field,
        (_, tail) if tail == info => Shape::AddressAndContext,
        (_, tail) if tail == second && row.kind == Kind::Q => Shape::AddressAndField,
        (Lead::None, tail) if tail == first || tail == second => Shape::Field,
        (Lead::None, tail) if tail == two => Shape::TwoFields,
        _ => Shape::Other,
    }
}
