// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_core`: a 32-bit trace port in, records and a profile of one source out, registers on AXI4-Lite.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | `trace_clk`, `trace_data[31:0]`, `trace_valid` | in | | trace port in continuous mode; it may stop and come back |
//! | `aclk`, `aresetn` | in | | clock of all else; synchronous reset, active low |
//! | `s_axi_...` | | `aclk` | AXI4-Lite: the registers of `docs/csr.md` |
//! | `m_axis_records_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | | `aclk` | AXI4-Stream: the record stream of `docs/records.md`, four words a beat, in packets of up to 4 KiB |
//! | `m_axis_profile_tdata[127:0]`, `..._tvalid`, `..._tready`, `..._tlast` | | `aclk` | AXI4-Stream: the profile stream of `docs/records.md`, an entry a beat, in packets of up to 4 KiB |
//! | `irq` | out | `aclk` | a bit is 1 in `INTERRUPT_STATUS` and in `INTERRUPT_ENABLE`: a level |
//!
//! ```text
//! trace port ─▶ AsyncFifo ─▶ FrameGenerator ─▶ FrameDecoder ─▶ Demux ─▶ JumpDecoder ─┬─▶ StreamGate ─▶ RecordEncoder ─▶
//!                   ▲ enable                                                         └─▶ StreamGate ─▶ ProfileAccumulator ─▶
//!                   └──────────────────────────── hold back ◀──────────────────────────────┘
//! ```
//!
//! Nothing makes the trace port wait. While a consumer stalls, up to 8191 words wait in the FIFO;
//! further words are dropped until it is half empty, counted, and reported in the streams. Nothing is
//! lost after the FIFO, except in a stream that nobody reads for 4096 cycles while the other one is
//! read: it leaves out results up to an A-Sync, counts and reports that, and no longer holds back
//! the FIFO.
//!
//! A reset of any length empties everything: the data path stays in reset until nothing is in
//! flight, for 64 cycles. TVALID is 0 from the first cycle of a reset on.
//!
//! A source that is enabled begins a new stream with a START, 64 cycles after it was disabled at
//! the earliest: until then results of the stream before may be in flight, and its settings are
//! kept, whatever the registers say.
//!
//! Several trace IDs of one port need a core each, with `SOURCES` 1 and `BESIDE` 0.
//! In [`SoftwareCoreTop`](crate::SoftwareCoreTop) they are 2 and 1, and the core has these ports for a source beside its
//! own, on `aclk`:
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `beside_id[6:0]`, `beside_enable` | in | its trace ID, and whether its bytes are wanted |
//! | `beside_loses` | in | for one cycle: an interrupt for a loss |
//! | `beside_tdata[31:0]`, `beside_tkeep[3:0]`, `beside_tvalid`, `beside_discontinuity` | out | its rows, see [`Demux`] |
//! | `beside_place[31:0]` | out | the place of the row, see [`RowPlace`] |
//! | `beside_lost_words[31:0]` | out | words of the port that were lost so far |
//! | `beside_reset` | out | the data path is in reset |
//! | `beside_snapshot`, `beside_clear` | out | for one cycle: software wrote this to `CONTROL` |
//!
//! Throughput four bytes per cycle; `RecordEncoder` says how many cycles the records of a word take.

use crate::registers::core::{ADDRESS_W, PulseFields, StatusFields};
use crate::registers::{CoreRegisters, HeldSettings};
use crate::{Quiet, SourceSwitch};
use coretrace_abi::registers::BYTES_PER_CYCLE;
use coretrace_hdl_coresight::{Demux, FrameDecoder, FrameGenerator, RowPlace};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_parts::axi::Interrupts;
use coretrace_hdl_parts::stream::{AsyncFifo, SaturatingCounter};
use coretrace_hdl_sink::StreamGate;
use coretrace_hdl_sink::profile::ProfileAccumulator;
use coretrace_hdl_sink::records::{DATA_W, RecordEncoder};
use rust_hdl::prelude::*;
use std::array::from_fn;

// The register table reports the width of this port.
const _: () = assert!(BYTES_PER_CYCLE == 4);

/// Address bits of the FIFO behind the trace port.
pub const PLACES_W: usize = 13;

/// The core; see the module text.
#[derive(LogicBlock)]
pub struct Etm4CoreTop<const SOURCES: usize, const BESIDE: usize> {
    pub trace_clk: Signal<In, Clock>,
    pub trace_data: Signal<In, Bits<32>>,
    pub trace_valid: Signal<In, Bit>,
    pub aclk: Signal<In, Clock>,
    pub aresetn: Signal<In, Bit>,
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
    pub m_axis_records_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_records_tvalid: Signal<Out, Bit>,
    pub m_axis_records_tready: Signal<In, Bit>,
    pub m_axis_records_tlast: Signal<Out, Bit>,
    pub m_axis_profile_tdata: Signal<Out, Bus<DATA_W>>,
    pub m_axis_profile_tvalid: Signal<Out, Bit>,
    pub m_axis_profile_tready: Signal<In, Bit>,
    pub m_axis_profile_tlast: Signal<Out, Bit>,
    pub irq: Signal<Out, Bit>,
    pub beside_id: [Signal<In, Bits<7>>; BESIDE],
    pub beside_enable: [Signal<In, Bit>; BESIDE],
    pub beside_loses: [Signal<In, Bit>; BESIDE],
    pub beside_tdata: [Signal<Out, Bits<32>>; BESIDE],
    pub beside_tkeep: [Signal<Out, Bits<4>>; BESIDE],
    pub beside_tvalid: [Signal<Out, Bit>; BESIDE],
    pub beside_discontinuity: [Signal<Out, Bit>; BESIDE],
    pub beside_place: [Signal<Out, Bits<32>>; BESIDE],
    pub beside_lost_words: [Signal<Out, Bits<32>>; BESIDE],
    pub beside_reset: [Signal<Out, Bit>; BESIDE],
    pub beside_snapshot: [Signal<Out, Bit>; BESIDE],
    pub beside_clear: [Signal<Out, Bit>; BESIDE],
    reset: DFF<Bit>,
    registers: CoreRegisters,
    settings: HeldSettings,
    pulses: PulseFields<1>,
    status: StatusFields<1>,
    interrupts: Interrupts<3>,
    fifo: AsyncFifo<32, PLACES_W, 32>,
    frame_generator: FrameGenerator,
    frame_decoder: FrameDecoder,
    demux: Demux<SOURCES>,
    places: [RowPlace; BESIDE],
    decoder: JumpDecoder<4, 2>,
    record_gate: StreamGate,
    encoder: RecordEncoder<BESIDE>,
    profile_gate: StreamGate,
    profile: ProfileAccumulator,
    switch: SourceSwitch,
    quiet: Quiet,
    /// A flush of the profile was asked for, and waits for the end of that reset.
    flush_waits: DFF<Bit>,
    keep_s1: DFF<Bits<4>>,
    frames: SaturatingCounter,
    bytes: SaturatingCounter,
    packets: SaturatingCounter,
    asyncs: SaturatingCounter,
    losses: SaturatingCounter,
    reserved_headers: SaturatingCounter,
    bad_sequences: SaturatingCounter,
    record_gaps: SaturatingCounter,
    profile_gaps: SaturatingCounter,
    byte_count: Signal<Local, Bits<3>>,
    /// The sources whose bytes are wanted.
    wanted: Signal<Local, Bits<SOURCES>>,
    /// The streams may send: no reset.
    sends: Signal<Local, Bit>,
    loses: Signal<Local, Bit>,
    errs: Signal<Local, Bit>,
}

impl<const SOURCES: usize, const BESIDE: usize> Default for Etm4CoreTop<SOURCES, BESIDE> {
    fn default() -> Self {
        assert_eq!(SOURCES, 1 + BESIDE, "its own source and those beside it");
        Self {
            trace_clk: Default::default(),
            trace_data: Default::default(),
            trace_valid: Default::default(),
            aclk: Default::default(),
            aresetn: Default::default(),
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
            m_axis_records_tdata: Default::default(),
            m_axis_records_tvalid: Default::default(),
            m_axis_records_tready: Default::default(),
            m_axis_records_tlast: Default::default(),
            m_axis_profile_tdata: Default::default(),
            m_axis_profile_tvalid: Default::default(),
            m_axis_profile_tready: Default::default(),
            m_axis_profile_tlast: Default::default(),
            irq: Default::default(),
            beside_id: from_fn(|_| Default::default()),
            beside_enable: from_fn(|_| Default::default()),
            beside_loses: from_fn(|_| Default::default()),
            beside_tdata: from_fn(|_| Default::default()),
            beside_tkeep: from_fn(|_| Default::default()),
            beside_tvalid: from_fn(|_| Default::default()),
            beside_discontinuity: from_fn(|_| Default::default()),
            beside_place: from_fn(|_| Default::default()),
            beside_lost_words: from_fn(|_| Default::default()),
            beside_reset: from_fn(|_| Default::default()),
            beside_snapshot: from_fn(|_| Default::default()),
            beside_clear: from_fn(|_| Default::default()),
            reset: Default::default(),
            registers: Default::default(),
            settings: Default::default(),
            pulses: Default::default(),
            status: Default::default(),
            interrupts: Default::default(),
            fifo: Default::default(),
            frame_generator: Default::default(),
            frame_decoder: Default::default(),
            demux: Default::default(),
            places: from_fn(|_| Default::default()),
            decoder: Default::default(),
            record_gate: Default::default(),
            encoder: Default::default(),
            profile_gate: Default::default(),
            profile: Default::default(),
            switch: Default::default(),
            quiet: Default::default(),
            flush_waits: Default::default(),
            keep_s1: Default::default(),
            frames: Default::default(),
            bytes: Default::default(),
            packets: Default::default(),
            asyncs: Default::default(),
            losses: Default::default(),
            reserved_headers: Default::default(),
            bad_sequences: Default::default(),
            record_gaps: Default::default(),
            profile_gaps: Default::default(),
            byte_count: Default::default(),
            wanted: Default::default(),
            sends: Default::default(),
            loses: Default::default(),
            errs: Default::default(),
        }
    }
}

impl<const SOURCES: usize, const BESIDE: usize> Logic for Etm4CoreTop<SOURCES, BESIDE> {
    #[hdl_gen]
    fn update(&mut self) {
        self.reset.clock.next = self.aclk.val();
        self.switch.clock.next = self.aclk.val();
        self.quiet.clock.next = self.aclk.val();
        self.flush_waits.clock.next = self.aclk.val();
        self.keep_s1.clock.next = self.aclk.val();
        self.registers.clock.next = self.aclk.val();
        self.settings.clock.next = self.aclk.val();
        self.fifo.clock.next = self.aclk.val();
        self.frame_generator.clock.next = self.aclk.val();
        self.frame_decoder.clock.next = self.aclk.val();
        self.demux.clock.next = self.aclk.val();
        self.decoder.clock.next = self.aclk.val();
        self.interrupts.clock.next = self.aclk.val();
        self.record_gate.clock.next = self.aclk.val();
        self.encoder.clock.next = self.aclk.val();
        self.profile_gate.clock.next = self.aclk.val();
        self.profile.clock.next = self.aclk.val();
        self.frames.clock.next = self.aclk.val();
        self.bytes.clock.next = self.aclk.val();
        self.packets.clock.next = self.aclk.val();
        self.asyncs.clock.next = self.aclk.val();
        self.losses.clock.next = self.aclk.val();
        self.reserved_headers.clock.next = self.aclk.val();
        self.bad_sequences.clock.next = self.aclk.val();
        self.record_gaps.clock.next = self.aclk.val();
        self.profile_gaps.clock.next = self.aclk.val();
        self.reset.d.next = !self.aresetn.val();

        self.registers.reset.next = self.reset.q.val();
        self.registers.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.registers.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.s_axi_awready.next = self.registers.s_axi_awready.val();
        self.registers.s_axi_wdata.next = self.s_axi_wdata.val();
        self.registers.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.registers.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.s_axi_wready.next = self.registers.s_axi_wready.val();
        self.s_axi_bresp.next = self.registers.s_axi_bresp.val();
        self.s_axi_bvalid.next = self.registers.s_axi_bvalid.val();
        self.registers.s_axi_bready.next = self.s_axi_bready.val();
        self.registers.s_axi_araddr.next = self.s_axi_araddr.val();
        self.registers.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.s_axi_arready.next = self.registers.s_axi_arready.val();
        self.s_axi_rdata.next = self.registers.s_axi_rdata.val();
        self.s_axi_rresp.next = self.registers.s_axi_rresp.val();
        self.s_axi_rvalid.next = self.registers.s_axi_rvalid.val();
        self.registers.s_axi_rready.next = self.s_axi_rready.val();
        self.settings.settings.next = self.registers.settings.val();
        self.pulses.bus.next = self.registers.pulses.val();
        self.registers.snapshot.next = self.pulses.snapshot.val();
        self.registers.status.next = self.status.bus.val();

        self.fifo.reset.next = self.switch.path_reset.val();
        self.fifo.write_clock.next = self.trace_clk.val();
        self.fifo.write_data.next = self.trace_data.val();
        self.fifo.write_valid.next = self.trace_valid.val();
        self.fifo.enable.next =
            !self.record_gate.hold_back.val() & !self.profile_gate.hold_back.val();
        self.frame_generator.reset.next = self.switch.path_reset.val();
        self.frame_generator.clear.next = self.pulses.clear.val();
        self.frame_generator.s_axis_tdata.next = self.fifo.m_axis_tdata.val();
        self.frame_generator.s_axis_tvalid.next = self.fifo.m_axis_tvalid.val();
        self.frame_generator.s_axis_tuser.next = self.fifo.m_axis_tuser.val();
        self.frame_decoder.reset.next = self.switch.path_reset.val();
        self.frame_decoder.s_frame_tdata.next = self.frame_generator.m_frame_tdata.val();
        self.frame_decoder.s_frame_tvalid.next = self.frame_generator.m_frame_tvalid.val();
        self.frame_decoder.s_frame_discontinuity.next =
            self.frame_generator.m_frame_discontinuity.val();
        self.demux.reset.next = self.switch.path_reset.val();
        self.demux.clear.next = self.pulses.clear.val();
        self.demux.ids[0].next = self.settings.trace_id.val();
        self.wanted.next = 0.into();
        self.wanted.next = self.wanted.val().replace_bit(0, self.switch.active.val());
        for i in 0..BESIDE {
            self.demux.ids[i + 1].next = self.beside_id[i].val();
            self.wanted.next = self
                .wanted
                .val()
                .replace_bit(i + 1, self.beside_enable[i].val());
            self.places[i].clock.next = self.aclk.val();
            self.places[i].reset.next = self.switch.path_reset.val();
            self.places[i].s_axis_tvalid.next = self.frame_decoder.m_axis_tvalid.val();
            self.beside_tdata[i].next = self.demux.m_axis_tdata[i + 1].val();
            self.beside_tkeep[i].next = self.demux.m_axis_tkeep[i + 1].val();
            self.beside_tvalid[i].next = self.demux.m_axis_tvalid[i + 1].val();
            self.beside_discontinuity[i].next = self.demux.m_axis_discontinuity[i + 1].val();
            self.beside_place[i].next = self.places[i].place.val();
            self.encoder.port_reset[i].next = !self.switch.active.val();
            self.encoder.port_valid[i].next = self.demux.m_axis_tvalid[0].val();
            self.encoder.port_discontinuity[i].next = self.demux.m_axis_discontinuity[0].val();
            self.encoder.port_keep[i].next = self.demux.m_axis_tkeep[0].val();
            self.encoder.port_place[i].next = self.places[i].place.val();
            self.encoder.beside_valid[i].next = self.demux.m_axis_tvalid[i + 1].val();
            self.encoder.beside_keep[i].next = self.demux.m_axis_tkeep[i + 1].val();
            self.beside_lost_words[i].next = self.fifo.sts_overflows.val();
            self.beside_reset[i].next = self.switch.path_reset.val();
            self.beside_snapshot[i].next = self.pulses.snapshot.val();
            self.beside_clear[i].next = self.pulses.clear.val();
        }
        self.demux.enables.next = self.wanted.val();
        self.demux.s_axis_tdata.next = self.frame_decoder.m_axis_tdata.val();
        self.demux.s_axis_tid.next = self.frame_decoder.m_axis_tid.val();
        self.demux.s_axis_tkeep.next = self.frame_decoder.m_axis_tkeep.val();
        self.demux.s_axis_tvalid.next = self.frame_decoder.m_axis_tvalid.val();
        self.demux.s_axis_discontinuity.next = self.frame_decoder.m_axis_discontinuity.val();

        // Results in flight belong to the settings they were decoded with: new settings wait.
        self.switch.reset.next = self.reset.q.val();
        self.switch.enable.next = self.settings.enable.val();
        self.settings.is_busy.next = self.switch.is_busy.val();

        self.decoder.reset.next = !self.switch.active.val();
        self.decoder.settings.next = self.settings.source.val();
        self.decoder.s_valid.next = self.demux.m_axis_tvalid[0].val();
        self.decoder.s_discontinuity.next = self.demux.m_axis_discontinuity[0].val();

        self.encoder.reset.next = self.switch.path_reset.val();
        self.encoder.enable.next = self.settings.records.val();
        self.encoder.start.next = self.switch.begins.val();
        self.encoder.active.next = self.switch.active.val();
        self.encoder.flush.next = self.pulses.flush.val();
        self.encoder.source.next = self.settings.source.val();
        self.encoder.settings.next = self.settings.record.val();
        self.encoder.lost_words.next = self.fifo.sts_overflows.val();
        self.record_gate.reset.next = self.switch.path_reset.val();
        self.record_gate.wants_pause.next = self.encoder.hold_back.val();
        self.record_gate.takes.next =
            self.encoder.m_axis_tvalid.val() & self.m_axis_records_tready.val();
        self.record_gate.others_wait.next = self.settings.profile.val()
            & !self.profile.hold_back.val()
            & (!self.profile.m_axis_tvalid.val() | self.m_axis_profile_tready.val())
            & !self.profile_gate.is_shut.val();
        self.record_gate.s_valid.next = self.decoder.m_valid.val();
        self.record_gate.s_discontinuity.next = self.decoder.m_discontinuity.val();
        self.encoder.s_valid.next = self.record_gate.m_valid.val();
        self.encoder.s_discontinuity.next = self.record_gate.m_discontinuity.val();
        for i in 0..4 {
            self.decoder.s_octet[i].next = self.demux.m_axis_tdata[0].val().get_bits::<8>(8 * i);
            self.decoder.s_keep[i].next = self.demux.m_axis_tkeep[0].val().get_bit(i);
            self.record_gate.s_keep[i].next = self.decoder.m_keep[i].val();
            self.record_gate.s_lane[i].next = self.decoder.m_lane[i].val();
            self.profile_gate.s_keep[i].next = self.decoder.m_keep[i].val();
            self.profile_gate.s_lane[i].next = self.decoder.m_lane[i].val();
            self.encoder.s_keep[i].next = self.decoder.m_keep[i].val();
            self.encoder.s_lane[i].next = self.decoder.m_lane[i].val();
            self.profile.s_keep[i].next = self.decoder.m_keep[i].val();
            self.profile.s_lane[i].next = self.decoder.m_lane[i].val();
        }
        for i in 0..2 {
            self.encoder.s_pair[i].next = self.decoder.m_pair[i].val();
            self.profile.s_pair[i].next = self.decoder.m_pair[i].val();
        }
        self.sends.next = self.aresetn.val() & !self.reset.q.val() & !self.switch.path_reset.val();
        self.m_axis_records_tdata.next = self.encoder.m_axis_tdata.val();
        self.m_axis_records_tvalid.next = self.encoder.m_axis_tvalid.val() & self.sends.val();
        self.encoder.m_axis_tready.next = self.m_axis_records_tready.val();
        self.m_axis_records_tlast.next = self.encoder.m_axis_tlast.val();

        self.profile.reset.next = self.switch.path_reset.val();
        self.profile.start.next = self.switch.begins.val() & self.settings.profile.val();
        self.profile.trace_id.next = self.settings.trace_id.val();
        self.flush_waits.d.next =
            self.pulses.flush.val() | (self.flush_waits.q.val() & self.switch.path_reset.val());
        self.profile.flush.next = self.flush_waits.q.val() & !self.switch.path_reset.val();
        self.profile.lost_words.next = self.fifo.sts_overflows.val();
        self.profile_gate.reset.next = self.switch.path_reset.val();
        self.profile_gate.wants_pause.next = self.profile.hold_back.val();
        self.profile_gate.takes.next =
            self.profile.m_axis_tvalid.val() & self.m_axis_profile_tready.val();
        self.profile_gate.others_wait.next = self.settings.records.val()
            & !self.encoder.hold_back.val()
            & (!self.encoder.m_axis_tvalid.val() | self.m_axis_records_tready.val())
            & !self.record_gate.is_shut.val();
        self.profile_gate.s_valid.next = self.decoder.m_valid.val() & self.settings.profile.val();
        self.profile_gate.s_discontinuity.next = self.decoder.m_discontinuity.val();
        self.profile.s_valid.next = self.profile_gate.m_valid.val();
        self.profile.s_discontinuity.next = self.profile_gate.m_discontinuity.val();
        self.m_axis_profile_tdata.next = self.profile.m_axis_tdata.val();
        self.m_axis_profile_tvalid.next = self.profile.m_axis_tvalid.val() & self.sends.val();
        self.profile.m_axis_tready.next = self.m_axis_profile_tready.val();
        self.m_axis_profile_tlast.next = self.profile.m_axis_tlast.val();

        self.keep_s1.d.next = 0.into();
        if self.demux.m_axis_tvalid[0].val() {
            self.keep_s1.d.next = self.demux.m_axis_tkeep[0].val();
        }
        self.byte_count.next = bits::<3>(0)
            + self.keep_s1.q.val().get_bit(0)
            + self.keep_s1.q.val().get_bit(1)
            + self.keep_s1.q.val().get_bit(2)
            + self.keep_s1.q.val().get_bit(3);
        self.frames.reset.next = self.switch.path_reset.val();
        self.frames.clear.next = self.pulses.clear.val();
        self.frames.amount.next = bits::<3>(0) + self.frame_generator.m_frame_tvalid.val();
        self.bytes.reset.next = self.switch.path_reset.val();
        self.bytes.clear.next = self.pulses.clear.val();
        self.bytes.amount.next = self.byte_count.val();
        self.packets.reset.next = self.switch.path_reset.val();
        self.packets.clear.next = self.pulses.clear.val();
        self.packets.amount.next = self.encoder.packets.val();
        self.asyncs.reset.next = self.switch.path_reset.val();
        self.asyncs.clear.next = self.pulses.clear.val();
        self.asyncs.amount.next = self.encoder.asyncs.val();
        self.losses.reset.next = self.switch.path_reset.val();
        self.losses.clear.next = self.pulses.clear.val();
        self.losses.amount.next = bits::<3>(0)
            + (self.demux.m_axis_tvalid[0].val() & self.demux.m_axis_discontinuity[0].val());
        self.reserved_headers.reset.next = self.switch.path_reset.val();
        self.reserved_headers.clear.next = self.pulses.clear.val();
        self.reserved_headers.amount.next = self.encoder.reserved_headers.val();
        self.bad_sequences.reset.next = self.switch.path_reset.val();
        self.bad_sequences.clear.next = self.pulses.clear.val();
        self.bad_sequences.amount.next = self.encoder.bad_sequences.val();
        self.record_gaps.reset.next = self.switch.path_reset.val();
        self.record_gaps.clear.next = self.pulses.clear.val();
        self.record_gaps.amount.next = bits::<3>(0) + self.record_gate.shuts.val();
        self.profile_gaps.reset.next = self.switch.path_reset.val();
        self.profile_gaps.clear.next = self.pulses.clear.val();
        self.profile_gaps.amount.next = bits::<3>(0) + self.profile_gate.shuts.val();

        // The next word reports lost words, the next frame lost frames.
        self.loses.next = (self.fifo.m_axis_tvalid.val() & self.fifo.m_axis_tuser.val())
            | (self.demux.m_axis_tvalid[0].val() & self.demux.m_axis_discontinuity[0].val())
            | self.record_gate.shuts.val()
            | self.profile_gate.shuts.val();
        for i in 0..BESIDE {
            self.loses.next = self.loses.val() | self.beside_loses[i].val();
        }
        self.errs.next =
            self.encoder.reserved_headers.val().any() | self.encoder.bad_sequences.val().any();
        self.interrupts.reset.next = self.switch.path_reset.val();
        self.interrupts.events[0].next = self.loses.val();
        self.interrupts.events[1].next = self.profile.flush_done.val();
        self.interrupts.events[2].next = self.errs.val();
        self.interrupts.clears[0].next = self.pulses.loss.val();
        self.interrupts.clears[1].next = self.pulses.flush_done.val();
        self.interrupts.clears[2].next = self.pulses.error.val();
        self.interrupts.enables[0].next = self.settings.loss_enable.val();
        self.interrupts.enables[1].next = self.settings.flush_done_enable.val();
        self.interrupts.enables[2].next = self.settings.error_enable.val();
        self.irq.next = self.interrupts.irq.val();

        self.status.in_sync.next = self.frame_generator.in_sync.val();
        self.status.running.next = self.switch.active.val();
        // What is in flight when a source is disabled moves as well.
        self.quiet.reset.next = self.switch.path_reset.val();
        self.quiet.moves.next = self.demux.m_axis_tvalid[0].val()
            | self.encoder.m_axis_tvalid.val()
            | self.switch.is_busy.val() & !self.switch.active.val();
        self.status.quiet.next = self.quiet.is_quiet.val();
        self.status.loss.next = self.interrupts.pending[0].val();
        self.status.flush_done.next = self.interrupts.pending[1].val();
        self.status.error.next = self.interrupts.pending[2].val();
        self.status.frames.next = self.frames.count.val();
        self.status.sync_losses.next = self.frame_generator.sync_losses.val();
        self.status.sync_acquisitions.next = self.frame_generator.sync_acquisitions.val();
        self.status.null_drops.next = self.demux.null_drops.val();
        self.status.reserved_drops.next = self.demux.reserved_drops.val();
        self.status.unclaimed_drops.next = self.demux.unclaimed_drops.val();
        self.status.lost_words.next = self.fifo.sts_overflows.val();
        self.status.bytes.next = self.bytes.count.val();
        self.status.packets.next = self.packets.count.val();
        self.status.asyncs.next = self.asyncs.count.val();
        self.status.losses.next = self.losses.count.val();
        self.status.reserved_headers.next = self.reserved_headers.count.val();
        self.status.bad_sequences.next = self.bad_sequences.count.val();
        self.status.record_gaps.next = self.record_gaps.count.val();
        self.status.profile_gaps.next = self.profile_gaps.count.val();

        if self.reset.q.val() {
            self.flush_waits.d.next = false;
        }
    }
}

// On the bus both clocks are one.
coretrace_hdl_parts::axi_slave!([const SOURCES: usize, const BESIDE: usize] Etm4CoreTop<SOURCES, BESIDE>, |core: &mut Self, clock| {
    core.aclk.next = clock;
    core.trace_clk.next = clock;
});
