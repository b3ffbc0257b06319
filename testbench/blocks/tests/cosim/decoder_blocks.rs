// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the chained decoder: each gets the outputs of the others in the Rust simulation,
//! where they run in sequence without the registers between them.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::source_words::{SourceWord, source_words};
use crate::trace_unit::TraceUnit;
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::settle;
use coretrace_hdl_etm::ConfigDecode;
use coretrace_hdl_etm::PackSettings;
use coretrace_hdl_etm::chained::{
    ActionCode, ActionProcess, AsyncDetector, HeaderLookup, PendingCounter, StreamStateProcess,
};
use coretrace_hdl_etm::layouts::{ACTION_W, CONFIG_W, ROLE_W, ROW_W, STREAM_W, TRACE_W};
use coretrace_test_gen::{RegisterSet, rng};
use rust_hdl::prelude::*;
use std::array::from_fn;
use std::sync::LazyLock;

/// Lanes of the blocks.
const LANES: usize = 4;
/// Trace units that `ConfigDecode` gets.
const UNITS: usize = 3000;

/// The signals between the blocks for a word. States are those before it.
#[derive(Clone)]
pub struct DecoderCycle {
    word: SourceWord<LANES>,
    cfg: Bus<CONFIG_W>,
    zeros: Bits<4>,
    stream_state: Bus<STREAM_W>,
    trace_state: Bus<TRACE_W>,
    pending: Bits<32>,
    rows: [Bus<ROW_W>; LANES],
    hits: [Bit; LANES],
    roles: [Bus<ROLE_W>; LANES],
    actions: [Bus<ACTION_W>; LANES],
}

/// The run that all blocks share.
static CYCLES: LazyLock<Vec<DecoderCycle>> = LazyLock::new(decoder_cycles);

fn connected<B: Block + Default>() -> B {
    let mut block = B::default();
    block.connect_all();
    block
}

fn decoder_cycles() -> Vec<DecoderCycle> {
    fn run<B: Bench>(block: &mut B, inputs: &B::Cycle) {
        block.drive(inputs, &mut Mixer::none());
        settle(block);
    }
    let mut config: ConfigDecode<1> = connected();
    let mut lookup: HeaderLookup<LANES> = connected();
    let mut detector: AsyncDetector<LANES> = connected();
    let mut stream: StreamStateProcess<LANES> = connected();
    let mut code: ActionCode<LANES> = connected();
    let mut process: ActionProcess<LANES> = connected();
    let mut counter: PendingCounter<LANES> = connected();
    let cycle = |word| {
        let mut cycle = DecoderCycle {
            word,
            cfg: Default::default(),
            zeros: detector.zeros_after.val(),
            stream_state: stream.after.val(),
            trace_state: process.after.val(),
            pending: counter.after.val(),
            rows: Default::default(),
            hits: Default::default(),
            roles: Default::default(),
            actions: Default::default(),
        };
        run(&mut config, &cycle.word.unit);
        cycle.cfg = config.cfg.val();
        run(&mut lookup, &cycle);
        cycle.rows = from_fn(|lane| lookup.row[lane].val());
        run(&mut detector, &cycle);
        cycle.hits = from_fn(|lane| detector.hit[lane].val());
        run(&mut stream, &cycle);
        cycle.roles = from_fn(|lane| stream.role[lane].val());
        run(&mut code, &cycle);
        cycle.actions = from_fn(|lane| code.action[lane].val());
        run(&mut process, &cycle);
        run(&mut counter, &cycle);
        cycle
    };
    source_words().into_iter().map(cycle).collect()
}

impl Bench for ConfigDecode<1> {
    type Cycle = TraceUnit;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

    fn cycles() -> impl AsRef<[TraceUnit]> {
        let mut rng = rng(SEED);
        let named = RegisterSet::ALL.map(|set| TraceUnit::from(&set));
        let others = (0..UNITS).map(|number| match number % 2 {
            0 => TraceUnit::from(&RegisterSet::random(&mut rng)),
            _ => TraceUnit::random(&mut rng),
        });
        named.into_iter().chain(others).collect::<Vec<_>>()
    }

    fn drive(&mut self, unit: &TraceUnit, _: &mut Mixer) {
        self.settings.next = unit.settings(false);
    }
}

impl Bench for PackSettings<1> {
    type Cycle = TraceUnit;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

    fn cycles() -> impl AsRef<[TraceUnit]> {
        ConfigDecode::<1>::cycles()
    }

    fn drive(&mut self, unit: &TraceUnit, mixer: &mut Mixer) {
        unit.set(
            &mut self.ete,
            &mut self.v8m,
            [
                &mut self.trcconfigr,
                &mut self.trcidr0,
                &mut self.trcidr1,
                &mut self.trcidr2,
                &mut self.trcdevarch,
            ],
        );
        self.lenient.next = mixer.mix(false);
        self.trace_id.next = mixer.mix(0x10.into());
        self.trcidr8.next = mixer.mix(0.into());
    }
}

/// A block with the inputs of the shared run.
macro_rules! decoder_block {
    ($block:ty, |$uut:ident, $cycle:ident, $mixer:ident| $drive:block) => {
        impl Bench for $block {
            type Cycle = DecoderCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

            fn cycles() -> impl AsRef<[DecoderCycle]> {
                CYCLES.as_slice()
            }

            fn drive(&mut self, $cycle: &DecoderCycle, $mixer: &mut Mixer) {
                let $uut = self;
                $drive
            }
        }
    };
}

decoder_block!(HeaderLookup<LANES>, |uut, cycle, mixer| {
    uut.cfg.next = mixer.mix(cycle.cfg);
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.word.octets[lane].to_bits();
    }
});

decoder_block!(AsyncDetector<LANES>, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.discontinuity.next = cycle.word.discontinuity;
    uut.valid.next = cycle.word.valid;
    uut.zeros.next = mixer.mix(cycle.zeros);
    for lane in 0..LANES {
        uut.octet[lane].next = cycle.word.octets[lane].to_bits();
        uut.keep[lane].next = cycle.word.keep[lane];
    }
});

decoder_block!(StreamStateProcess<LANES>, |uut, cycle, mixer| {
    uut.cfg.next = mixer.mix(cycle.cfg);
    uut.reset.next = cycle.word.reset;
    uut.lenient.next = cycle.word.lenient;
    uut.valid.next = cycle.word.valid;
    uut.discontinuity.next = cycle.word.discontinuity;
    uut.state.next = mixer.mix(cycle.stream_state);
    for lane in 0..LANES {
        uut.row[lane].next = mixer.mix(cycle.rows[lane]);
        uut.octet[lane].next = cycle.word.octets[lane].to_bits();
        uut.keep[lane].next = cycle.word.keep[lane];
        uut.hit[lane].next = mixer.mix(cycle.hits[lane]);
    }
});

decoder_block!(ActionCode<LANES>, |uut, cycle, mixer| {
    for lane in 0..LANES {
        uut.role[lane].next = mixer.mix(cycle.roles[lane]);
    }
});

decoder_block!(ActionProcess<LANES>, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.state.next = mixer.mix(cycle.trace_state);
    for lane in 0..LANES {
        uut.action[lane].next = mixer.mix(cycle.actions[lane]);
        uut.octet[lane].next = cycle.word.octets[lane].to_bits();
    }
});

decoder_block!(PendingCounter<LANES>, |uut, cycle, mixer| {
    uut.reset.next = cycle.word.reset;
    uut.valid.next = cycle.word.valid;
    uut.discontinuity.next = cycle.word.discontinuity;
    uut.pending.next = mixer.mix(cycle.pending);
    for lane in 0..LANES {
        uut.action[lane].next = mixer.mix(cycle.actions[lane]);
        uut.keep[lane].next = cycle.word.keep[lane];
    }
});
