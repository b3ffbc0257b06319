// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ControlRegisters`: the registers of the table behind an AXI4-Lite bus.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axi_...` | | AXI4-Lite slave, see `coretrace_hdl_parts::axi::AxiLite` |
//! | `cfg_enable` | out | ENABLE of the source |
//! | `is_busy` | in | the other fields stay as they are seen here |
//! | `cfg_id[6:0]`, `cfg_lenient`, `cfg_records`, `cfg_profile`, `cfg_ete`, `cfg_v8m`, `cfg_full_addresses`, `cfg_trc...[31:0]`, `cfg_drop[13:0]`, `cfg_range`, `cfg_first_low[31:0]`, `cfg_first_high[31:0]`, `cfg_last_low[31:0]`, `cfg_last_high[31:0]` | out | fields that can be written, a cycle later, as of the last one in which `is_busy` was 0 |
//! | `clear`, `flush` | out | for one cycle: counters begin again at 0; the sums of the profile are to be sent |
//! | `sts_in_sync` | in | state |
//! | `sts_frames`, `sts_sync_losses`, `sts_sync_acquisitions`, `sts_null_drops`, `sts_reserved_drops`, `sts_unclaimed_drops`, `sts_lost_words`, `sts_bytes`, `sts_packets`, `sts_asyncs`, `sts_losses`, `sts_reserved_headers`, `sts_bad_sequences` | in | 32-bit counters |
//!
//! A snapshot copies all counters in one cycle, the last one before `clear` takes effect when both
//! are written together. A snapshot is done when its write is answered.
//!
//! Latency, throughput and responses are those of `AxiLite`; writes to what is read-only are
//! answered OKAY and change nothing.
//!
//! The kernel names a register by its row: global registers from 0 on, then those of the
//! source. `pipelines/tests/registers.rs` ties every row, bit and port to the table.

use coretrace_abi::registers::{
    Access, GLOBAL, REGISTERS, Register, SOURCE_BASE, SOURCE_STRIDE, SOURCES, placed,
};
use coretrace_hdl_parts::axi::{AxiLite, RegisterBank, RegisterWord};
use coretrace_hdl_sink::records::KINDS;
use rust_hdl::prelude::*;

/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = (SOURCE_BASE + SOURCE_STRIDE * SOURCES as u32)
    .next_power_of_two()
    .ilog2() as usize;

/// Bits of a word index.
const INDEX_W: usize = ADDRESS_W - 2;

/// Registers of the source before its counters.
const WRITTEN: usize = 12;

// The kernel spells these.
const _: () = assert!(GLOBAL.len() == 12 && REGISTERS == 30 && WRITTEN == 12);

/// Registers behind a bus; see the module text.
#[derive(LogicBlock)]
pub struct ControlRegisters {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axi_awaddr: Signal<In, Bits<ADDRESS_W>>,
    pub s_axi_awvalid: Signal<In, Bit>,
    pub s_axi_awready: Signal<Out, Bit>,
    pub s_axi_wdata: Signal<In, Bits<32>>,
    pub s_axi_wstrb: Signal<In, Bits<4>>,
    pub s_axi_wvalid: Signal<In, Bit>,
    pub s_axi_wready: Signal<Out, Bit>,
    pub s_axi_bresp: Signal<Out, Bits<2>>,
    pub s_axi_bvalid: Signal<Out, Bit>,
    pub s_axi_bready: Signal<In, Bit>,
    pub s_axi_araddr: Signal<In, Bits<ADDRESS_W>>,
    pub s_axi_arvalid: Signal<In, Bit>,
    pub s_axi_arready: Signal<Out, Bit>,
    pub s_axi_rdata: Signal<Out, Bits<32>>,
    pub s_axi_rresp: Signal<Out, Bits<2>>,
    pub s_axi_rvalid: Signal<Out, Bit>,
    pub s_axi_rready: Signal<In, Bit>,
    pub cfg_enable: Signal<Out, Bit>,
    pub is_busy: Signal<In, Bit>,
    pub cfg_id: Signal<Out, Bits<7>>,
    pub cfg_lenient: Signal<Out, Bit>,
    pub cfg_records: Signal<Out, Bit>,
    pub cfg_profile: Signal<Out, Bit>,
    pub cfg_ete: Signal<Out, Bit>,
    pub cfg_v8m: Signal<Out, Bit>,
    pub cfg_full_addresses: Signal<Out, Bit>,
    pub cfg_trcconfigr: Signal<Out, Bits<32>>,
    pub cfg_trcidr0: Signal<Out, Bits<32>>,
    pub cfg_trcidr1: Signal<Out, Bits<32>>,
    pub cfg_trcidr2: Signal<Out, Bits<32>>,
    pub cfg_trcdevarch: Signal<Out, Bits<32>>,
    pub cfg_trcidr8: Signal<Out, Bits<32>>,
    pub cfg_drop: Signal<Out, Bits<KINDS>>,
    pub cfg_range: Signal<Out, Bit>,
    pub cfg_first_low: Signal<Out, Bits<32>>,
    pub cfg_first_high: Signal<Out, Bits<32>>,
    pub cfg_last_low: Signal<Out, Bits<32>>,
    pub cfg_last_high: Signal<Out, Bits<32>>,
    pub clear: Signal<Out, Bit>,
    pub flush: Signal<Out, Bit>,
    pub sts_in_sync: Signal<In, Bit>,
    pub sts_frames: Signal<In, Bits<32>>,
    pub sts_sync_losses: Signal<In, Bits<32>>,
    pub sts_sync_acquisitions: Signal<In, Bits<32>>,
    pub sts_null_drops: Signal<In, Bits<32>>,
    pub sts_reserved_drops: Signal<In, Bits<32>>,
    pub sts_unclaimed_drops: Signal<In, Bits<32>>,
    pub sts_lost_words: Signal<In, Bits<32>>,
    pub sts_bytes: Signal<In, Bits<32>>,
    pub sts_packets: Signal<In, Bits<32>>,
    pub sts_asyncs: Signal<In, Bits<32>>,
    pub sts_losses: Signal<In, Bits<32>>,
    pub sts_reserved_headers: Signal<In, Bits<32>>,
    pub sts_bad_sequences: Signal<In, Bits<32>>,
    bus: AxiLite<ADDRESS_W, INDEX_W>,
    bank: RegisterBank<REGISTERS, INDEX_W>,
    /// CONTROL and the source's registers that can be written, as others see them.
    control: DFF<Bits<32>>,
    source: [DFF<Bits<32>>; WRITTEN],
}

/// A register as the bank has it.
fn bank_word(offset: u32, register: &Register) -> RegisterWord {
    RegisterWord {
        index: offset as usize / 4,
        stored: register.bits(Access::ReadWrite),
        pulses: register.bits(Access::Pulse),
        sampled: register.bits(Access::Snapshot),
        live: register.bits(Access::Live),
        ones: register.reset() & register.bits(Access::Constant),
        reset: register.reset() & register.bits(Access::ReadWrite),
    }
}

impl Default for ControlRegisters {
    fn default() -> Self {
        let mut words = [RegisterWord::default(); REGISTERS];
        for (word, (offset, register)) in words.iter_mut().zip(placed()) {
            *word = bank_word(offset, register);
        }
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axi_awaddr: Default::default(),
            s_axi_awvalid: Default::default(),
            s_axi_awready: Default::default(),
            s_axi_wdata: Default::default(),
            s_axi_wstrb: Default::default(),
            s_axi_wvalid: Default::default(),
            s_axi_wready: Default::default(),
            s_axi_bresp: Default::default(),
            s_axi_bvalid: Default::default(),
            s_axi_bready: Default::default(),
            s_axi_araddr: Default::default(),
            s_axi_arvalid: Default::default(),
            s_axi_arready: Default::default(),
            s_axi_rdata: Default::default(),
            s_axi_rresp: Default::default(),
            s_axi_rvalid: Default::default(),
            s_axi_rready: Default::default(),
            cfg_enable: Default::default(),
            is_busy: Default::default(),
            cfg_id: Default::default(),
            cfg_lenient: Default::default(),
            cfg_records: Default::default(),
            cfg_profile: Default::default(),
            cfg_ete: Default::default(),
            cfg_v8m: Default::default(),
            cfg_full_addresses: Default::default(),
            cfg_trcconfigr: Default::default(),
            cfg_trcidr0: Default::default(),
            cfg_trcidr1: Default::default(),
            cfg_trcidr2: Default::default(),
            cfg_trcdevarch: Default::default(),
            cfg_trcidr8: Default::default(),
            cfg_drop: Default::default(),
            cfg_range: Default::default(),
            cfg_first_low: Default::default(),
            cfg_first_high: Default::default(),
            cfg_last_low: Default::default(),
            cfg_last_high: Default::default(),
            clear: Default::default(),
            flush: Default::default(),
            sts_in_sync: Default::default(),
            sts_frames: Default::default(),
            sts_sync_losses: Default::default(),
            sts_sync_acquisitions: Default::default(),
            sts_null_drops: Default::default(),
            sts_reserved_drops: Default::default(),
            sts_unclaimed_drops: Default::default(),
            sts_lost_words: Default::default(),
            sts_bytes: Default::default(),
            sts_packets: Default::default(),
            sts_asyncs: Default::default(),
            sts_losses: Default::default(),
            sts_reserved_headers: Default::default(),
            sts_bad_sequences: Default::default(),
            bus: Default::default(),
            bank: RegisterBank::new(&words),
            control: Default::default(),
            source: Default::default(),
        }
    }
}

impl Logic for ControlRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        self.bus.clock.next = self.clock.val();
        self.bus.reset.next = self.reset.val();
        self.bus.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.bus.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.s_axi_awready.next = self.bus.s_axi_awready.val();
        self.bus.s_axi_wdata.next = self.s_axi_wdata.val();
        self.bus.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.bus.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.s_axi_wready.next = self.bus.s_axi_wready.val();
        self.s_axi_bresp.next = self.bus.s_axi_bresp.val();
        self.s_axi_bvalid.next = self.bus.s_axi_bvalid.val();
        self.bus.s_axi_bready.next = self.s_axi_bready.val();
        self.bus.s_axi_araddr.next = self.s_axi_araddr.val();
        self.bus.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.s_axi_arready.next = self.bus.s_axi_arready.val();
        self.s_axi_rdata.next = self.bus.s_axi_rdata.val();
        self.s_axi_rresp.next = self.bus.s_axi_rresp.val();
        self.s_axi_rvalid.next = self.bus.s_axi_rvalid.val();
        self.bus.s_axi_rready.next = self.s_axi_rready.val();

        self.bank.clock.next = self.clock.val();
        self.bank.reset.next = self.reset.val();
        self.bank.write_strobe.next = self.bus.write_strobe.val();
        self.bank.write_index.next = self.bus.write_index.val();
        self.bank.write_data.next = self.bus.write_data.val();
        self.bank.write_strb.next = self.bus.write_strb.val();
        self.bus.write_known.next = self.bank.write_known.val();
        self.bank.read_index.next = self.bus.read_index.val();
        self.bus.read_data.next = self.bank.read_data.val();
        self.bus.read_known.next = self.bank.read_known.val();

        for i in 0..30 {
            self.bank.status[i].next = 0.into();
        }
        self.cfg_lenient.next = self.control.q.val().get_bit(0);
        self.cfg_records.next = self.control.q.val().get_bit(1);
        self.cfg_profile.next = self.control.q.val().get_bit(2);
        self.bank.snapshot.next = self.bank.value[3].val().get_bit(8);
        self.clear.next = self.bank.value[3].val().get_bit(9);
        self.flush.next = self.bank.value[3].val().get_bit(10);
        self.bank.status[4].next = bit_cast::<32, 1>(self.sts_in_sync.val().into());
        self.bank.status[5].next = self.sts_frames.val();
        self.bank.status[6].next = self.sts_sync_losses.val();
        self.bank.status[7].next = self.sts_sync_acquisitions.val();
        self.bank.status[8].next = self.sts_null_drops.val();
        self.bank.status[9].next = self.sts_reserved_drops.val();
        self.bank.status[10].next = self.sts_unclaimed_drops.val();
        self.bank.status[11].next = self.sts_lost_words.val();

        self.control.clock.next = self.clock.val();
        self.control.d.next = self.control.q.val();
        for i in 0..12 {
            self.source[i].clock.next = self.clock.val();
            self.source[i].d.next = self.source[i].q.val();
        }
        if !self.is_busy.val() {
            self.control.d.next = self.bank.value[3].val();
            for i in 0..12 {
                self.source[i].d.next = self.bank.value[i + 12].val();
            }
        }
        self.cfg_enable.next = self.bank.value[12].val().get_bit(0);
        self.cfg_ete.next = self.source[0].q.val().get_bit(1);
        self.cfg_v8m.next = self.source[0].q.val().get_bit(2);
        self.cfg_full_addresses.next = self.source[0].q.val().get_bit(3);
        self.cfg_id.next = self.source[0].q.val().get_bits::<7>(8);
        self.cfg_trcconfigr.next = self.source[1].q.val();
        self.cfg_trcidr0.next = self.source[2].q.val();
        self.cfg_trcidr1.next = self.source[3].q.val();
        self.cfg_trcidr2.next = self.source[4].q.val();
        self.cfg_trcdevarch.next = self.source[5].q.val();
        self.cfg_trcidr8.next = self.source[6].q.val();
        self.cfg_drop.next = self.source[7].q.val().get_bits::<KINDS>(0);
        self.cfg_range.next = self.source[7].q.val().get_bit(31);
        self.cfg_first_low.next = self.source[8].q.val();
        self.cfg_first_high.next = self.source[9].q.val();
        self.cfg_last_low.next = self.source[10].q.val();
        self.cfg_last_high.next = self.source[11].q.val();
        self.bank.status[24].next = self.sts_bytes.val();
        self.bank.status[25].next = self.sts_packets.val();
        self.bank.status[26].next = self.sts_asyncs.val();
        self.bank.status[27].next = self.sts_losses.val();
        self.bank.status[28].next = self.sts_reserved_headers.val();
        self.bank.status[29].next = self.sts_bad_sequences.val();
    }
}

coretrace_hdl_parts::axi_slave!(ControlRegisters);
