// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mutants of the hardware: each a fault that someone could make. `cargo mutants` has those of
//! the model.

use super::operation::Operation::{self, *};
use super::place::Target::{self, *};
use super::suite::Suite::{self, *};

/// A place in the source, by the names around it, and what goes wrong there.
#[derive(Debug)]
pub struct Mutant {
    /// Folder of the crate and file in it.
    pub file: [&'static str; 2],
    /// The function, empty for a constant of the file.
    pub function: &'static str,
    pub target: Target,
    pub operation: Operation,
    /// The fault, in a sentence.
    pub fault: &'static str,
    /// The tests that must catch it.
    pub suite: Suite,
}

const fn mutant(
    suite: Suite,
    fault: &'static str,
    file: [&'static str; 2],
    function: &'static str,
    target: Target,
    operation: Operation,
) -> Mutant {
    Mutant {
        file,
        function,
        target,
        operation,
        fault,
        suite,
    }
}

/// The crate of trace ports.
const CORESIGHT: &str = "hdl/coresight/src/";
/// The crate of the decoders.
const ETM: &str = "hdl/etm/src/";
/// The crate of parts that know no trace.
const PARTS: &str = "hdl/parts/src/";
/// The crate that follows a program.
const FLOW: &str = "hdl/flow/src/";
/// The crate of compressed traces.
const COMPRESS: &str = "hdl/compress/src/";
/// The crate of the record and profile streams.
const SINK: &str = "hdl/sink/src/";
/// The crate of software trace and data trace.
const SOFTWARE: &str = "hdl/software/src/";
/// The crate of the tops.
const TOPS: &str = "pipelines/src/";

const ASYNC: [&str; 2] = [ETM, "chained/async_detector.rs"];
const ENCODINGS: [&str; 2] = [ETM, "encodings.rs"];
const CONFIG: [&str; 2] = [ETM, "config_decode.rs"];
const ACTIONS: [&str; 2] = [ETM, "chained/action_code.rs"];
const PROCESS: [&str; 2] = [ETM, "chained/action_process.rs"];
const STEP: [&str; 2] = [ETM, "jump/step.rs"];
const CONTEXT: [&str; 2] = [ETM, "jump/context.rs"];
const GEARBOX: [&str; 2] = [ETM, "jump/gearbox.rs"];
const WINDOW: [&str; 2] = [ETM, "jump/window.rs"];
const LOOKUP: [&str; 2] = [ETM, "jump/lookup.rs"];
const RUNS: [&str; 2] = [ETM, "unrolled/run_length.rs"];
const ENABLES: [&str; 2] = [ETM, "unrolled/enables.rs"];
const UNROLLED_STATE: [&str; 2] = [ETM, "unrolled/state.rs"];
const INDEX: [&str; 2] = [ETM, "unrolled/index.rs"];
const SLOTS: [&str; 2] = [ETM, "unrolled/slots.rs"];
const ADDRESS: [&str; 2] = [ETM, "unrolled/address.rs"];
const FRAMES: [&str; 2] = [CORESIGHT, "frame_decoder.rs"];
const SYNCS: [&str; 2] = [CORESIGHT, "frame_generator.rs"];
const DEMUX: [&str; 2] = [CORESIGHT, "demux.rs"];
const FIFO: [&str; 2] = [PARTS, "stream/fifo_places.rs"];
const BEATS: [&str; 2] = [SINK, "records/beats.rs"];
const BOUNDARIES: [&str; 2] = [SINK, "records/boundaries.rs"];
const GROUPS: [&str; 2] = [SINK, "records/groups.rs"];
const SEQUENCER: [&str; 2] = [SINK, "records/group_sequencer.rs"];
const PLACE_MARKS: [&str; 2] = [SINK, "records/place_marks.rs"];
const GROUP_PLACES: [&str; 2] = [SINK, "records/group_places.rs"];
const RANGE: [&str; 2] = [SINK, "records/range.rs"];
const PROFILE: [&str; 2] = [SINK, "profile/accumulator.rs"];
const SUMS: [&str; 2] = [SINK, "profile/sum_step.rs"];
const CORE: [&str; 2] = [TOPS, "etm4_core.rs"];
const MERGE: [&str; 2] = [FLOW, "merge.rs"];
const SERIALIZER: [&str; 2] = [FLOW, "serializer.rs"];
const WALKER: [&str; 2] = [FLOW, "walker.rs"];
const RANK: [&str; 2] = [FLOW, "rank.rs"];
const REPORT: [&str; 2] = [FLOW, "walk_report.rs"];
const EVENTS: [&str; 2] = [FLOW, "count_events.rs"];
const COUNTERS: [&str; 2] = [FLOW, "site_counters.rs"];
const STACK: [&str; 2] = [FLOW, "return_stack.rs"];
const ROWS: [&str; 2] = [FLOW, "item_fifo.rs"];
const FORWARDED: [&str; 2] = [COMPRESS, "forwarded.rs"];
const OUTCOMES: [&str; 2] = [COMPRESS, "outcome_counters.rs"];
const HISTORY: [&str; 2] = [COMPRESS, "history_places.rs"];
const FOLLOWED: [&str; 2] = [COMPRESS, "following.rs"];
const RING: [&str; 2] = [COMPRESS, "outcome_ring.rs"];
const EXPECTED: [&str; 2] = [COMPRESS, "expected_targets.rs"];
const RAPTOR: [&str; 2] = [COMPRESS, "raptor_places.rs"];
const WAYS: [&str; 2] = [COMPRESS, "stream_ways.rs"];
const FOLLOWS: [&str; 2] = [COMPRESS, "last_stream.rs"];
const RUN: [&str; 2] = [COMPRESS, "run_monitor.rs"];
const CUTS: [&str; 2] = [COMPRESS, "stream_cuts.rs"];
const STARTS: [&str; 2] = [COMPRESS, "stream_starts.rs"];
const STP: [&str; 2] = [SOFTWARE, "stp/stream.rs"];
const STP_PACKET: [&str; 2] = [SOFTWARE, "stp/packet.rs"];
const ITM: [&str; 2] = [SOFTWARE, "itm/stream.rs"];
const ITM_PACKET: [&str; 2] = [SOFTWARE, "itm/packet.rs"];
const ITM_STATE: [&str; 2] = [SOFTWARE, "itm/trace_state.rs"];
const PENDING: [&str; 2] = [SOFTWARE, "pending.rs"];
const HEADERS: [&str; 2] = [SOFTWARE, "data/stream.rs"];

/// All of them.
#[rustfmt::skip]
pub const MUTANTS: &[Mutant] = &[
    mutant(Decoders, "The chained decoder counts each zero of an A-Sync twice.", ASYNC, "async_detector", Let("more"), OffBy(1)),
    mutant(Decoders, "Ignore packets are legal one version too early.", CONFIG, "config_decode", Arm("Gate::Ignore"), OffBy(-1)),
    mutant(Decoders, "Timestamp markers are legal in ETE only.", CONFIG, "config_decode", Arm("Gate::TimestampMarker"), SwapAndOr),
    mutant(Decoders, "A continuation field has four groups at most.", ACTIONS, "action", Let("in_groups"), OffBy(-1)),
    mutant(Decoders, "A lead is complete after every byte or with the last byte of any part.", ACTIONS, "action", Let("lead_is_complete"), SwapAndOr),
    mutant(Decoders, "A continuation field keeps the groups of the field before.", PROCESS, "field", Let("starts"), StuckAt0),
    mutant(Decoders, "An exact match takes the wrong address register.", PROCESS, "addresses", Let("named"), SwapMux),
    mutant(Decoders, "A short address has three bytes in the jump-ahead decoder.", STEP, "entry", Arm("state::SHORT"), OffBy(1)),
    mutant(Decoders, "The policies after an error are exchanged.", STEP, "NextStates::new", Let("failed"), SwapMux),
    mutant(Decoders, "PE Reset and Transaction Failure are packets of their own in ETMv4 too.", ENCODINGS, "is_ete_exception", Result, Drop("ete")),
    mutant(Decoders, "An Overflow is no packet.", ENCODINGS, "is_extension", Result, Drop("OVERFLOW")),
    mutant(Decoders, "A VMID of one byte is the byte before it.", CONTEXT, "context", Let("byte0"), OffBy(1)),
    mutant(Decoders, "A VMID of one byte has the byte before as its second.", CONTEXT, "context", Let("byte1"), Drop("is_one")),
    mutant(Decoders, "The gearbox keeps the bytes before a loss.", GEARBOX, "fill_loop", Let("kept"), Use("lost", "restart")),
    mutant(Decoders, "The gearbox cuts a word short without a loss.", GEARBOX, "fill_loop", Let("cut"), SwapAndOr),
    mutant(Decoders, "A timestamp goes on after its ninth byte.", WINDOW, "", Constant("TIME_BYTES"), OffBy(1)),
    mutant(Decoders, "A word that a loss cuts short comes twice.", GEARBOX, "show", Let("update"), Drop("cut")),
    mutant(Decoders, "The stream state changes between words and not with them.", LOOKUP, "state_lookup", Let("updated"), SwapMux),
    mutant(Decoders, "The unrolled decoder continues a run of zeros that is broken, and ends others.", RUNS, "runs", Let("next"), SwapMux),
    mutant(Decoders, "A byte that does not count ends a timestamp.", ENABLES, "enables", Field("timestamp_goes_on"), Drop("stay")),
    mutant(Decoders, "A commit packet has its field whatever COMMOPT is.", ENABLES, "enables", Let("single"), Drop("short")),
    mutant(Decoders, "The lenient policy drops what comes after a bad extension.", ENABLES, "enables", Field("extension_header"), Drop("lenient")),
    mutant(Decoders, "A context has a context ID if the one before had.", UNROLLED_STATE, "StreamState::step", Field("has_cid"), SwapMux),
    mutant(Decoders, "The bytes of a part are counted from 0 in every word.", INDEX, "indices", Let("later"), StuckAt0),
    mutant(Decoders, "A slot takes the byte of the lane before.", SLOTS, "last_put", Let("pair"), SwapMux),
    mutant(Decoders, "An exact match leaves the older addresses where they are.", ADDRESS, "after_lane", Let("pushes"), Drop("exact")),
    mutant(Port, "A delayed ID change takes effect at once, and the other way round.", FRAMES, "update", If("a0"), Invert),
    mutant(Port, "The last ID change of a frame takes effect one byte off.", FRAMES, "update", If("a1"), Invert),
    mutant(Port, "An ID outlives a loss.", FRAMES, "update", If("current_valid"), Drop("lost")),
    mutant(Port, "A byte has the auxiliary bit of another one.", FRAMES, "update", Set("data.d"), Use("a1", "a0")),
    mutant(Port, "A loss is reported to no source.", DEMUX, "update", Set("discontinuity[i].d"), StuckAt0),
    mutant(Port, "A loss is reported to a source that is disabled.", DEMUX, "update", Set("reports_loss[i]"), Drop("enables")),
    mutant(Port, "A loss of words before the port is not counted.", SYNCS, "update", Set("losses.amount"), Drop("fails_s2")),
    mutant(Streams, "A FIFO advances while its consumer stalls.", FIFO, "update", Set("takes"), Drop("m_axis_tready")),
    mutant(Streams, "An address that an A-Sync made unknown counts as known.", GROUPS, "known", Let("after"), SwapMux),
    mutant(Streams, "The report of a loss is no unit.", SEQUENCER, "group_sequencer", Let("is_lost"), StuckAt0),
    mutant(Streams, "No unit ends its row.", SEQUENCER, "group_sequencer", Let("last"), StuckAt0),
    mutant(Streams, "A row is done after the first unit of a head.", SEQUENCER, "goes_on", Let("several_heads"), StuckAt0),
    mutant(Streams, "The words of a row go to the places behind them.", GROUPS, "record_groups", Field("offset"), OffBy(1)),
    mutant(Streams, "A wide continuation field is taken for a short one.", GROUPS, "lane", Field("is_small"), StuckAt1),
    mutant(Streams, "The words that wait are lost to those that come.", BEATS, "record_beats", Let("filled"), SwapMux),
    mutant(Streams, "A packet ends between a field and its record.", BOUNDARIES, "boundaries", Let("inside"), StuckAt0),
    mutant(Core, "The range ends at its first address.", RANGE, "is_outside", Let("above"), Use("last", "first")),
    mutant(Core, "The range has no lower end.", RANGE, "is_outside", Let("below"), StuckAt0),
    mutant(Streams, "An event that is added leaves as an entry too.", SUMS, "sum_step", Let("leaves"), Drop("adds")),
    mutant(Streams, "An event replaces the sum that it should be added to.", SUMS, "sum_step", Let("sum"), SwapMux),
    mutant(Streams, "The sum of a place is taken for empty.", SUMS, "sum_step", Let("old_full"), StuckAt0),
    mutant(Streams, "A sum that was just begun is taken for empty.", SUMS, "sum_step", Drive("full1_held"), StuckAt0),
    mutant(Properties, "A START has the trace ID that is set later.", PROFILE, "update", Set("next_id.d"), Skip("lanes")),
    mutant(Streams, "The entries of a source have the trace ID of the one before.", PROFILE, "update", Set("id.d"), Use("next_id", "id")),
    mutant(Counters, "Null bytes are counted as reserved ones.", CORE, "update", Set("status.null_drops"), Use("null_drops", "reserved_drops")),
    mutant(Counters, "Bad sequences are counted as reserved headers.", CORE, "update", Set("bad_sequences.amount"), Use("bad_sequences", "reserved_headers")),
    mutant(Counters, "A-Syncs are counted as packets.", CORE, "update", Set("packets.amount"), Use("packets", "asyncs")),
    mutant(Core, "Settings change while results of the source are in flight.", CORE, "update", Set("settings.is_busy"), StuckAt0),
    mutant(Places, "Bytes of the other source in front of a row leave no mark.", PLACE_MARKS, "place_marks", Let("ends"), StuckAt1),
    mutant(Places, "A row without a byte takes the mark of the next one.", PLACE_MARKS, "place_marks", Let("ends"), Drop("valid")),
    mutant(Places, "A mark in front of bytes that end no record is lost.", GROUP_PLACES, "group_places", Let("due"), Drop("held")),
    mutant(Places, "A mark behind the last record of a group counts for it.", GROUP_PLACES, "group_places", Let("waits"), SwapMux),
    mutant(Counters, "No frame is counted.", CORE, "update", Set("frames.amount"), StuckAt0),
    mutant(Counters, "No loss is counted.", CORE, "update", Set("losses.amount"), StuckAt0),
    mutant(Flow, "A damaged page word is that of no page.", RANK, "page_match", Let("damaged"), StuckAt0),
    mutant(Flow, "A page of another number has the slot of this one.", RANK, "page_match", Let("same_number"), StuckAt1),
    mutant(Flow, "N atoms of many packets overflow their number.", MERGE, "merge", Let("is_full"), StuckAt0),
    mutant(Flow, "An address behind an exception begins a flow.", MERGE, "merge", Let("begins"), Drop("excepted")),
    mutant(Flow, "Every address behind a jump may be any.", MERGE, "merge", Let("ends_jump"), StuckAt0),
    mutant(Flow, "A token behind one without an E comes at once.", SERIALIZER, "token_step", Let("must_wait"), StuckAt0),
    mutant(Flow, "A return leaves its call on the stack.", WALKER, "walk_step", Let("pop"), StuckAt0),
    mutant(Flow, "A call is kept whether the trace unit keeps it or not.", WALKER, "walk_step", Let("may_push"), Drop("waits_for_address")),
    mutant(Flow, "The program goes on behind a branch whose target is not known.", WALKER, "walk_step", Let("goes_on"), Drop("is_stuck")),
    mutant(Flow, "A flow without an atom ends as one with atoms.", REPORT, "walk_report", Let("leaves"), Drop("fresh_behind")),
    mutant(Flow, "N atoms of a damaged run are walked.", REPORT, "walk_report", Let("may_pass"), Drop("run_damaged")),
    mutant(Flow, "Atoms of a failed run are not skipped.", REPORT, "walk_report", Let("skipped"), SwapMux),
    mutant(Flow, "A flow that ends twice in a hop is counted once.", EVENTS, "count_events", Drive("waits_next"), StuckAt0),
    mutant(Flow, "A sum misses the event of the cycle before.", COUNTERS, "count_step", Let("follows1"), StuckAt0),
    mutant(Flow, "A sum misses the event that is written now.", COUNTERS, "count_step", Let("missed1"), StuckAt0),
    mutant(Flow, "A sum that has passed its end looks like a small one.", COUNTERS, "count_step", Let("flag"), StuckAt0),
    mutant(Flow, "A stack that was flushed has its calls.", STACK, "update", If("flush"), StuckAt0),
    mutant(Flow, "A row is stored whether there is room or not.", ROWS, "update", Set("stores"), Drop("has_room")),
    mutant(Compressors, "A counter misses the branch in front of this one.", FORWARDED, "forwarded", Let("has_one_before"), StuckAt0),
    mutant(Compressors, "A counter misses the branch before that.", FORWARDED, "forwarded", Let("has_two_before"), StuckAt0),
    mutant(Compressors, "A counter misses the third branch before this one.", FORWARDED, "forwarded", Let("has_three_before"), StuckAt0),
    mutant(Compressors, "A counter goes up with a branch that is not taken.", OUTCOMES, "counted", Result, SwapMux),
    mutant(Compressors, "A history of outcomes begins with the second one.", HISTORY, "places", Let("history"), OffBy(1)),
    mutant(Compressors, "A word of outcomes is followed once more at its end.", FOLLOWED, "follow", Let("is_used_up"), StuckAt0),
    mutant(Compressors, "The next word of outcomes of a place stays the old one.", FOLLOWED, "follow", Let("fills"), StuckAt0),
    mutant(Compressors, "A place in an odd word has the outcomes of the even one.", RING, "word_cut", Let("is_odd"), StuckAt0),
    mutant(Compressors, "A target that is sure is replaced by another one.", EXPECTED, "expected_step", Let("stays"), StuckAt0),
    mutant(Compressors, "The index of a counter of M4 has another bit of the address.", RAPTOR, "places", Let("counter"), OffBy(1)),
    mutant(Compressors, "M4 knows no condition of the path to a branch.", RAPTOR, "places", Let("walked"), Use("condition", "line")),
    mutant(Compressors, "A set misses the stream in front of this one.", WAYS, "stream_ways", Let("meets_1"), StuckAt0),
    mutant(Compressors, "A set misses the stream before that.", WAYS, "stream_ways", Let("meets_2"), StuckAt0),
    mutant(Compressors, "The order of a set does not know the way that is used.", WAYS, "stream_ways", Let("used"), Use("order", "read")),
    mutant(Compressors, "A stream that follows itself is not predicted.", FOLLOWS, "stream_follows", Let("is_written"), StuckAt0),
    mutant(Compressors, "Short runs do not make their bits fewer.", RUN, "run_monitor", Let("was_short"), StuckAt0),
    mutant(Compressors, "A run is as long as its bits can say one stream too early.", RUN, "run_monitor", Let("becomes_full"), OffBy(1)),
    mutant(Compressors, "A stream behind a cut has its address in its record.", CUTS, "stream_cuts", Let("is_anywhere"), Drop("begins")),
    mutant(Compressors, "A stream behind a cut starts where the event led.", STARTS, "stream_starts", Let("is_first_cut"), StuckAt0),
    mutant(Compressors, "An address of A64 is new by the bits of A32 alone.", STARTS, "stream_starts", Let("is_above_new"), StuckAt0),
    mutant(Software, "An STM is read on behind lost nibbles under both policies.", STP, "start", Let("goes_on"), Drop("lenient")),
    mutant(Software, "A VERSION of any number is legal.", STP, "outcome_of", Let("is_legal_version"), StuckAt1),
    mutant(Software, "A timestamp needs no VERSION before it.", STP, "outcome_of", Let("is_bad"), Drop("ends_stamp")),
    mutant(Software, "An ASYNC ends behind any number of nibbles F.", STP, "step", Let("hit"), Drop("is_full")),
    mutant(Software, "A VERSION that is cut sets the coding of timestamps.", STP, "step", Let("sets_coding"), Drop("ends")),
    mutant(Software, "Data begin with what was left of the packet before.", STP_PACKET, "step", Let("keeps"), StuckAt1),
    mutant(Software, "A payload of an ITM with too many bytes is no error.", ITM, "outcome_of", Let("is_bad"), Drop("goes_on")),
    mutant(Software, "A sync of an ITM ends behind any number of zeros.", ITM, "step", Let("hit"), Drop("is_full")),
    mutant(Software, "A header that no packet of an ITM has is no error.", ITM, "step", Let("is_error"), Drop("RESERVED")),
    mutant(Software, "The bytes of an ITM packet are all put in one place.", ITM_PACKET, "packet", Let("is_put"), Drop("len")),
    mutant(Software, "A global timestamp that wraps leaves its high bits known.", ITM_STATE, "applied", Let("wraps"), StuckAt0),
    mutant(Software, "Every extension of an ITM sets the page.", ITM_STATE, "applied", Let("sets_page"), Drop("packet")),
    mutant(Software, "Units of the bytes before do not count for a record.", PENDING, "pending", Drive("next"), StuckAt0),
    mutant(Software, "An A-Sync of data trace ends behind any number of zeros.", HEADERS, "predecode", Field("hit"), Drop("is_full")),
    mutant(Software, "A header of data trace that no packet has is passed over.", HEADERS, "step", Let("stops"), StuckAt0),
    mutant(Software, "What follows a header of unknown payload is read.", HEADERS, "step", Let("is_raw"), StuckAt0),
];
