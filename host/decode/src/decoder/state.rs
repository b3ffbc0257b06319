// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder knows between two packets: all that later records depend on.

use coretrace_etm::{Address, AddressRegisters, Context, Kind, Record};

use super::Decoder;

/// What a decoder knows between two packets. Decoders of one source and policy with equal states give
/// the same records from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderState {
    offset: u64,
    zeros: u8,
    threshold: u32,
    registers: AddressRegisters,
    opencsd_sf: bool,
    address: Address,
    timestamp: u64,
    context: Context,
    suspect: bool,
}

impl DecoderState {
    /// The offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Decoder {
    /// Whether the next byte is the header of a packet.
    #[inline]
    pub fn is_between_packets(&self) -> bool {
        self.synced && self.pending == 0 && self.parser.at_boundary()
    }

    /// What it knows; none inside a packet, or while it looks for an A-Sync.
    pub fn state(&self) -> Option<DecoderState> {
        self.is_between_packets().then_some(DecoderState {
            offset: self.offset,
            zeros: self.zeros,
            threshold: self.threshold,
            registers: self.registers,
            opencsd_sf: self.opencsd_sf,
            address: self.record.address,
            timestamp: self.record.timestamp,
            context: self.record.context,
            suspect: self.record.suspect,
        })
    }

    /// Goes on where another decoder of the same source and policy was.
    pub fn resume(&mut self, state: &DecoderState) {
        self.restart(state.offset);
        self.synced = true;
        self.zeros = state.zeros;
        self.threshold = state.threshold;
        self.registers = state.registers;
        self.opencsd_sf = state.opencsd_sf;
        self.record.address = state.address;
        self.record.timestamp = state.timestamp;
        self.record.context = state.context;
        self.record.suspect = state.suspect;
    }

    /// Forgets everything, and waits for an A-Sync in front of which there are so many bytes.
    pub fn restart(&mut self, offset: u64) {
        self.parser.reset();
        self.synced = false;
        self.zeros = 0;
        self.pending = 0;
        self.offset = offset;
        self.threshold = 0;
        self.registers = AddressRegisters::default();
        self.opencsd_sf = false;
        self.record = Record::blank(Kind::NotSync);
    }
}
