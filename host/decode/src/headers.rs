// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder knows of a packet from its header alone.

use std::sync::Arc;

use coretrace_etm::address::address_form;
use coretrace_etm::atom::ATOMS;
use coretrace_etm::packet::{cycle_count, elements};
use coretrace_etm::{AddressForm, Atoms, Config, Kind, Lead, Part, Parts, layout};

use crate::payload::{AddressMasks, Extent, FieldMasks};

/// How a packet is read: one bit. So which shape it has is a chain of branches, most of which go the
/// usual way, and not one jump to many places, which processors predict worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(u16);

impl Shape {
    /// It is the header alone: atoms.
    pub const ATOMS: Shape = Shape(1);
    /// It is the header alone, and changes no state.
    pub const ALONE: Shape = Shape(1 << 1);
    /// An address without a context.
    pub const ADDRESS: Shape = Shape(1 << 2);
    /// An address, and continuation field 1: a Q.
    pub const ADDRESS_AND_FIELD: Shape = Shape(1 << 3);
    /// An address, which may be missing, and a context.
    pub const ADDRESS_AND_CONTEXT: Shape = Shape(1 << 4);
    /// A byte or two, or one continuation field.
    pub const FIELD: Shape = Shape(1 << 5);
    /// Two continuation fields.
    pub const TWO_FIELDS: Shape = Shape(1 << 6);
    /// A timestamp.
    pub const TIMESTAMP: Shape = Shape(1 << 7);
    /// A timestamp, and continuation field 1.
    pub const TIMESTAMP_AND_FIELD: Shape = Shape(1 << 8);
    /// An A-Sync, a Discard or an Overflow.
    pub const EXTENSION: Shape = Shape(1 << 9);
    /// An exception of an ETE, which may be another kind of packet.
    pub const EXCEPTION: Shape = Shape(1 << 10);
    /// A Trace Info.
    pub const TRACE_INFO: Shape = Shape(1 << 11);
    /// By what the header table says.
    pub const OTHER: Shape = Shape(1 << 12);

    /// Whether it is this one.
    #[inline(always)]
    pub fn is(self, shape: Shape) -> bool {
        self.0 & shape.0 != 0
    }
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
    if row.kind == Kind::Async {
        return Shape::EXTENSION;
    }
    if !config.allows(row.gate) {
        return Shape::OTHER;
    }
    let [info, first, second] = [Part::Info, Part::Field0, Part::Field1].map(Parts::of);
    let two = first.with(Part::Field1);
    let has_address = address_form(header).is_some();
    match (row.lead, row.tail) {
        (Lead::None, Parts::NONE) if row.kind.is_atoms() => Shape::ATOMS,
        (Lead::None, Parts::NONE) if !has_address => Shape::ALONE,
        (Lead::Plctl, _) => Shape::TRACE_INFO,
        (Lead::Exception, _) if config.is_ete() => Shape::EXCEPTION,
        (Lead::Instrumentation, _) => Shape::OTHER,
        (Lead::Timestamp, Parts::NONE) => Shape::TIMESTAMP,
        (Lead::Timestamp, _) => Shape::TIMESTAMP_AND_FIELD,
        (_, Parts::NONE) if has_address => Shape::ADDRESS,
        (_, Parts::NONE) => Shape::FIELD,
        (_, tail) if tail == info => Shape::ADDRESS_AND_CONTEXT,
        (_, tail) if tail == second && has_address => Shape::ADDRESS_AND_FIELD,
        (Lead::None, tail) if tail == first || tail == second => Shape::FIELD,
        (Lead::None, tail) if tail == two => Shape::TWO_FIELDS,
        _ => Shape::OTHER,
    }
}
