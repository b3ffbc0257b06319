// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of the record and the profile stream, on any results of a decoder.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use coretrace_abi::flow_table::{SpaceRule, SpaceRules, even};
use coretrace_abi::record_filter::Filter;
use coretrace_etm::{Protocol, SourceConfig};
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_etm::layouts::outcome;
use coretrace_hdl_etm::{LaneResult, PairResult};
use coretrace_hdl_etm::{SOURCE_SETTINGS_W, SourceSettings};
use coretrace_hdl_flow::{BranchPath, ElementPath, ElementRows, FlowPath, PacketItems, held_rules};
use coretrace_hdl_parts::stream::{LutFifo, SyncFifo};
use coretrace_hdl_sink::profile::{
    EntrySelect, Event, EventLanes, EventPlace, ProfileAccumulator, ProfileEvents, SumStep,
    SumTable,
};
use coretrace_hdl_sink::records::{
    BeatFields, ByteHead, CrcStep, GroupPlaces, GroupSequencer, PlaceDelay, PlaceFields,
    PlaceMarks, PlacePath, RecordBeats, RecordEncoder, RecordGroups, RecordSettings,
};
use coretrace_hdl_sink::{AsyncInWord, StreamGate};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles of a run.
const CYCLES: usize = 3000;
/// Address spaces of levels.
const RULES: SpaceRules = [
    None,
    Some(SpaceRule {
        levels: 0x0F02,
        ..SpaceRule::ANY
    }),
    Some(SpaceRule {
        levels: 0x2480,
        ..SpaceRule::ANY
    }),
    None,
];

/// The inputs in a cycle.
#[derive(Clone)]
pub struct RecordCycle {
    reset: bool,
    valid: bool,
    rare: bool,
    flags: [bool; 4],
    lanes: [Wide; 4],
    pairs: [Wide; 2],
    any: Wide,
}

fn random(rng: &mut Rng, width: usize) -> Wide {
    let mut wide = Wide::default();
    for low in (0..width).step_by(64) {
        let bits = (width - low).min(64) as u32;
        let value: u64 = rng.random();
        wide.or_field(low as u32, bits, value >> (64 - bits));
    }
    wide
}

/// A result whose record, if there is one, is a packet in most cases.
fn lane(rng: &mut Rng) -> Wide {
    let rest = random(rng, LaneResult::WIDTH);
    let last = if rng.random_bool(0.8) {
        outcome::PACKET
    } else {
        outcome::BAD_SEQUENCE
    };
    let mut wide = Wide::default();
    for &(name, low, width) in LaneResult::FIELDS {
        let any = rest.field(low, width);
        let value = if name == "outcome" {
            any % (last + 1)
        } else {
            any
        };
        wide.or_field(low, width, value);
    }
    wide
}

fn cycles() -> Vec<RecordCycle> {
    let mut rng = rng(SEED);
    (0..CYCLES)
        .map(|cycle| RecordCycle {
            reset: cycle < 2 || rng.random_bool(0.001),
            valid: rng.random_bool(0.6),
            rare: rng.random_bool(0.01),
            flags: rng.random(),
            lanes: std::array::from_fn(|_| lane(&mut rng)),
            pairs: std::array::from_fn(|_| random(&mut rng, PairResult::WIDTH)),
            any: random(&mut rng, 640),
        })
        .collect()
}

/// How a clocked block is driven.
macro_rules! record_block {
    ($block:ty, $set_clock:expr, |$uut:ident, $cycle:ident, $mixer:ident| $drive:block) => {
        impl Bench for $block {
            type Cycle = RecordCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> = $set_clock;

            fn cycles() -> impl AsRef<[RecordCycle]> {
                cycles()
            }

            fn drive(&mut self, $cycle: &RecordCycle, $mixer: &mut Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}

record_block!(
    SyncFifo<70, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.write_valid.next = cycle.valid && !uut.fills_up.val();
        uut.write_data.next = Carrier::from_wide(&cycle.any);
        uut.m_axis_tready.next = cycle.flags[0];
    }
);

record_block!(
    LutFifo<70, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.write_valid.next = cycle.valid && !uut.fills_up.val();
        uut.write_data.next = Carrier::from_wide(&cycle.any);
        uut.m_axis_tready.next = cycle.flags[0];
    }
);

record_block!(
    RecordGroups<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.start.next = cycle.rare;
        uut.active.next = cycle.flags[1];
        uut.packet_words.next = (cycle.any.field(80, 1) * 1000).into();
        uut.flush.next = cycle.flags[2] && cycle.flags[3];
        let source = SourceConfig {
            protocol: Protocol::Ete,
            ..SourceConfig::default()
        };
        uut.source.next = Bus(SourceSettings::of(0, &source).wide());
        let any = &cycle.any;
        let filter = Filter {
            drop: (any.field(0, 7) << 4) as u16,
            range: (any.field(7, 1) == 1).then(|| (0, any.field(8, 64))),
        };
        uut.settings.next = Bus(RecordSettings::of(&filter, false).wide());
        uut.valid.next = cycle.valid;
        uut.lost.next = mixer.mix(false);
        for lane in 0..4 {
            uut.keep[lane].next = cycle.flags[lane];
            uut.lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
        uut.pair0.next = Carrier::from_wide(&cycle.pairs[0]);
        uut.pair1.next = Carrier::from_wide(&cycle.pairs[1]);
    }
);

record_block!(CrcStep<1>, None, |uut, cycle, _mixer| {
    uut.crc.next = cycle.any.field(0, 32).into();
    uut.word.next = cycle.any.field(32, 32).into();
});

record_block!(
    ByteHead<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        let source = SourceConfig {
            protocol: Protocol::Ete,
            lenient: true,
            ..SourceConfig::default()
        };
        uut.settings.next = Bus(SourceSettings::of(0x2A, &source).wide());
        uut.takes.next = cycle.valid;
        uut.lost.next = mixer.mix(cycle.rare);
        // Tags that change the state are many.
        uut.tag.next = cycle.any.field(0, 8).into();
        uut.lane.next = Carrier::from_wide(&cycle.lanes[0]);
        uut.pair.next = Carrier::from_wide(&cycle.pairs[0]);
        uut.index.next = cycle.any.field(8, 4).into();
        uut.is_sent.next = cycle.rare;
    }
);

record_block!(GroupSequencer<1>, None, |uut, cycle, _mixer| {
    uut.reset.next = cycle.reset;
    uut.room.next = cycle.flags[0];
    uut.head_valid.next = cycle.flags[1];
    uut.head.next = Carrier::from_wide(&cycle.any);
    uut.has_places.next = cycle.flags[2];
    uut.may_place.next = cycle.flags[3];
    uut.state.next = Carrier::from_wide(&cycle.lanes[0]);
});

record_block!(
    RecordBeats<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.row.next = Carrier::from_wide(&cycle.any);
        // A bit of the selection marks a valid unit; at times there is none for long.
        let select = if cycle.valid { cycle.lanes[0] } else { Wide::default() };
        uut.select.next = Carrier::from_wide(&select);
        uut.places.next = Carrier::from_wide(&cycle.lanes[1]);
        uut.lost_words.next = 7.into();
    }
);

record_block!(
    PlaceMarks<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.valid.next = cycle.valid;
        uut.lost.next = mixer.mix(false);
        uut.beside_valid.next = cycle.flags[0];
        uut.beside_keep.next = cycle.any.field(0, 4).into();
        uut.place.next = cycle.any.field(8, 32).into();
        for lane in 0..4 {
            uut.keep[lane].next = cycle.flags[lane];
        }
    }
);

record_block!(
    PlaceDelay<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.flags.next = Carrier::from_wide(&cycle.any);
        uut.place.next = cycle.any.field(8, 32).into();
        for lane in 0..4 {
            uut.octet[lane].next = cycle.any.field(40 + 8 * lane as u32, 8).into();
            uut.lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
    }
);

record_block!(PlaceFields<1>, None, |uut, cycle, _mixer| {
    uut.places.next = Carrier::from_wide(&cycle.any);
});

record_block!(
    GroupPlaces<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.row.next = Carrier::from_wide(&cycle.any);
        uut.row_valid.next = cycle.valid;
        uut.place.next = cycle.lanes[0].field(8, 32).into();
        for lane in 0..4 {
            uut.mark[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
    }
);

record_block!(
    PlacePath,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.decoder_reset.next = cycle.reset;
        uut.s_valid.next = cycle.valid;
        uut.s_discontinuity.next = mixer.mix(cycle.rare);
        uut.s_keep.next = cycle.lanes[1].field(0, 4).into();
        uut.beside_valid.next = cycle.flags[0];
        uut.beside_keep.next = cycle.lanes[2].field(0, 4).into();
        uut.place.next = cycle.lanes[0].field(8, 32).into();
        uut.row.next = Carrier::from_wide(&cycle.any);
        uut.row_valid.next = cycle.flags[1];
    }
);

record_block!(BeatFields<1>, None, |uut, cycle, _mixer| {
    uut.beat.next = Carrier::from_wide(&cycle.any);
});

/// Beside another source or not.
macro_rules! encoder_block {
    ($beside:literal) => {
        record_block!(
            RecordEncoder<$beside>,
            Some(|uut, clock| uut.clock.next = clock),
            |uut, cycle, mixer| {
                uut.reset.next = cycle.reset;
                uut.enable.next = true;
                let filter = Filter {
                    drop: cycle.rare.into(),
                    range: None,
                };
                uut.settings.next = Bus(RecordSettings::of(&filter, false).wide());
                uut.start.next = cycle.rare;
                uut.active.next = !cycle.flags[1];
                uut.flush.next = cycle.rare && cycle.flags[2];
                for beside in 0..uut.port_reset.len() {
                    uut.port_reset[beside].next = cycle.reset;
                    uut.port_valid[beside].next = cycle.valid;
                    uut.port_discontinuity[beside].next = cycle.rare;
                    uut.port_keep[beside].next = cycle.any.field(0, 4).into();
                    uut.port_place[beside].next = cycle.any.field(8, 32).into();
                    uut.beside_valid[beside].next = cycle.flags[0];
                    uut.beside_keep[beside].next = cycle.any.field(4, 4).into();
                }
                uut.s_valid.next = cycle.valid && !uut.hold_back.val();
                uut.s_discontinuity.next = mixer.mix(false);
                for lane in 0..4 {
                    uut.s_keep[lane].next = cycle.flags[lane];
                    uut.s_lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
                }
                for pair in 0..2 {
                    uut.s_pair[pair].next = Carrier::from_wide(&cycle.pairs[pair]);
                }
                uut.m_axis_tready.next = cycle.flags[3] || cycle.valid;
            }
        );
    };
}

encoder_block!(0);
encoder_block!(1);

record_block!(
    ProfileEvents<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.start.next = cycle.rare;
        uut.valid.next = cycle.valid;
        uut.lost.next = mixer.mix(false);
        for lane in 0..4 {
            uut.keep[lane].next = cycle.flags[lane];
            uut.lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
        uut.pair0.next = Carrier::from_wide(&cycle.pairs[0]);
        uut.pair1.next = Carrier::from_wide(&cycle.pairs[1]);
    }
);

/// An ETE or an ETMv4 with a speculation depth.
fn source(is_ete: bool, max_spec: u32) -> Bus<SOURCE_SETTINGS_W> {
    let mut source = SourceConfig::default();
    if is_ete {
        source.protocol = Protocol::Ete;
    }
    source.registers.trcidr8 = max_spec;
    Bus(SourceSettings::of(0x10, &source).wide())
}

record_block!(
    PacketItems<4, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.source.next = source(true, if cycle.flags[0] { 5 } else { 0 });
        uut.counts_cycles.next = true;
        uut.valid.next = cycle.valid;
        uut.lost.next = mixer.mix(cycle.rare);
        uut.pending.next = u64::from(cycle.flags[0]).to_bits();
        for lane in 0..4 {
            uut.keep[lane].next = cycle.flags[lane];
            uut.lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
        uut.pair0.next = Carrier::from_wide(&cycle.pairs[0]);
        uut.pair1.next = Carrier::from_wide(&cycle.pairs[1]);
        uut.rules.next = Bus(held_rules(&RULES));
    }
);

/// Results of a decoder, and words of tables: a page that is loaded, with rows that change.
macro_rules! drive_path {
    ($uut:ident, $cycle:ident, $mixer:ident) => {
        $uut.reset.next = $cycle.reset && $cycle.flags[3];
        $uut.source.next = source(false, 5);
        $uut.ete.next = true;
        $uut.rules.next = Bus(held_rules(&RULES));
        $uut.s_valid.next = $cycle.valid;
        $uut.s_discontinuity.next = $mixer.mix($cycle.rare);
        $uut.s_pending.next = u64::from($cycle.flags[0]).to_bits();
        for lane in 0..4 {
            $uut.s_keep[lane].next = $cycle.flags[lane];
            $uut.s_lane[lane].next = Carrier::from_wide(&$cycle.lanes[lane]);
        }
        for pair in 0..2 {
            $uut.s_pair[pair].next = Carrier::from_wide(&$cycle.pairs[pair]);
        }
        let any = |low| $cycle.any.field(low, 32);
        $uut.page_write.next = 1_u64.to_bits();
        $uut.page_slot.next = 0_u64.to_bits();
        $uut.page_word.next = even(any(0) & 1 | 3 << 44, 47).into();
        $uut.row_write.next = $cycle.rare;
        $uut.row.next = (any(0) >> 3 & 127).into();
        let row = even((any(32) & 0xFFFF) << 5 | any(0) >> 9 & 31, 22);
        $uut.row_bitmap.next = (row >> 5).into();
        $uut.row_base.next = (row & 31).into();
        $uut.exit_write.next = $cycle.rare;
        $uut.run_write.next = $cycle.rare;
        $uut.write_site.next = (any(0) >> 14 & 31).into();
        let flags = any(0) >> 24 & any(0) >> 27 & 7;
        let exit = even(flags << 5 | any(0) >> 19 & 31, 9);
        $uut.write_exit.next = (exit & 31).into();
        $uut.write_flags.next = (exit >> 5).into();
        // Some of these are damaged.
        let run = even(any(64) & 31, 6) ^ u64::from(any(69) & 7 == 0);
        $uut.write_run.next = run.into();
    };
}

/// With one walker or two.
macro_rules! path_block {
    ($one:literal, $two:literal) => {
        record_block!(
            FlowPath<5, 1, 7, 4, 6, 4, $one, $two>,
            Some(|uut, clock| uut.clock.next = clock),
            |uut, cycle, mixer| {
                drive_path!(uut, cycle, mixer);
                uut.returns.next = $one == 1;
                uut.read_out.next = cycle.rare;
                uut.m_axis_tready.next = cycle.flags[1];
            }
        );
    };
}

path_block!(1, 0);
path_block!(0, 1);

record_block!(
    BranchPath<5, 1, 7, 42, 4, 4>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        drive_path!(uut, cycle, mixer);
        uut.returns.next = true;
        uut.is_a32.next = false;
        uut.flush.next = cycle.rare;
        uut.branch_write.next = cycle.rare;
        uut.write_branch.next = (cycle.any.field(0, 40) << 2).into();
        uut.calls_write.next = cycle.rare;
        uut.write_calls.next = cycle.any.field(32, 16).into();
    }
);

/// Results of a decoder.
macro_rules! drive_results {
    ($keep:expr, $lane:expr, $cycle:ident) => {
        for lane in 0..4 {
            $keep[lane].next = $cycle.flags[lane];
            $lane[lane].next = Carrier::from_wide(&$cycle.lanes[lane]);
        }
    };
}

record_block!(
    ElementRows<4, 2>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.valid.next = cycle.valid;
        uut.lost.next = mixer.mix(cycle.rare);
        drive_results!(uut.keep, uut.lane, cycle);
    }
);

record_block!(
    ElementPath<5>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset && cycle.flags[3];
        uut.s_valid.next = cycle.valid && !uut.hold_back.val();
        uut.s_discontinuity.next = mixer.mix(cycle.rare && cycle.flags[1]);
        drive_results!(uut.s_keep, uut.s_lane, cycle);
        uut.flush.next = cycle.rare && cycle.flags[2];
        uut.ready.next = cycle.flags[0] || cycle.flags[2];
    }
);

record_block!(EventLanes<4>, None, |uut, cycle, _mixer| {
    uut.row.next = Carrier::from_wide(&cycle.any);
});

record_block!(
    SumStep<1, 1>,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.evt.next = Carrier::from_wide(&few_keys(&cycle.any));
        uut.counts.next = cycle.valid;
        uut.flush.next = cycle.rare;
        uut.stored.next = Carrier::from_wide(&cycle.pairs[0]);
    }
);

record_block!(
    SumTable,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        uut.reset.next = cycle.reset;
        uut.evt.next = Carrier::from_wide(&few_keys(&cycle.any));
        uut.counts.next = cycle.valid;
        uut.flush.next = cycle.rare;
        uut.walk.next = cycle.any.field(0, 2).into();
    }
);

record_block!(EventPlace<1>, None, |uut, cycle, _mixer| {
    uut.evt.next = Carrier::from_wide(&cycle.any);
    uut.flush.next = cycle.valid;
    uut.walk.next = cycle.any.field(0, 9).into();
});

record_block!(EntrySelect<4>, None, |uut, cycle, _mixer| {
    uut.room.next = cycle.valid;
    uut.trace_id.next = cycle.any.field(0, 7).into();
    uut.marker.next = cycle.rare;
    uut.marker_kind.next = cycle.any.field(7, 4).into();
    uut.fills_packet.next = cycle.flags[0];
    for lane in 0..4 {
        uut.entry_valid[lane].next = cycle.flags[lane];
        uut.entry[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
    }
});

record_block!(
    ProfileAccumulator,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, mixer| {
        uut.reset.next = cycle.reset;
        uut.start.next = cycle.rare;
        uut.flush.next = cycle.rare;
        uut.trace_id.next = 0x10.into();
        uut.s_valid.next = cycle.valid && !uut.hold_back.val();
        uut.s_discontinuity.next = mixer.mix(false);
        for lane in 0..4 {
            uut.s_keep[lane].next = cycle.flags[lane];
            uut.s_lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
        for pair in 0..2 {
            uut.s_pair[pair].next = Carrier::from_wide(&cycle.pairs[pair]);
        }
        uut.m_axis_tready.next = cycle.flags[3] || cycle.valid;
    }
);

record_block!(AsyncInWord<4>, None, |uut, cycle, _mixer| {
    for lane in 0..4 {
        uut.keep[lane].next = cycle.flags[lane];
        uut.lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
    }
});

record_block!(
    StreamGate,
    Some(|uut, clock| uut.clock.next = clock),
    |uut, cycle, _mixer| {
        // Nothing interrupts the wait of an open gate, but a rare reset.
        uut.reset.next = cycle.reset && cycle.any.field(0, 3) == 0;
        uut.wants_pause.next = !uut.is_shut.val() || cycle.flags[0];
        uut.others_wait.next = true;
        uut.takes.next = uut.is_shut.val() && cycle.flags[1];
        uut.s_valid.next = cycle.valid;
        uut.s_discontinuity.next = cycle.rare;
        for lane in 0..4 {
            uut.s_keep[lane].next = cycle.flags[lane];
            uut.s_lane[lane].next = Carrier::from_wide(&cycle.lanes[lane]);
        }
    }
);

/// An event with one of few keys and places, so many have the key of an earlier one.
fn few_keys(any: &Wide) -> Wide {
    let mut wide = Wide::default();
    for &(name, low, width) in Event::FIELDS {
        let value = any.field(low, width);
        let value = match name {
            "key" | "index" => value % 4,
            "weight" if value & 3 > 0 => value % 16,
            _ => value,
        };
        wide.or_field(low, width, value);
    }
    wide
}
