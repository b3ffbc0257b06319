// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported Verilog of every block and every preset, in Icarus Verilog or Verilator, equals the simulation in
//! Rust: cycle by cycle, every bit of every output.
//!
//! | module | what it holds |
//! |---|---|
//! | `trace_unit`, `source_words`, `port_words` | input: captures of the corpus and random streams |
//! | `mixer` | random values between those that a decoder reaches |
//! | `bench` | the comparison |
//! | `decoder_blocks`, `jump_blocks`, `unrolled_blocks`, `port_blocks`, `front_blocks`, `record_blocks`, `flow_blocks`, `branch_blocks`, `compress_blocks`, `stream_cache_blocks`, `retirement_blocks`, `history_blocks`, `element_blocks`, `software_blocks`, `recorder_blocks`, `data_blocks`, `probe_blocks`, `axi_blocks`, `decoders`, `core_block`, `software_core_block`, `flow_core_block`, `compressor_core`, `recompressor_core`, `recompressor_xe_core` | how each block is driven |
//! | `core_parameters` | the exported core with each value of its parameters |
//! | `exports` | no block is missing here, and a wrong one is noticed |

mod axi_blocks;
mod bench;
mod branch_blocks;
mod compress_blocks;
mod compressor_core;
mod core_block;
mod core_parameters;
mod data_blocks;
mod decoder_blocks;
mod decoders;
mod element_blocks;
mod exports;
mod flow_blocks;
mod flow_core_block;
mod front_blocks;
mod history_blocks;
mod jump_blocks;
mod mixer;
mod port_blocks;
mod port_words;
mod probe_blocks;
mod recompressor_core;
mod recompressor_xe_core;
mod record_blocks;
mod recorder_blocks;
mod retirement_blocks;
mod software_blocks;
mod software_core_block;
mod source_words;
mod stream_cache_blocks;
mod trace_unit;
mod unrolled_blocks;

use axi_blocks::{RegisterBlock, RegisterStep};
use bench::check;
use coretrace_hdl_compress::*;
use coretrace_hdl_coresight::*;
use coretrace_hdl_etm::baseline::*;
use coretrace_hdl_etm::chained::*;
use coretrace_hdl_etm::jump::*;
use coretrace_hdl_etm::unrolled::*;
use coretrace_hdl_etm::{ConfigDecode, PackSettings};
use coretrace_hdl_flow::*;
use coretrace_hdl_parts::axi::*;
use coretrace_hdl_parts::stream::*;
use coretrace_hdl_sink::profile::*;
use coretrace_hdl_sink::records::*;
use coretrace_hdl_sink::software::{
    ByteStep, ItmEntries, ItmRecorder, JoinBytes, RowBytes, SendStep, SoftwareBeats,
    SoftwareSender, StpEntries, StpRecorder,
};
use coretrace_hdl_sink::{AsyncInWord, StreamGate};
use coretrace_hdl_software::data::DataHeaders;
use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::StpDecoder;
use coretrace_hdl_software::stp::x4::StpX4;
use coretrace_pipelines::{
    Etm4Byte, Etm4JumpX4, Etm4JumpX8, Etm4JumpX16, Etm4OnehotX4, Etm4OnehotX8, Etm4X4,
    TpiuEtm4JumpX4, TpiuEtm4X4,
};

/// The seed of all random input of these tests.
const SEED: u64 = 0x0E7A_4C05;

/// A test for each block, and the list of them. The name of the test is that of the top module.
macro_rules! equal_in_verilog {
    ($list:ident: $($(#[$attribute:meta])* $name:ident: $block:ident $(<$($number:literal),+>)?,)*) => {
        /// The name of each test and of its block.
        const $list: &[(&str, &str)] = &[$((stringify!($name), stringify!($block))),*];

        $(
            #[test]
            $(#[$attribute])*
            fn $name() {
                check::<$block $(<$($number),+>)?>(stringify!($name));
            }
        )*
    };
}

equal_in_verilog! { BLOCKS:
    async_fifo: AsyncFifo<32, 2>,
    gray_counter: GrayCounter<4>,
    synchroniser: Synchroniser<4>,
    sync_fifo: SyncFifo<70, 4>,
    lut_fifo: LutFifo<70, 4>,
    uart_tx: UartTx,
    uart_rx: UartRx,
    edge_sampler: EdgeSampler<4>,
    pair_aligner: PairAligner,
    ocla_half: OclaHalf<32, 1>,
    narrow_port: NarrowPort<4>,
    frame_generator: FrameGenerator,
    frame_decoder: FrameDecoder,
    demux: Demux<4>,
    tpiu_front: TpiuFront,
    row_place: RowPlace,
    row_serialiser: RowSerialiser,
    saturating_counter: SaturatingCounter,
    maximum: Maximum<4>,
    axi_lite: AxiLite<9, 7>,
    register_step: RegisterStep,
    register_block: RegisterBlock,
    interrupts: Interrupts<3>,
    pack_settings: PackSettings<1>,
    config_decode: ConfigDecode<1>,
    header_lookup: HeaderLookup<4>,
    async_detector: AsyncDetector<4>,
    stream_state_process: StreamStateProcess<4>,
    action_code: ActionCode<4>,
    action_process: ActionProcess<4>,
    pending_counter: PendingCounter<4>,
    crc_step: CrcStep<1>,
    byte_head: ByteHead<1, 1>,
    byte_record: ByteRecord<1>,
    byte_packer: BytePacker<8>,
    chained_decoder_x1: ChainedDecoder<1, 1>,
    #[ignore = "nightly: a baseline, which is not exported"]
    chained_decoder_x4: ChainedDecoder<4, 2>,
    header_preprocess_x4: HeaderPreprocess<4, 2>,
    unrolled_stream_state_x4: UnrolledStreamState<4, 2>,
    unrolled_action_code_x4: UnrolledActionCode<4, 2>,
    unrolled_action_process_x4: UnrolledActionProcess<4, 2>,
    #[ignore = "nightly: its parts, and the preset that has it, are compared in the gate"]
    unrolled_decoder_x4: UnrolledDecoder<4, 2>,
    gearbox_x4: Gearbox<4, 2>,
    jump_table_x4: JumpTable<4, 2>,
    state_lookup: StateLookup<1>,
    jump_results_x4: JumpResults<4, 2>,
    #[ignore = "nightly: its parts, and the preset that has it, are compared in the gate"]
    jump_decoder_x4: JumpDecoder<4, 2>,
    #[ignore = "nightly: part of a baseline, which is not exported"]
    state_chain_x4: StateChain<4, 2>,
    #[ignore = "nightly: a baseline, which is not exported"]
    one_hot_decoder_x4: OneHotDecoder<4, 2>,
    record_groups: RecordGroups<4, 2>,
    group_sequencer: GroupSequencer<1>,
    record_beats: RecordBeats<1, 1>,
    beat_fields: BeatFields<1>,
    place_marks: PlaceMarks<4, 2>,
    place_delay: PlaceDelay<4, 2>,
    group_places: GroupPlaces<4, 2>,
    place_fields: PlaceFields<1>,
    place_path: PlacePath,
    record_encoder: RecordEncoder<0>,
    record_encoder_beside: RecordEncoder<1>,
    profile_events: ProfileEvents<4, 2>,
    event_lanes: EventLanes<4>,
    sum_step: SumStep<1, 1>,
    event_place: EventPlace<1>,
    sum_table: SumTable,
    entry_select: EntrySelect<4>,
    profile_accumulator: ProfileAccumulator,
    async_in_word: AsyncInWord<4>,
    stream_gate: StreamGate,
    packet_items: PacketItems<4, 4>,
    table_memory: TableMemory<4, 15>,
    shared_memory: SharedMemory<4, 15>,
    lut_memory: LutMemory<4, 12>,
    return_stack: ReturnStack<12>,
    site_counters: SiteCounters<2, 3>,
    count_step: CountStep<2, 3>,
    rank: Rank<12, 3, 9>,
    page_lookup: PageLookup<1, 1>,
    page_slots: PageSlots<1, 1>,
    page_match: PageMatch<3, 1>,
    row_rank: RowRank<12, 1>,
    delay: Delay<17, 10>,
    merge: Merge<12, 1>,
    item_fifo: ItemFifo<4>,
    join_row: JoinRow<4>,
    row_atoms: RowAtoms<4, 1>,
    item_sequencer: ItemSequencer,
    ring_step: RingStep<4>,
    commit_ring: CommitRing<4>,
    ring_entry: RingEntry<4>,
    ring_way_out: RingWayOut<4>,
    ring_item: RingItem<4>,
    ring_exit: RingExit<4>,
    item_step: ItemStep<1>,
    flow_front: FlowFront<5, 1, 7>,
    whole_segment: WholeSegment<1>,
    distributor: Distributor<2, 6>,
    serializer: Serializer<12>,
    token_step: TokenStep<12>,
    run_check: RunCheck,
    run_fields: RunFields<1>,
    run_place: RunPlace<12>,
    flag_word: FlagWord<1>,
    walker: Walker<5>,
    walk_step: WalkStep<12>,
    walk_report: WalkReport<5, 1>,
    walk_tables: WalkTables<4>,
    shared_tables: SharedTables<4>,
    walk_lane: WalkLane<5>,
    count_events: CountEvents<12, 13>,
    count_window: CountWindow<3, 1>,
    cycle_queue: CycleQueue<5, 4>,
    join_cycles: JoinCycles<5>,
    low_cycles: LowCycles<1>,
    hop_record: HopRecord<3, 1>,
    hop_ring: HopRing<3>,
    hop_entry: HopEntry<1>,
    site_sums: SiteSums<3, 4>,
    indirect_event: IndirectEvent<1>,
    indirect_word: IndirectWord<1>,
    indirect_head: IndirectHead<1>,
    indirect_sums: IndirectSums,
    pair_entries: PairEntries,
    pack_sums: PackSums<1>,
    add_sums: AddSums<3, 1>,
    pair_sums: PairSums<3, 4>,
    mark_rows: MarkRows<12>,
    beat_step: BeatStep<12>,
    stored_beat: StoredBeat<1>,
    flow_stream: FlowStream<12>,
    #[ignore = "nightly: its parts, and the preset that has it, are compared in the gate"]
    flow_unit: FlowUnit<5, 1, 7, 6, 6>,
    #[ignore = "nightly: its parts, and the preset that has it, are compared in the gate"]
    flow_pair: FlowPair<5, 1, 7, 7, 6, 9>,
    mark_queue: MarkQueue<12>,
    beat_queue: BeatQueue<12>,
    pair_row_step: PairRowStep<2>,
    pair_rows: PairRows,
    pair_stream: PairStream<12>,
    #[ignore = "nightly: its parts, and the preset that has it, are compared in the gate"]
    flow_walks: FlowWalks<5, 1, 7, 6, 0, 1>,
    #[ignore = "nightly: `flow_core` has it, and its Verilog follows programs in the gate"]
    flow_path: FlowPath<5, 1, 7, 4, 6, 4, 1, 0>,
    #[ignore = "nightly: its parts are compared, and its Verilog follows programs in the gate"]
    flow_path_x2: FlowPath<5, 1, 7, 4, 6, 4, 0, 1>,
    address_words: AddressWords<1, 1>,
    hop_branches: HopBranches<5>,
    branch_row_step: BranchRowStep<5>,
    branch_sequencer: BranchSequencer<5>,
    branch_place: BranchPlace<42, 1>,
    frame_page: FramePage<2>,
    branch_events: BranchEvents<3, 1, 42>,
    branch_unit: BranchUnit<5, 1, 7, 42, 6>,
    #[ignore = "nightly: its parts are compared in the gate"]
    branch_path: BranchPath<5, 1, 7, 42, 4, 4>,
    element_rows: ElementRows<4, 2>,
    element_step: ElementStep<1>,
    split_element: SplitElement<1>,
    element_sequencer: ElementSequencer,
    element_path: ElementPath<5>,
    join_entry: JoinEntry<1>,
    split_entry: SplitEntry<1>,
    event_fifo: EventFifo<4>,
    packer: Packer<1, 1>,
    block_beat: BlockBeat<1>,
    block_control: BlockControl,
    block_word: BlockWord<1>,
    block_crc: BlockCrc<1, 1>,
    split_row: SplitRow<1>,
    join_trailer: JoinTrailer<1>,
    block_sender: BlockSender<5>,
    block_size: BlockSize<1>,
    branch_fields: BranchFields<1>,
    ingress: Ingress<2, 1>,
    join_retired: JoinRetired<2>,
    retired_beat: RetiredBeat<1>,
    retirement_port: RetirementPort,
    join_pair: JoinPair<1>,
    word_pairs: WordPairs,
    block_framer: BlockFramer<7>,
    event_blocks: EventBlocks<6, 7>,
    time_out: TimeOut,
    sweep: Sweep<4>,
    return_addresses: ReturnAddresses<3>,
    target_way: TargetWay<5>,
    raptor_places: RaptorPlaces<8, 5>,
    raptor_counter: RaptorCounter<1>,
    raptor_targets: RaptorTargets<9, 5>,
    raptor_records: RaptorRecords<9, 1>,
    raptor_tail: RaptorTail<1, 1>,
    raptor_encoder: RaptorEncoder<4, 7, 5>,
    raptor_compressor: RaptorCompressor<4, 7, 5, 6, 7>,
    long_events: LongEvents<1>,
    stream_cuts: StreamCuts<1, 1>,
    stream_starts: StreamStarts<1, 1>,
    stream_ways: StreamWays<1, 1>,
    stream_cache: StreamCache,
    stream_follows: StreamFollows<1, 1>,
    last_stream: LastStream,
    run_monitor: RunMonitor<1, 1>,
    stream_records: StreamRecords<1, 1>,
    stream_tail: StreamTail<1, 1>,
    stream_cache_encoder: StreamCacheEncoder,
    stream_cache_compressor: StreamCacheCompressor<6, 7>,
    row_memory: RowMemory<11, 6, 27>,
    outcome_counters: OutcomeCounters<4, 27>,
    counter_step: CounterStep<4, 1>,
    outcome_probabilities: OutcomeProbabilities,
    probability_step: ProbabilityStep<10, 1>,
    history_steps: HistorySteps<1, 1>,
    history_places: HistoryPlaces<0, 17>,
    outcome_words: OutcomeWords<1, 1>,
    outcome_ring: OutcomeRing<4>,
    word_cut: WordCut<1, 1>,
    match_found: MatchFound<0, 17>,
    match_candidate: MatchCandidate<0, 1>,
    path_index: PathIndex<1>,
    expected_targets: ExpectedTargets<6>,
    expected_memory: ExpectedMemory<6>,
    expected_step: ExpectedStep<1>,
    match_follow: MatchFollow<0, 1>,
    history_match: HistoryMatch<0, 5, 6, 8, 17, 6>,
    guess_places: GuessPlaces<1, 1>,
    guess_memory: GuessMemory,
    guess_decisions: GuessDecisions<1, 1>,
    target_guesses: TargetGuesses,
    decision_entries: DecisionEntries<1, 1>,
    decision_slots: DecisionSlots<5, 1>,
    decision_queue: DecisionQueue,
    history_records: HistoryRecords<1, 1>,
    history_encoder: HistoryEncoder<0, 8, 9, 5, 6, 8, 17, 6, 3>,
    history_tail: HistoryTail<1, 1>,
    history_compressor: HistoryCompressor<1, 9, 10, 9, 9, 10, 24, 8, 4, 7, 7>,
    outcome_history: OutcomeHistory<4>,
    target_history: TargetHistory<6>,
    candidate_search: CandidateSearch<0, 8, 17, 6>,
    element_steps: ElementSteps<1, 1>,
    element_places: ElementPlaces<1, 27>,
    element_follow: ElementFollow<1, 1>,
    element_match: ElementMatch<10, 11, 11, 27, 9>,
    element_encoder: ElementEncoder,
    element_compressor: ElementCompressor<7, 7>,
    stp_decoder: StpDecoder<2, 1>,
    itm_decoder: ItmDecoder<1, 1>,
    stp_x4: StpX4<4, 1>,
    itm_x4: ItmX4<4, 1>,
    data_headers: DataHeaders<4, 1>,
    join_bytes: JoinBytes<1>,
    byte_step: ByteStep<1>,
    row_bytes: RowBytes<4>,
    stp_entries: StpEntries<1, 1>,
    itm_entries: ItmEntries<1, 1>,
    send_step: SendStep<1>,
    software_beats: SoftwareBeats<1, 1>,
    software_sender: SoftwareSender,
    stp_recorder: StpRecorder,
    itm_recorder: ItmRecorder,
}

equal_in_verilog! { PRESETS:
    etm4_byte: Etm4Byte,
    etm4_x4: Etm4X4,
    #[ignore = "nightly: a baseline, which is not exported"]
    etm4_onehot_x4: Etm4OnehotX4,
    #[ignore = "nightly: a baseline, which is not exported"]
    etm4_onehot_x8: Etm4OnehotX8,
    etm4_jump_x4: Etm4JumpX4,
    etm4_jump_x8: Etm4JumpX8,
    #[ignore = "nightly: its Verilog follows the corpus in the gate"]
    etm4_jump_x16: Etm4JumpX16,
    #[ignore = "nightly: its parts are compared in the gate"]
    tpiu_etm4_x4: TpiuEtm4X4,
    #[ignore = "nightly: its parts are compared in the gate"]
    tpiu_etm4_jump_x4: TpiuEtm4JumpX4,
}
