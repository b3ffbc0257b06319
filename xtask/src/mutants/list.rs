// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mutants: each a fault that someone could make.

/// A text in a file, and the wrong one in its place.
#[derive(Debug)]
pub struct Mutant {
    pub name: &'static str,
    pub file: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    /// The tests that have to notice.
    pub suite: Suite,
}

/// Tests that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The protocol and the model, against examples of the specification and OpenCSD's lists.
    Model,
    /// The decoders for one source, against the model.
    Decoders,
    /// Frames and demultiplexer, against the model.
    Port,
    /// The record and the profile stream, against the model.
    Streams,
    /// The core from its port to its streams and counters, against the model.
    Core,
}

impl Suite {
    pub const ALL: [Suite; 5] = [
        Suite::Model,
        Suite::Decoders,
        Suite::Port,
        Suite::Streams,
        Suite::Core,
    ];

    /// What `cargo test` is to be told.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Suite::Model => &[
                "-p",
                "coretrace-etm",
                "-p",
                "coretrace-coresight",
                "-p",
                "coretrace-decode",
                "-p",
                "coretrace-profile",
                "-p",
                "etm4",
                "--lib",
                "--test",
                "examples",
                "--test",
                "golden",
            ],
            Suite::Decoders => &["-p", "coretrace-pipelines", "--test", "equals_model"],
            Suite::Port => &["-p", "coretrace-hdl-coresight", "--lib"],
            Suite::Streams => &["-p", "coretrace-test-suites", "--test", "paths"],
            Suite::Core => &[
                "-p",
                "coretrace-test-faults",
                "-p",
                "coretrace-test-suites",
                "--test",
                "core",
            ],
        }
    }
}

const fn mutant(
    suite: Suite,
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant {
        name,
        file,
        from,
        to,
        suite,
    }
}

const ADDRESS: &str = "protocol/etm/src/address.rs";
const ATOM: &str = "protocol/etm/src/atom.rs";
const PACKET: &str = "protocol/etm/src/packet.rs";
const PARSER: &str = "protocol/etm/src/parser.rs";
const HEADER: &str = "protocol/etm/src/header.rs";
const MODEL: &str = "host/decode/src/decoder.rs";
const CONFIG: &str = "hdl/etm/src/config_decode.rs";
const STREAM: &str = "hdl/etm/src/chained/stream_state.rs";
const ACTIONS: &str = "hdl/etm/src/chained/action_code.rs";
const PROCESS: &str = "hdl/etm/src/chained/action_process.rs";
const STEP: &str = "hdl/etm/src/jump/step.rs";
const NOTE: &str = "hdl/etm/src/jump/note.rs";
const CONTEXT: &str = "hdl/etm/src/jump/context.rs";
const FRAMES: &str = "hdl/coresight/src/frame_decoder.rs";
const RECORDS: &str = "hdl/sink/src/records/rows.rs";
const BEATS: &str = "hdl/sink/src/records/beats.rs";
const UNITS: &str = "hdl/sink/src/records/units.rs";
const RANGE: &str = "hdl/sink/src/records/range.rs";
const PROFILE: &str = "hdl/sink/src/profile/path.rs";
const SUMS: &str = "hdl/sink/src/profile/sum_step.rs";
const GEARBOX: &str = "hdl/etm/src/jump/gearbox.rs";
const DEMUX: &str = "hdl/coresight/src/demux.rs";
const FIFO: &str = "hdl/parts/src/stream/sync_fifo.rs";
const CORE: &str = "pipelines/src/etm4_core.rs";

/// All of them.
#[rustfmt::skip]
pub const MUTANTS: &[Mutant] = &[
    mutant(Suite::Model, "a short address with the other IS", ADDRESS, "let shift = if is1 { 1 } else { 2 };", "let shift = if is1 { 2 } else { 1 };"),
    mutant(Suite::Model, "a long address without its sixteenth bit", ADDRESS, "(lead[1] as u64 & 0x7F) << 9", "(lead[1] as u64 & 0x3F) << 9"),
    mutant(Suite::Model, "older address registers in the wrong order", ADDRESS, "self.0 = [address, self.0[0], self.0[1]];", "self.0 = [address, self.0[1], self.0[0]];"),
    mutant(Suite::Model, "an atom too few in format 6", ATOM, "            count: low + 4,\n            bits: 0b11111,", "            count: low + 3,\n            bits: 0b11111,"),
    mutant(Suite::Model, "the last atom of format 6 is not the other one", ATOM, "bits: 0b01111,", "bits: 0b11111,"),
    mutant(Suite::Model, "groups of a continuation field overlap", PARSER, "<< (7 * index);", "<< (6 * index);"),
    mutant(Suite::Model, "an A-Sync after ten zeros", PARSER, "byte == 0x80 && self.index == 11", "byte == 0x80 && self.index >= 10"),
    mutant(Suite::Model, "a context ID as long as a VMID", PARSER, "self.index == self.config.cid_bytes", "self.index == self.config.vmid_bytes"),
    mutant(Suite::Model, "a timestamp of eight bytes at most", HEADER, "Lead::Timestamp | Lead::Instrumentation => 9,", "Lead::Timestamp | Lead::Instrumentation => 8,"),
    mutant(Suite::Model, "VMID and context ID announced the other way round", HEADER, "if info & 0x40 != 0 && config.vmid_bytes != 0", "if info & 0x80 != 0 && config.vmid_bytes != 0"),
    mutant(Suite::Model, "COMMOPT the other way round", HEADER, "if config.commopt && depends_on_commopt(header)", "if !config.commopt && depends_on_commopt(header)"),
    mutant(Suite::Model, "an exception's second byte a bit too low", PACKET, "| upper << 5,", "| upper << 4,"),
    mutant(Suite::Model, "cycle count format 3 with three bits", PACKET, "threshold.wrapping_add((header & 3) as u32)", "threshold.wrapping_add((header & 7) as u32)"),
    mutant(Suite::Model, "no threshold in cycle count format 2", PACKET, "Some(threshold.wrapping_add((lead0 & 0xF) as u32))", "Some((lead0 & 0xF) as u32)"),
    mutant(Suite::Model, "the limit of speculation off by one", PACKET, ".wrapping_sub(15)", ".wrapping_sub(16)"),
    mutant(Suite::Model, "a timestamp forgets what it does not tell", MODEL, "self.timestamp = (self.timestamp & keep) | value;", "self.timestamp = value;"),
    mutant(Suite::Model, "a Trace Info leaves the timestamp", MODEL, "            self.timestamp = 0;\n", ""),
    mutant(Suite::Model, "no resynchronisation after an error", MODEL, "Policy::Resync => self.synced = false,", "Policy::Resync => self.synced = true,"),
    mutant(Suite::Decoders, "an A-Sync of ten zeros in the chain", "hdl/etm/src/chained/async_detector.rs", "const ZEROS: u64 = 11;", "const ZEROS: u64 = 10;"),
    mutant(Suite::Decoders, "a short address of three bytes in the jump", STEP, "state::SHORT => return table(state::HEADER, state::bytes(1), more::BIT7),", "state::SHORT => return table(state::HEADER, state::bytes(2), more::BIT7),"),
    mutant(Suite::Decoders, "an error leaves the lenient jump in search of an A-Sync", STEP, "let failed = lenient.mux(code(state::HEADER), code(state::UNSYNC));", "let failed = lenient.mux(code(state::UNSYNC), code(state::UNSYNC));"),
    mutant(Suite::Decoders, "PE Reset and Transaction Failure as any exception", NOTE, "config.ete.and(number.is(0).or(number.is(24)))", "config.ete.and(number.is(1).or(number.is(25)))"),
    mutant(Suite::Decoders, "a VMID of two bytes in the wrong order", CONTEXT, "(is_two, w[1])], w[3]);", "(is_two, w[0])], w[3]);"),
    mutant(Suite::Decoders, "Ignore packets one version too early", CONFIG, "Gate::Ignore => ete.or(from(3)),", "Gate::Ignore => ete.or(from(2)),"),
    mutant(Suite::Decoders, "a bounded lead without its bound", STREAM, "more.not().or(at_last).and(special.not()),", "more.not().and(special.not()),"),
    mutant(Suite::Decoders, "a continuation field of four groups", ACTIONS, "role.index.lt(T::constant(5, 4))", "role.index.lt(T::constant(4, 4))"),
    mutant(Suite::Decoders, "a continuation field keeps the one before", PROCESS, "        old.gated(starts.not()),\n", "        old.gated(starts.or(starts.not())),\n"),
    mutant(Suite::Decoders, "an exact match of the newest register takes the second", PROCESS, "action.header.bit(0).mux(value(1), value(0))", "action.header.bit(0).mux(value(1), value(1))"),
    mutant(Suite::Port, "a late change of the ID comes early", FRAMES, "            if !self.a0.val() {\n", "            if self.a0.val() | !self.a0.val() {\n"),
    mutant(Suite::Port, "an ID outlives a loss", FRAMES, "if self.current_valid.q.val() & !self.lost.q.val() {", "if self.current_valid.q.val() {"),
    mutant(Suite::Port, "a byte with the auxiliary bit of another", FRAMES, ".replace_bit(16, self.a1.val());", ".replace_bit(16, self.a0.val());"),
    mutant(Suite::Streams, "an address that an A-Sync made unknown is not told", RECORDS, "forgets: forgets(tag, false).into(),", "forgets: 0,"),
    mutant(Suite::Streams, "the loss of a row takes its first unit away", UNITS, "let first = head.lost.above(head.lost);", "let first = T::constant(0, 2);"),
    mutant(Suite::Streams, "the words of a record begin one too late", RECORDS, ".map(|sum| sum.add_const(1).reg());", ".map(|sum| sum.add_const(2).reg());"),
    mutant(Suite::Decoders, "a loss that leaves the bytes before it in the gearbox", GEARBOX, "let kept = fill.gated(lost.not());", "let kept = fill;"),
    mutant(Suite::Port, "a loss that no source is told of", DEMUX, "self.discontinuity[i].d.next = self.told[i].val();", "self.discontinuity[i].d.next = false;"),
    mutant(Suite::Core, "a range that leaves out its last address", RANGE, "let above = less(range.last, [low, high]);", "let above = less([low, high], range.last).not();"),
    mutant(Suite::Streams, "a word that is taken though the consumer rests", FIFO, "self.takes.next = self.valid.q.val() & self.m_axis_tready.val();", "self.takes.next = self.valid.q.val();"),
    mutant(Suite::Core, "null bytes counted as reserved ones", CORE, "sts_null_drops.next = self.demux.null_drops.val();", "sts_null_drops.next = self.demux.reserved_drops.val();"),
    mutant(Suite::Core, "bad sequences counted as reserved headers", CORE, "self.bad_sequences.amount.next = self.path.bad_sequences.val();", "self.bad_sequences.amount.next = self.path.reserved_headers.val();"),
    mutant(Suite::Core, "a beat is filled up in the middle of a group", BEATS, "let waits = all(&[open, inside.not(), unit.valid.not(), keeps]);", "let waits = all(&[open, unit.valid.not(), keeps]);"),
    mutant(Suite::Core, "the settings of a source change while results are under way", CORE, "self.registers.is_busy.next = self.is_busy.val();", "self.registers.is_busy.next = false;"),
    mutant(Suite::Core, "no frame is counted", CORE, "self.frames.amount.next = bits::<3>(0) + self.frame_generator.m_frame_tvalid.val();", "self.frames.amount.next = 0.into();"),
    mutant(Suite::Core, "a start is told by the trace ID that is set later", PROFILE, "self.next_id.d.next = self.lanes.trace_id.val();", "self.next_id.d.next = self.trace_id.val();"),
    mutant(Suite::Streams, "sums of a source leave under the trace ID of the next one", PROFILE, "if self.doing.q.val() == Doing::Note {", "if self.is_start.q.val() {"),
    mutant(Suite::Streams, "a sum that leaves its place is forgotten", SUMS, "let leaves = all(&[active, old_full, adds.not(), reset.at(now).not()]);", "let leaves = all(&[active, old_full, adds.not(), flush, reset.at(now).not()]);"),
    mutant(Suite::Streams, "two events in a row of which the second is not added", SUMS, "let (sums, fulls) = (chain(sum1), chain(full1));", "let (sums, fulls) = (chain(sum1.and_const(0)), chain(full1));"),
];
