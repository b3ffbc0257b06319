// SPDX-License-Identifier: MIT OR Apache-2.0
//! `alchitry_cu`: a self-test of the one-byte decoder for the Alchitry Cu board (iCE40HX8K).
//!
//! A trace in block RAM is decoded over and over, and a signature over its records is compared
//! with the one that it has to have. No probe and no wiring are needed.
//!
//! | port | pin | meaning |
//! |---|---|---|
//! | `clock` | P7 | the board's clock |
//! | `leds[0]` | J11 | an A-Sync was found |
//! | `leds[1]` | K11 | the last pass had the right signature |
//! | `leds[2]` | K12 | some pass had a wrong one, or an error; stays on |
//! | `leds[7:3]` | K14 to N14 | passes, in units of 2^19: they count visibly at 100 MHz |
//!
//! The clock that this reaches on the board has not been measured.

use crate::Etm4Byte;
use etm4_hdl::etm4::RecordSignature;
use etm4_protocol::{Config, Kind, Packet, Profile, Protocol};
use etm4_protocol::{Registers, emit};
use rust_hdl::prelude::*;
use rust_hdl_bsp_alchitry_cu::pins;

/// Address bits of the trace memory.
const ADDRESS_W: usize = 6;

/// The trace unit of the stored trace: a Cortex-A53.
pub const REGISTERS: Registers = Registers {
    trcconfigr: 0xC1,
    trcidr0: 0x2800_0EA1,
    trcidr1: 0x4100_F403,
    trcidr2: 0x488,
    trcidr8: 0,
    trcdevarch: 0,
};

/// The stored trace: 64 bytes that start with an A-Sync and end with a packet.
pub fn self_test_trace() -> Vec<u8> {
    let config = Config::new(Protocol::Etm4, Profile::A, &REGISTERS);
    let with_lead = |kind, header, bytes: &[u8]| {
        let mut packet = Packet::new(kind, header);
        packet.lead[..bytes.len()].copy_from_slice(bytes);
        packet.lead_len = bytes.len() as u8;
        packet
    };
    let long = [0x30, 0x25, 0x59, 0x00, 0xC0, 0xFF, 0xFF, 0xFF];
    let packets = [
        Packet::new(Kind::Async, 0x00),
        Packet::new(Kind::TraceInfo, 0x01),
        Packet::new(Kind::TraceOn, 0x04),
        with_lead(Kind::AddrLong64Is0, 0x9D, &long),
        Packet::new(Kind::AtomF3, 0xFD),
        with_lead(Kind::AddrShortIs0, 0x95, &[0xD6, 0x95]),
        Packet::new(Kind::AtomF6, 0xE4),
        with_lead(Kind::AddrShortIs0, 0x95, &[0x3D]),
        Packet::new(Kind::AddrMatch, 0x92),
        with_lead(Kind::Timestamp, 0x02, &[0x81, 0x01]),
        with_lead(Kind::Exception, 0x06, &[0x1D]),
        Packet::new(Kind::ExceptionReturn, 0x07),
    ];
    let mut bytes: Vec<u8> = packets
        .iter()
        .flat_map(|packet| emit(packet, &config).as_slice().to_vec())
        .collect();
    // Event packets fill the memory up.
    bytes.resize(1 << ADDRESS_W, 0x7A);
    bytes
}

/// The self-test; see the module text.
#[derive(LogicBlock)]
pub struct AlchitryCu {
    pub clock: Signal<In, Clock>,
    pub leds: Signal<Out, Bits<8>>,
    started: DFF<Bit>,
    running: DFF<Bit>,
    address: DFF<Bits<ADDRESS_W>>,
    trace: SyncROM<Bits<8>, ADDRESS_W>,
    decoder: Etm4Byte,
    signature: RecordSignature<1>,
    sum: DFF<Bits<16>>,
    expected: Constant<Bits<16>>,
    trcconfigr: Constant<Bits<32>>,
    trcidr0: Constant<Bits<32>>,
    trcidr1: Constant<Bits<32>>,
    trcidr2: Constant<Bits<32>>,
    aligned: DFF<Bit>,
    good: DFF<Bit>,
    bad: DFF<Bit>,
    passes: DFF<Bits<24>>,
    passes_next: Signal<Local, Bits<24>>,
    address_next: Signal<Local, Bits<ADDRESS_W>>,
}

/// The signature of the stored trace: `etm4_hdl::etm4::record_signature::signature` of its records.
pub const SIGNATURE: u16 = 59991;

impl Default for AlchitryCu {
    fn default() -> AlchitryCu {
        AlchitryCu::with_trace(&self_test_trace())
    }
}

impl AlchitryCu {
    /// The self-test with another trace in its memory: 64 bytes.
    pub fn with_trace(trace: &[u8]) -> AlchitryCu {
        let constant = |value: u32| Constant::new(u64::from(value).into());
        AlchitryCu {
            clock: pins::clock(),
            leds: pins::leds(),
            started: Default::default(),
            running: Default::default(),
            address: Default::default(),
            trace: trace.iter().map(|&byte| u64::from(byte).into()).into(),
            decoder: Default::default(),
            signature: Default::default(),
            sum: Default::default(),
            expected: Constant::new(u64::from(SIGNATURE).into()),
            trcconfigr: constant(REGISTERS.trcconfigr),
            trcidr0: constant(REGISTERS.trcidr0),
            trcidr1: constant(REGISTERS.trcidr1),
            trcidr2: constant(REGISTERS.trcidr2),
            aligned: Default::default(),
            good: Default::default(),
            bad: Default::default(),
            passes: Default::default(),
            passes_next: Default::default(),
            address_next: Default::default(),
        }
    }
}

impl Logic for AlchitryCu {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, started, running, address, sum, aligned, good, bad, passes
        );
        self.trace.clock.next = self.clock.val();
        self.decoder.aclk.next = self.clock.val();

        // Flip-flops start at zero: reset for one cycle, then one more for the memory's register.
        self.started.d.next = true;
        self.running.d.next = self.started.q.val();
        self.address_next.next = self.address.q.val() + 1;
        if self.started.q.val() {
            self.address.d.next = self.address_next.val();
        }
        self.trace.address.next = self.address.q.val();

        self.decoder.aresetn.next = self.started.q.val();
        self.decoder.cfg_lenient.next = false;
        self.decoder.cfg_ete.next = false;
        self.decoder.cfg_v8m.next = false;
        self.decoder.cfg_trcconfigr.next = self.trcconfigr.val();
        self.decoder.cfg_trcidr0.next = self.trcidr0.val();
        self.decoder.cfg_trcidr1.next = self.trcidr1.val();
        self.decoder.cfg_trcidr2.next = self.trcidr2.val();
        self.decoder.cfg_trcdevarch.next = 0.into();
        self.decoder.s_axis_tdata.next = self.trace.data.val();
        self.decoder.s_axis_tvalid.next = self.running.q.val();
        self.decoder.s_axis_tkeep.next = 1.into();
        self.decoder.s_axis_tuser.next = false;

        // The A-Sync of the next pass ends the sum of this one.
        self.signature.valid.next = self.decoder.m_axis_tvalid.val();
        self.signature.result.next = self.decoder.m_axis_lane[0].val();
        self.signature.sum.next = self.sum.q.val();
        self.sum.d.next = self.signature.after.val();
        self.passes_next.next = self.passes.q.val() + 1;
        if self.signature.is_async.val() {
            self.aligned.d.next = true;
            if self.aligned.q.val() {
                self.good.d.next = self.sum.q.val() == self.expected.val();
                if self.sum.q.val() == self.expected.val() {
                    self.passes.d.next = self.passes_next.val();
                } else {
                    self.bad.d.next = true;
                }
            }
        }
        if self.signature.is_error.val() {
            self.bad.d.next = true;
        }

        self.leds.next = bit_cast::<8, 5>(self.passes.q.val().get_bits::<5>(19)) << 3;
        if self.aligned.q.val() {
            self.leds.next = self.leds.val() | 1;
        }
        if self.good.q.val() {
            self.leds.next = self.leds.val() | 2;
        }
        if self.bad.q.val() {
            self.leds.next = self.leds.val() | 4;
        }
    }
}
