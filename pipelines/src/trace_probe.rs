// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TraceProbe`: the pins of a trace port of 4 bits in, the record stream of one of its sources out on
//! a serial line.
//!
//! | port | dir | clock | meaning |
//! |---|---|---|---|
//! | `trace_clock` | in | | TRACECLK; it may stop and come back at any time |
//! | `trace_data[3:0]` | in | `trace_clock`, both edges | TRACEDATA |
//! | `clock` | in | | clock of everything else |
//! | `rx` | in | none | serial line from the host: `1` begins a new stream, any other character ends it |
//! | `tx` | out | `clock` | serial line to the host: `docs/records.md`, the lowest byte first |
//! | `sts_trace_clock` | out | `trace_clock` | changes every 2^23 cycles |
//! | `sts_running` | out | `clock` | a stream was begun |
//! | `sts_synced` | out | `clock` | frames are being taken |
//! | `sts_aligned` | out | `clock` | an A-Sync was found since the stream began |
//! | `sts_active` | out | `clock` | a record came in within the last 2^22 cycles |
//! | `sts_waiting` | out | `clock` | the serial line is busy |
//! | `sts_lost` | out | `clock` | words were lost since the stream began |
//! | `sts_error` | out | `clock` | the stream had an error |
//! | `sts_overflows[15:0]` | out | `clock` | words lost since the stream began, saturating |
//!
//! ```text
//! TRACECLK:  EdgeSampler -> PairAligner -> NarrowPort -> AsyncFifo, 2^A words ->
//! clock:     FrameGenerator -> FrameDecoder -> Demux -> RowSerialiser -> etm4_byte
//!            -> BytePacker, 2^B words -> UartTx
//! ```
//!
//! A word is taken from the `AsyncFifo` only when all bytes before it are decoded and the packer has
//! room for what a frame can give. So nothing behind it ever overflows: all that is lost is lost in
//! front of it, counted there, and reported in the stream.
//!
//! Throughput: 15 bytes of trace in some 300 cycles, or what the serial line takes.

use crate::Etm4Byte;
use coretrace_etm::{Protocol, Registers};
use coretrace_hdl_coresight::{
    Demux, EdgeSampler, FrameDecoder, FrameGenerator, NarrowPort, PairAligner, RowSerialiser,
};
use coretrace_hdl_etm::PackSettings;
use coretrace_hdl_parts::stream::{AsyncFifo, UartRx, UartTx};
use coretrace_hdl_sink::records::BytePacker;
use rust_hdl::prelude::*;

/// The source that a probe listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeSource {
    /// Trace ID: what the debugger writes to TRCTRACEIDR.
    pub trace_id: u8,
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// The core is an Armv8-M.
    pub v8m: bool,
    /// The trace unit's registers.
    pub registers: Registers,
}

/// The probe; see the module text.
#[derive(LogicBlock)]
pub struct TraceProbe<const A: usize, const B: usize> {
    pub trace_clock: Signal<In, Clock>,
    pub trace_data: Signal<In, Bits<4>>,
    pub clock: Signal<In, Clock>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    pub sts_trace_clock: Signal<Out, Bit>,
    pub sts_running: Signal<Out, Bit>,
    pub sts_synced: Signal<Out, Bit>,
    pub sts_aligned: Signal<Out, Bit>,
    pub sts_active: Signal<Out, Bit>,
    pub sts_waiting: Signal<Out, Bit>,
    pub sts_lost: Signal<Out, Bit>,
    pub sts_error: Signal<Out, Bit>,
    pub sts_overflows: Signal<Out, Bits<16>>,
    trace_id: Constant<Bits<7>>,
    ete: Constant<Bit>,
    v8m: Constant<Bit>,
    trcconfigr: Constant<Bits<32>>,
    trcidr0: Constant<Bits<32>>,
    trcidr1: Constant<Bits<32>>,
    trcidr2: Constant<Bits<32>>,
    trcidr8: Constant<Bits<32>>,
    trcdevarch: Constant<Bits<32>>,
    // Clock of the port.
    sampler: EdgeSampler<4>,
    aligner: PairAligner,
    port: NarrowPort<8>,
    is_cut: DFF<Bit>,
    trace_cycles: DFF<Bits<24>>,
    fifo: AsyncFifo<33, A>,
    flag: Signal<Local, Bits<33>>,
    // The other clock.
    generator: FrameGenerator,
    decoder: FrameDecoder,
    demux: Demux<1>,
    serialiser: RowSerialiser,
    etm4: Etm4Byte,
    settings: PackSettings<1>,
    packer: BytePacker<B>,
    transmitter: UartTx,
    receiver: UartRx,
    is_running: DFF<Bit>,
    reset: DFF<Bit>,
    pace: DFF<Bits<4>>,
    is_aligned: DFF<Bit>,
    is_lost: DFF<Bit>,
    is_wrong: DFF<Bit>,
    active_cycles: DFF<Bits<22>>,
    word: Signal<Local, Bits<33>>,
}

impl<const A: usize, const B: usize> TraceProbe<A, B> {
    /// A probe for one source, with a serial line of so many cycles of `clock` per bit.
    pub fn new(source: ProbeSource, cycles_per_bit: u16) -> Self {
        let register = |value: u32| Constant::new(u64::from(value).into());
        let registers = &source.registers;
        Self {
            trace_clock: Default::default(),
            trace_data: Default::default(),
            clock: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            sts_trace_clock: Default::default(),
            sts_running: Default::default(),
            sts_synced: Default::default(),
            sts_aligned: Default::default(),
            sts_active: Default::default(),
            sts_waiting: Default::default(),
            sts_lost: Default::default(),
            sts_error: Default::default(),
            sts_overflows: Default::default(),
            trace_id: Constant::new(u64::from(source.trace_id & 0x7F).into()),
            ete: Constant::new(source.protocol == Protocol::Ete),
            v8m: Constant::new(source.v8m),
            trcconfigr: register(registers.trcconfigr),
            trcidr0: register(registers.trcidr0),
            trcidr1: register(registers.trcidr1),
            trcidr2: register(registers.trcidr2),
            trcidr8: register(registers.trcidr8),
            trcdevarch: register(registers.trcdevarch),
            sampler: Default::default(),
            aligner: Default::default(),
            port: Default::default(),
            is_cut: Default::default(),
            trace_cycles: Default::default(),
            fifo: Default::default(),
            flag: Default::default(),
            generator: Default::default(),
            decoder: Default::default(),
            demux: Default::default(),
            serialiser: Default::default(),
            etm4: Default::default(),
            settings: Default::default(),
            packer: Default::default(),
            transmitter: UartTx::new(cycles_per_bit),
            receiver: UartRx::new(cycles_per_bit),
            is_running: Default::default(),
            reset: Default::default(),
            pace: Default::default(),
            is_aligned: Default::default(),
            is_lost: Default::default(),
            is_wrong: Default::default(),
            active_cycles: Default::default(),
            word: Default::default(),
        }
    }
}

impl<const A: usize, const B: usize> Logic for TraceProbe<A, B> {
    #[hdl_gen]
    fn update(&mut self) {
        // Clock of the port.
        dff_setup!(self, trace_clock, is_cut, trace_cycles);
        self.sampler.clock.next = self.trace_clock.val();
        self.aligner.clock.next = self.trace_clock.val();
        self.port.clock.next = self.trace_clock.val();
        self.fifo.write_clock.next = self.trace_clock.val();
        self.sampler.pins.next = self.trace_data.val();
        self.aligner.rise.next = self.sampler.rise.val();
        self.aligner.fall.next = self.sampler.fall.val();
        self.port.s_axis_tdata.next = self.aligner.m_axis_tdata.val();
        self.port.s_axis_tvalid.next = true;
        // The other edge from now on: what was there before it is forgotten.
        self.port.reset.next = self.aligner.is_slip.val();
        if self.port.m_axis_tvalid.val() {
            self.is_cut.d.next = false;
        }
        if self.aligner.is_slip.val() & self.port.sts_aligned.val() {
            self.is_cut.d.next = true;
        }
        self.flag.next = 0.into();
        if self.port.m_axis_tuser.val() | self.is_cut.q.val() {
            self.flag.next = bits::<33>(1) << 32;
        }
        self.fifo.write_data.next =
            bit_cast::<33, 32>(self.port.m_axis_tdata.val()) | self.flag.val();
        self.fifo.write_valid.next = self.port.m_axis_tvalid.val();
        self.trace_cycles.d.next = self.trace_cycles.q.val() + 1;
        self.sts_trace_clock.next = self.trace_cycles.q.val().get_bit(23);

        // The other clock.
        dff_setup!(
            self,
            clock,
            is_running,
            reset,
            pace,
            is_aligned,
            is_lost,
            is_wrong,
            active_cycles
        );
        clock!(
            self,
            clock,
            fifo,
            generator,
            decoder,
            demux,
            serialiser,
            packer,
            transmitter,
            receiver
        );
        self.etm4.aclk.next = self.clock.val();
        self.receiver.rx.next = self.rx.val();

        // Every character ends the stream, and `1` begins another one.
        if self.receiver.m_axis_tvalid.val() {
            self.is_running.d.next = self.receiver.m_axis_tdata.val() == 0x31;
        }
        self.reset.d.next = self.receiver.m_axis_tvalid.val() | !self.is_running.q.val();
        self.fifo.reset.next = self.reset.q.val();
        self.generator.reset.next = self.reset.q.val();
        self.generator.clear.next = false;
        self.decoder.reset.next = self.reset.q.val();
        self.demux.reset.next = self.reset.q.val();
        self.demux.clear.next = false;
        self.serialiser.reset.next = self.reset.q.val();
        self.packer.reset.next = self.reset.q.val();
        self.transmitter.reset.next = self.reset.q.val();
        self.etm4.aresetn.next = !self.reset.q.val();

        // One word in 16 cycles at most: by then a frame that it ends has reached the serialiser.
        self.pace.d.next = self.pace.q.val() + 1;
        self.fifo.enable.next =
            self.pace.q.val().all() & !self.serialiser.is_busy.val() & self.packer.has_room.val();
        self.word.next = self.fifo.m_axis_tdata.val();
        self.generator.s_axis_tdata.next = self.word.val().get_bits::<32>(0);
        self.generator.s_axis_tvalid.next = self.fifo.m_axis_tvalid.val();
        self.generator.s_axis_tuser.next =
            self.fifo.m_axis_tuser.val() | self.word.val().get_bit(32);

        self.decoder.s_frame_tdata.next = self.generator.m_frame_tdata.val();
        self.decoder.s_frame_tvalid.next = self.generator.m_frame_tvalid.val();
        self.decoder.s_frame_discontinuity.next = self.generator.m_frame_discontinuity.val();
        self.demux.s_axis_tdata.next = self.decoder.m_axis_tdata.val();
        self.demux.s_axis_tid.next = self.decoder.m_axis_tid.val();
        self.demux.s_axis_tkeep.next = self.decoder.m_axis_tkeep.val();
        self.demux.s_axis_tvalid.next = self.decoder.m_axis_tvalid.val();
        self.demux.s_axis_discontinuity.next = self.decoder.m_axis_discontinuity.val();
        self.demux.ids[0].next = self.trace_id.val();
        self.demux.enables.next = 1.into();
        self.serialiser.s_axis_tdata.next = self.demux.m_axis_tdata[0].val();
        self.serialiser.s_axis_tkeep.next = self.demux.m_axis_tkeep[0].val();
        self.serialiser.s_axis_tvalid.next = self.demux.m_axis_tvalid[0].val();
        self.serialiser.s_axis_discontinuity.next = self.demux.m_axis_discontinuity[0].val();

        self.etm4.cfg_lenient.next = false;
        self.etm4.cfg_ete.next = self.ete.val();
        self.etm4.cfg_v8m.next = self.v8m.val();
        self.etm4.cfg_trcconfigr.next = self.trcconfigr.val();
        self.etm4.cfg_trcidr0.next = self.trcidr0.val();
        self.etm4.cfg_trcidr1.next = self.trcidr1.val();
        self.etm4.cfg_trcidr2.next = self.trcidr2.val();
        self.etm4.cfg_trcdevarch.next = self.trcdevarch.val();
        self.etm4.s_axis_tdata.next = self.serialiser.m_axis_tdata.val();
        self.etm4.s_axis_tkeep.next = self.serialiser.m_axis_tkeep.val().into();
        self.etm4.s_axis_tvalid.next = self.serialiser.m_axis_tvalid.val();
        self.etm4.s_axis_tuser.next = self.serialiser.m_axis_tuser.val();

        self.settings.trace_id.next = self.trace_id.val();
        self.settings.ete.next = self.ete.val();
        self.settings.v8m.next = self.v8m.val();
        self.settings.trcconfigr.next = self.trcconfigr.val();
        self.settings.trcidr0.next = self.trcidr0.val();
        self.settings.trcidr1.next = self.trcidr1.val();
        self.settings.trcidr2.next = self.trcidr2.val();
        self.settings.trcidr8.next = self.trcidr8.val();
        self.settings.trcdevarch.next = self.trcdevarch.val();
        self.settings.lenient.next = false;
        self.packer.settings.next = self.settings.settings.val();
        self.packer.s_valid.next = self.etm4.m_axis_tvalid.val();
        self.packer.s_discontinuity.next = self.etm4.m_axis_tuser.val();
        self.packer.s_keep.next = self.etm4.m_axis_tkeep.val().any();
        self.packer.s_lane.next = self.etm4.m_axis_lane[0].val();
        self.packer.s_pair.next = self.etm4.m_axis_pair[0].val();
        self.packer.s_lost.next = bit_cast::<32, 16>(self.fifo.sts_overflows.val());
        self.transmitter.s_axis_tdata.next = self.packer.m_axis_tdata.val();
        self.transmitter.s_axis_tvalid.next = self.packer.m_axis_tvalid.val();
        self.packer.m_axis_tready.next = self.transmitter.s_axis_tready.val();
        self.tx.next = self.transmitter.tx.val();

        if self.packer.is_async.val() {
            self.is_aligned.d.next = true;
        }
        if self.etm4.m_axis_tvalid.val() & self.etm4.m_axis_tuser.val() {
            self.is_lost.d.next = true;
        }
        if self.packer.is_error.val() {
            self.is_wrong.d.next = true;
        }
        if self.active_cycles.q.val().any() {
            self.active_cycles.d.next = self.active_cycles.q.val() - 1;
        }
        if self.packer.is_record.val() {
            self.active_cycles.d.next = 0x3FFFFF.into();
        }
        if self.reset.q.val() {
            self.is_aligned.d.next = false;
            self.is_lost.d.next = false;
            self.is_wrong.d.next = false;
        }
        self.sts_running.next = self.is_running.q.val();
        self.sts_synced.next = self.generator.in_sync.val();
        self.sts_aligned.next = self.is_aligned.q.val();
        self.sts_active.next = self.active_cycles.q.val().any();
        self.sts_waiting.next = !self.transmitter.s_axis_tready.val();
        self.sts_lost.next = self.is_lost.q.val();
        self.sts_error.next = self.is_wrong.q.val();
        self.sts_overflows.next = self.fifo.sts_overflows.val();
    }
}
