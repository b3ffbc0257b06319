// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets in the shortest form that the state of the stream allows: what the trace unit has sent
//! decides how much of an address or a time it sends next.

use super::atom_packets::AtomPackets;
use coretrace_etm::address::address_lead;
use coretrace_etm::{
    Address, AddressForm, AddressRegisters, Config, Kind, Packet, Part, Parts, emit,
};

/// The context of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreContext {
    /// Exception level, 0 to 3.
    pub el: u8,
    /// It executes A64.
    pub is_a64: bool,
    /// VMID, where it is traced.
    pub vmid: Option<u32>,
    /// Context ID, where it is traced.
    pub cid: Option<u32>,
}

impl CoreContext {
    /// The context information byte. The core is always non-secure.
    fn info(self) -> u8 {
        let flag = |is: bool, bit: u8| u8::from(is) << bit;
        self.el & 3
            | flag(self.is_a64, 4)
            | flag(true, 5)
            | flag(self.vmid.is_some(), 6)
            | flag(self.cid.is_some(), 7)
    }
}

/// The stream so far, and what a decoder knows from it.
#[derive(Clone, Debug)]
pub struct Encoder {
    config: Config,
    bytes: Vec<u8>,
    atoms: AtomPackets,
    addresses: AddressRegisters,
    /// The newest timestamp since the last Trace Info.
    timestamp: Option<u64>,
}

impl Encoder {
    pub fn new(config: Config) -> Encoder {
        Encoder {
            config,
            bytes: Vec::new(),
            atoms: AtomPackets::default(),
            addresses: AddressRegisters::default(),
            timestamp: None,
        }
    }

    /// Bytes so far, without the atoms that wait for their packet.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// All bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }

    fn emit(&mut self, packet: &Packet) {
        self.bytes.extend(emit(packet, &self.config).as_slice());
    }

    fn flush(&mut self) {
        while let Some(packet) = self.atoms.pop() {
            self.emit(&packet);
        }
    }

    /// A packet, behind all atoms that came before it.
    pub fn packet(&mut self, packet: &Packet) {
        self.flush();
        self.emit(packet);
    }

    /// A packet of a header alone.
    pub fn header(&mut self, kind: Kind, header: u8) {
        self.packet(&Packet::new(kind, header));
    }

    /// A packet of a header and continuation fields.
    pub fn fields(&mut self, kind: Kind, header: u8, fields: &[(Part, u32)]) {
        let mut packet = Packet::new(kind, header);
        for &(part, value) in fields {
            packet.tail = packet.tail.with(part);
            if let Some(index) = part.field_index() {
                packet.fields[index] = value;
            }
        }
        self.packet(&packet);
    }

    /// An atom.
    pub fn atom(&mut self, taken: bool) {
        if let Some(packet) = self.atoms.push(taken) {
            self.emit(&packet);
        }
    }

    /// A-Sync and Trace Info. `speculative`: P0 elements that are not committed.
    pub fn synchronize(&mut self, cycle_threshold: Option<u32>, speculative: u32) {
        self.flush();
        self.emit(&Packet::new(Kind::Async, 0));
        let mut packet = Packet::new(Kind::TraceInfo, 0x01);
        packet.tail = Parts::of(Part::Field0);
        if speculative > 0 {
            packet.tail = packet.tail.with(Part::Field2);
            packet.fields[2] = speculative;
        }
        if let Some(threshold) = cycle_threshold {
            packet.fields[0] = 1;
            packet.tail = packet.tail.with(Part::Field3);
            packet.fields[3] = threshold;
        }
        self.emit(&packet);
        self.addresses = AddressRegisters::default();
        self.timestamp = None;
    }

    /// An address.
    pub fn address(&mut self, value: u64) {
        let address = Address { value, is1: false };
        let known = (0..3).position(|index| self.addresses.get(index) == address);
        let changed = value ^ self.addresses.newest().value;
        let packet = match known {
            Some(index) => Packet::new(Kind::AddrMatch, 0x90 + index as u8),
            None if changed >> 17 == 0 => short(value, changed >> 9 != 0),
            None if changed >> 32 == 0 => {
                long(Kind::AddrLong32Is0, 0x9A, AddressForm::Long32, value)
            }
            None => long(Kind::AddrLong64Is0, 0x9D, AddressForm::Long64, value),
        };
        self.addresses.push(address);
        self.packet(&packet);
    }

    /// An address with a context: 64 bits in A64, 32 bits in A32 if the upper half is known.
    pub fn address_with_context(&mut self, value: u64, context: CoreContext) {
        let changed = value ^ self.addresses.newest().value;
        let mut packet = if context.is_a64 || changed >> 32 != 0 {
            long(Kind::AddrCtxt64Is0, 0x85, AddressForm::Long64, value)
        } else {
            long(Kind::AddrCtxt32Is0, 0x82, AddressForm::Long32, value)
        };
        packet.info = context.info();
        packet.tail = Parts::of(Part::Info);
        packet.tail.0 |= Parts::of_info(packet.info, &self.config).0;
        packet.vmid = context.vmid.unwrap_or(0);
        packet.cid = context.cid.unwrap_or(0);
        self.addresses.push(Address { value, is1: false });
        self.packet(&packet);
    }

    /// An exception and its preferred return address, which is also the target of the branch in
    /// front of it if there was no address for that one.
    pub fn exception(&mut self, number: u8, return_address: u64, is_target: bool) {
        let mut packet = Packet::new(Kind::Exception, 0x06);
        let interpretation = if is_target { 0x40 } else { 0x01 };
        packet.lead[0] = interpretation | number << 1 & 0x3E;
        packet.lead_len = 1;
        self.packet(&packet);
        self.address(return_address);
    }

    /// A timestamp; `cycles` since the last cycle count, where they are counted.
    pub fn timestamp(&mut self, timestamp: u64, cycles: Option<u32>) {
        let mut packet = Packet::new(Kind::Timestamp, 0x02);
        let changed = timestamp ^ self.timestamp.unwrap_or(0);
        let bits = 64 - changed.leading_zeros();
        packet.lead_len = bits.div_ceil(7).clamp(1, 9) as u8;
        for (byte, shift) in packet.lead.iter_mut().zip((0..63).step_by(7)) {
            *byte = (timestamp >> shift) as u8 | 0x80;
        }
        match packet.lead_len {
            9 => packet.lead[8] = (timestamp >> 56) as u8,
            len => packet.lead[usize::from(len) - 1] &= 0x7F,
        }
        for unused in &mut packet.lead[usize::from(packet.lead_len)..] {
            *unused = 0;
        }
        if let Some(cycles) = cycles {
            packet.header = 0x03;
            packet.tail = Parts::of(Part::Field1);
            packet.fields[1] = cycles;
        }
        self.timestamp = Some(timestamp);
        self.packet(&packet);
    }
}

fn short(value: u64, has_two_bytes: bool) -> Packet {
    let mut packet = Packet::new(Kind::AddrShortIs0, 0x95);
    packet.lead[0] = (value >> 2) as u8 & 0x7F;
    packet.lead_len = 1;
    if has_two_bytes {
        packet.lead[0] |= 0x80;
        packet.lead[1] = (value >> 9) as u8;
        packet.lead_len = 2;
    }
    packet
}

fn long(kind: Kind, header: u8, form: AddressForm, value: u64) -> Packet {
    let mut packet = Packet::new(kind, header);
    (packet.lead, packet.lead_len) = address_lead(form, false, value);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RegisterSet;
    use coretrace_decode::{Decoder, Policy};
    use rand::RngExt;
    use rand::seq::IndexedRandom;

    #[test]
    fn addresses_and_times_are_read_back_in_any_order() {
        let config = RegisterSet::ALL[0].config();
        for seed in 0..100 {
            let mut rng = crate::rng(seed);
            let mut encoder = Encoder::new(config);
            encoder.synchronize(None, 0);
            let mut want = Vec::new();
            let pages: [u64; 5] = [
                0,
                0x40_0000,
                0x41_0000,
                0x7F_0040_0000,
                0xFFFF_0000_0808_0000,
            ];
            let mut time = rng.random::<u64>() >> rng.random_range(0..64);
            for _ in 0..200 {
                let page = *pages.choose(&mut rng).expect("a page");
                let address = page | rng.random_range(0..0x2000) << 2;
                if rng.random() {
                    encoder.address(address);
                    want.push(address);
                } else {
                    time = time.wrapping_add(rng.random::<u64>() >> rng.random_range(1..64));
                    encoder.timestamp(time, None);
                    want.push(time);
                }
            }
            let mut got = Vec::new();
            let mut decoder = Decoder::new(config, Policy::Resync);
            decoder.feed(&encoder.finish(), |record| match record.kind {
                Kind::Async | Kind::TraceInfo => {}
                Kind::Timestamp => got.push(record.timestamp),
                _ => got.push(record.address.value),
            });
            assert_eq!(got, want, "seed {seed}");
        }
    }
}
