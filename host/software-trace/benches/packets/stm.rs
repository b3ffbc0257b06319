// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of every packet of an STM, by both decoders.

use anyhow::Result;
use coretrace_decode::Policy;
use coretrace_software_trace::StmDecoder;
use coretrace_stm::{Kind, Record};
use coretrace_test_opencsd::{OpenCsd, StmMonitor, StmPacket, StmProcessor};

use crate::digest::Digest;
use crate::{Decode, Decoded};

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

/// What a packet is, besides its value and its timestamp: code, mark, bits of the timestamp, master, channel.
#[inline(always)]
fn head(code: u8, is_marked: bool, stamp: Option<u8>, master: u8, channel: u16) -> u64 {
    u64::from(code)
        | u64::from(is_marked) << 8
        | u64::from(stamp.map_or(0xFF, |bits| bits)) << 16
        | u64::from(master) << 24
        | u64::from(channel) << 32
}

/// Decodes a stream with the model, as OpenCSD.
pub fn model(bytes: &[u8]) -> Decoded {
    let mut digest = Digest::default();
    let mut sink = |record: &Record| {
        if matches!(record.kind, Kind::NotSync | Kind::Incomplete) {
            return;
        }
        let (packet, state) = (&record.packet, &record.state);
        let code = CODES[record.kind as usize];
        let stamp = record.is_stamped().then_some(4 * packet.stamp.nibbles);
        let is_value = VALUE_BITS[usize::from(code)] > 0;
        let value = if is_value { packet.data } else { 0 };
        let head = head(
            code,
            packet.opcode.is_marked,
            stamp,
            state.master,
            state.channel,
        );
        digest.fold([head, value, state.timestamp, record.offset.div_ceil(2)]);
    };
    let mut decoder = StmDecoder::new(Policy::OpenCsd);
    decoder.feed(bytes, &mut sink);
    decoder.finish(sink);
    (digest.packets, digest.value)
}

impl StmMonitor for Digest {
    fn packet(&mut self, offset: u32, packet: &StmPacket) {
        if NO_PACKETS.contains(&packet.kind) {
            return;
        }
        let stamp = packet.is_stamped().then_some(packet.timestamp_bits);
        let code = packet.kind as u8;
        let value = packet.data(VALUE_BITS[usize::from(code)]);
        let head = head(
            code,
            packet.is_marked(),
            stamp,
            packet.master,
            packet.channel,
        );
        self.fold([head, value, packet.timestamp, offset.into()]);
    }
}

/// OpenCSD's decoder.
pub fn opencsd(library: OpenCsd) -> Result<Decode> {
    let mut processor = StmProcessor::new(library, Digest::default())?;
    Ok(Box::new(move |bytes| {
        *processor.monitor() = Digest::default();
        processor.run(bytes)?;
        let digest = *processor.monitor();
        Ok((digest.packets, digest.value))
    }))
}
