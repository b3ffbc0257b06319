// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of every packet, folded into one number, by both decoders.

use coretrace_decode::PacketSink;
use coretrace_etm::address::address_form;
use coretrace_etm::atom::atoms;
use coretrace_etm::{Config, Kind, Part, Record, layout};
use coretrace_test_opencsd::{Monitor, Packet};

/// Which fields a packet has besides its place and its atoms, one bit each.
const ADDRESS: u8 = 1;
const TIMESTAMP: u8 = 2;
const CONTEXT: u8 = 4;
const COUNT: u8 = 8;
const ATOMS: u8 = 16;

fn fields(header: u8, config: &Config) -> u8 {
    let row = layout(header, config);
    if !config.allows(row.gate) {
        return 0;
    }
    let bit = |condition, bit| if condition { bit } else { 0 };
    let counts = matches!(
        row.kind,
        Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3
    );
    let has_atoms = atoms(header).count > 0 && row.kind != Kind::UnnumDataSync;
    bit(address_form(header).is_some(), ADDRESS)
        | bit(row.kind == Kind::Timestamp, TIMESTAMP)
        | bit(row.tail.contains(Part::Info), CONTEXT)
        | bit(counts || header == 0x03, COUNT)
        | bit(has_atoms, ATOMS)
}

/// What a decoder says of a packet.
trait Fields {
    fn atoms(&self) -> (u32, u8);
    fn address(&self) -> u64;
    fn timestamp(&self) -> u64;
    /// Level and states, then context ID and VMID.
    fn context(&self) -> (u64, u64);
    /// Cycles. Not the P0 elements that are committed: OpenCSD 1.3.3 reads those of format 2 from
    /// the wrong bits.
    fn count(&self) -> u32;
}

/// All bits of the fields that a packet has.
#[derive(Clone, Copy)]
struct Masks {
    atoms: u64,
    address: u64,
    count: u64,
    timestamp: u64,
    context: u64,
}

impl Masks {
    fn of(fields: u8) -> Masks {
        let has = |field| u64::from(fields & field != 0).wrapping_neg();
        Masks {
            atoms: has(ATOMS),
            address: has(ADDRESS),
            count: has(COUNT),
            timestamp: has(TIMESTAMP),
            context: has(CONTEXT),
        }
    }
}

/// The digest of one stream.
#[derive(Clone)]
pub struct Digest {
    fields: Box<[Masks; 256]>,
    pub value: u64,
}

/// OpenCSD's codes of unsynchronised bytes and of a packet that the trace's end cuts off.
const NOT_SYNC: u32 = 0x200;
const INCOMPLETE: u32 = 0x201;

impl Digest {
    pub fn new(config: &Config) -> Digest {
        let masks = |header| Masks::of(fields(header as u8, config));
        Digest {
            fields: Box::new(std::array::from_fn(masks)),
            value: 0,
        }
    }

    /// Starts again.
    pub fn clear(&mut self) {
        self.value = 0;
    }

    /// Folds a packet in. Which fields it has is no branch: random packets would make it a wrong one.
    #[inline(always)]
    fn fold(&mut self, offset: u64, header: u8, packet: &impl Fields) {
        let has = self.fields[usize::from(header)];
        let mut all = of_atoms(packet.atoms()) & has.atoms
            ^ of_address(packet.address()) & has.address
            ^ of_count(packet.count()) & has.count;
        if has.timestamp | has.context != 0 {
            let (flags, ids) = packet.context();
            all ^= packet.timestamp().rotate_left(32) & has.timestamp
                ^ (flags.rotate_left(56) ^ ids) & has.context;
        }
        self.add(offset, header, all);
    }

    #[inline]
    fn add(&mut self, offset: u64, header: u8, fields: u64) {
        let place = offset << 8 | u64::from(header);
        let all = (fields ^ place.rotate_left(24)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // A sum, in which the offset gives every packet its place: the decoders wait for nothing.
        self.value = self.value.wrapping_add(all ^ all >> 32);
    }
}

impl PacketSink for Digest {
    fn record(&mut self, record: &Record) {
        if !matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
            self.fold(record.offset, record.header, record);
        }
    }

    #[inline(always)]
    fn plain(&mut self, record: &Record) {
        self.fold(record.offset, record.header, record);
    }

    #[inline(always)]
    fn alone(&mut self, record: &Record, pattern: u32) {
        let has = self.fields[usize::from(record.header)];
        let atoms = of_atoms((pattern, record.atoms.count)) & has.atoms;
        let all = atoms ^ of_count(record.count) & has.count;
        self.add(record.offset, record.header, all);
    }

    #[inline(always)]
    fn atoms(&mut self, record: &Record, pattern: u32) {
        let all = of_atoms((pattern, record.atoms.count));
        self.add(record.offset, record.header, all);
    }

    #[inline(always)]
    fn address(&mut self, record: &Record) {
        let all = of_address(Fields::address(record));
        self.add(record.offset, record.header, all);
    }

    #[inline(always)]
    fn fields(&mut self, record: &Record) {
        let has = self.fields[usize::from(record.header)];
        let all = of_count(record.count) & has.count;
        self.add(record.offset, record.header, all);
    }
}

#[inline]
fn of_address(address: u64) -> u64 {
    address.rotate_left(16)
}

#[inline]
fn of_count(count: u32) -> u64 {
    u64::from(count).rotate_left(40)
}

#[inline]
fn of_atoms((pattern, count): (u32, u8)) -> u64 {
    u64::from(pattern) | u64::from(count) << 32
}

impl Fields for Record {
    fn atoms(&self) -> (u32, u8) {
        (self.atoms.pattern(), self.atoms.count)
    }

    fn address(&self) -> u64 {
        self.address.with_is1()
    }

    fn timestamp(&self) -> u64 {
        self.timestamp
    }

    fn context(&self) -> (u64, u64) {
        let context = &self.context;
        let ids = ids(
            context.announces_cid().then_some(context.cid),
            context.announces_vmid().then_some(context.vmid),
        );
        let (el, sf) = (context.el().into(), context.sf());
        (flags(el, sf, context.ns(), context.nse()), ids)
    }

    fn count(&self) -> u32 {
        self.count
    }
}

impl Fields for Packet {
    fn atoms(&self) -> (u32, u8) {
        (self.atoms.bits, self.atoms.count)
    }

    fn address(&self) -> u64 {
        self.address.value & !1 | u64::from(self.address_is)
    }

    fn timestamp(&self) -> u64 {
        Packet::timestamp(self).unwrap_or(0)
    }

    fn context(&self) -> (u64, u64) {
        let context = &self.context;
        let ids = ids(
            context.has_cid().then_some(context.cid),
            context.has_vmid().then_some(context.vmid),
        );
        (
            flags(context.el(), context.sf(), context.ns(), context.nse()),
            ids,
        )
    }

    fn count(&self) -> u32 {
        self.cycle_count().unwrap_or(0)
    }
}

impl Monitor for Digest {
    fn packet(&mut self, offset: u32, bytes: &[u8], packet: &Packet) {
        if !matches!(packet.kind, NOT_SYNC | INCOMPLETE) {
            self.fold(offset.into(), bytes[0], packet);
        }
    }
}

fn ids(cid: Option<u32>, vmid: Option<u32>) -> u64 {
    u64::from(cid.unwrap_or(0)) | u64::from(vmid.unwrap_or(0)) << 32
}

fn flags(el: u32, sf: bool, ns: bool, nse: bool) -> u64 {
    u64::from(el) | u64::from(sf) << 2 | u64::from(ns) << 3 | u64::from(nse) << 4
}
