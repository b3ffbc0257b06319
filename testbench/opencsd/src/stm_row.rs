// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet of an STM as OpenCSD shows it, from either decoder.

use std::fmt;

use coretrace_stm::{Kind, Record};

use crate::StmPacket;

/// A packet or an error, with the trace state after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StmRow {
    /// Offset of its first byte that has no nibble of the packet before.
    pub offset: u64,
    /// OpenCSD's code of its kind, `ocsd_stm_pkt_type`.
    pub code: u8,
    /// Whether it is marked.
    pub is_marked: bool,
    /// Bits of its timestamp; none if it has no timestamp.
    pub stamp_bits: Option<u8>,
    /// The master.
    pub master: u8,
    /// The channel.
    pub channel: u16,
    /// The data that OpenCSD keeps: not those of masters and channels, which are in the state.
    pub value: u64,
    /// The latest timestamp.
    pub timestamp: u64,
}

impl StmRow {
    /// That of the model; none of what is no packet.
    #[inline(always)]
    pub fn of_record(record: &Record) -> Option<StmRow> {
        if matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
            return None;
        }
        let (packet, state) = (&record.packet, &record.state);
        let code = CODES[record.kind as usize];
        let has_value = VALUE_BITS[usize::from(code)] > 0;
        Some(StmRow {
            offset: record.offset.div_ceil(2),
            code,
            is_marked: packet.opcode.is_marked,
            stamp_bits: record.is_stamped().then_some(4 * packet.stamp.nibbles),
            master: state.master,
            channel: state.channel,
            value: if has_value { packet.data } else { 0 },
            timestamp: state.timestamp,
        })
    }

    /// That of OpenCSD; none of what is no packet.
    pub fn of_opencsd(offset: u32, packet: &StmPacket) -> Option<StmRow> {
        if NO_PACKETS.contains(&packet.kind) {
            return None;
        }
        let code = packet.kind as u8;
        Some(StmRow {
            offset: offset.into(),
            code,
            is_marked: packet.is_marked(),
            stamp_bits: packet.is_stamped().then_some(packet.timestamp_bits),
            master: packet.master,
            channel: packet.channel,
            value: packet.data(VALUE_BITS[usize::from(code)]),
            timestamp: packet.timestamp,
        })
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        [code(Kind::BadSequence), code(Kind::Reserved)].contains(&self.code)
    }
}

impl fmt::Display for StmRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Kind::ALL.iter().find(|kind| code(**kind) == self.code);
        let name = name.map_or("?", |kind| kind.name());
        let marker = if self.is_marked { " marked" } else { "" };
        write!(
            f,
            "{:>8} {name}{marker} {:#x} master {} channel {} timestamp {:#x}",
            self.offset, self.value, self.master, self.channel, self.timestamp
        )?;
        self.stamp_bits
            .map_or(Ok(()), |bits| write!(f, " of {bits} bits"))
    }
}

/// OpenCSD's code of each kind, `ocsd_stm_pkt_type`. A table, as it has the code itself.
const CODES: [u8; Kind::ALL.len()] = {
    let (mut codes, mut number) = ([0; Kind::ALL.len()], 0);
    while number < codes.len() {
        codes[number] = code(Kind::ALL[number]);
        number += 1;
    }
    codes
};

const fn code(kind: Kind) -> u8 {
    match kind {
        Kind::NotSync => 0,
        Kind::Incomplete => 1,
        Kind::Async => 3,
        Kind::Version => 4,
        Kind::Frequency => 5,
        Kind::Null => 6,
        Kind::Trigger => 7,
        Kind::GlobalError => 8,
        Kind::MasterError => 9,
        Kind::Master => 10,
        Kind::Channel8 => 11,
        Kind::Channel16 => 12,
        Kind::Flag => 13,
        Kind::Data4 => 14,
        Kind::Data8 => 15,
        Kind::Data16 => 16,
        Kind::Data32 => 17,
        Kind::Data64 => 18,
        Kind::BadSequence => 19,
        Kind::Reserved => 20,
    }
}

/// Bits of the value that OpenCSD keeps of each code. Masters and channels are in the state.
const VALUE_BITS: [u32; 21] = [
    0, 0, 0, 0, 8, 32, 0, 8, 8, 8, 0, 0, 0, 0, 8, 8, 16, 32, 64, 0, 0,
];

/// Codes of what is no packet.
const NO_PACKETS: [u32; 2] = [code(Kind::NotSync) as u32, code(Kind::Incomplete) as u32];
