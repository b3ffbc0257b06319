// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported decoder and the exported paths behind it in Verilator: a trace in, a [`FlowWalk`] of each out.

use crate::flow::{HopSites, Reported, TableWrite, hop_events, hop_place, indirect, table_writes};
use crate::flow_case::FlowCase;
use crate::flow_path::BEGIN;
use crate::flow_walk::{FlowWalk, cycles, losses, ring, sums, ways};
use anyhow::{Result, bail};
use coretrace_abi::flow_stream::{Beat, BeatKind};
use coretrace_abi::flow_table::Widths;
use coretrace_etm::Protocol;
use coretrace_hdl_dataflow::Wide;
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_flow::{FlowPath, held_rules};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::{InputWord, ResultWord, full_words};
use coretrace_test_verilog::engine::{Engine, Field, Sample};
use coretrace_test_verilog::preset::{PresetEngine, port_name};
use rust_hdl::prelude::*;
use std::iter::repeat_n;

/// Bits of a site and of a frame.
const SMALL: [usize; 2] = [10, 4];
const LARGE: [usize; 2] = [15, 9];

/// How large the tables of a path are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// 2^10 sites and 2^4 frames.
    Small,
    /// 2^15 sites and 2^9 frames.
    Large,
}

impl Tables {
    /// Their widths.
    pub fn widths(self) -> Widths {
        let [site, frame] = match self {
            Tables::Small => SMALL,
            Tables::Large => LARGE,
        };
        Widths::new(site as u32, frame as u32).expect("widths")
    }
}

/// Cycles of a reset.
const RESET: usize = 100;
/// Cycles after which nothing waits, if the words came slowly enough.
const DRAIN: usize = 2000;
/// Cycles of a read-out for each site, and more.
const READ_OUT: usize = 3;
/// Runs of a trace, each slower than the one before.
const PACES: usize = 7;

/// The path with [`Tables::Small`], one walker or two, and 2^9 places in each FIFO.
type SmallPath<const ONE: usize, const TWO: usize> =
    FlowPath<{ SMALL[0] }, { SMALL[1] }, { SMALL[1] + 6 }, 9, { SMALL[0] + 1 }, 9, ONE, TWO>;
/// With [`Tables::Large`].
type LargePath<const ONE: usize, const TWO: usize> =
    FlowPath<{ LARGE[0] }, { LARGE[1] }, { LARGE[1] + 6 }, 9, { LARGE[0] + 1 }, 9, ONE, TWO>;

/// The decoder, and the path with one walker and with two.
pub struct FlowVerilog {
    decoder: PresetEngine,
    paths: [Engine; 2],
    tables: Tables,
}

/// What the path gets in a cycle.
enum Step<'a> {
    Idle,
    Table(TableWrite),
    Results(&'a ResultWord),
    ReadOut,
}

/// A run: the walk, and whether no atom was dropped and nothing waited at the end.
struct Run {
    walk: FlowWalk,
    is_whole: bool,
}

impl FlowVerilog {
    /// Exports and compiles them, or reuses the compiled ones.
    ///
    /// # Errors
    /// If the export finds something, or Verilator is missing or refuses the text.
    pub fn new(tables: Tables) -> Result<FlowVerilog> {
        let paths = match tables {
            Tables::Small => [
                compiled(SmallPath::<1, 0>::default(), "flow_path_one")?,
                compiled(SmallPath::<0, 1>::default(), "flow_path_two")?,
            ],
            Tables::Large => [
                compiled(LargePath::<1, 0>::default(), "large_flow_path_one")?,
                compiled(LargePath::<0, 1>::default(), "large_flow_path_two")?,
            ],
        };
        Ok(FlowVerilog {
            decoder: PresetEngine::new(DecoderTop::Etm4JumpX4)?,
            paths,
            tables,
        })
    }

    /// Follows a trace, so slowly that nothing is dropped, reads out the counters, and compares all with
    /// the model. Returns what the model says of one walker and of two, and the first difference.
    ///
    /// # Errors
    /// If a compiled program fails, or what is sent slowly is dropped all the same.
    pub fn compare(&self, case: &FlowCase) -> Result<([FlowWalk; 2], Option<String>)> {
        let words = self.decode(case)?;
        let models = [1, 2].map(|walkers| FlowWalk::of_model(case, walkers));
        for (walkers, (path, model)) in (1..).zip(self.paths.iter().zip(&models)) {
            let path = Path {
                path,
                walkers,
                sites: self.tables.widths().sites(),
            };
            let hardware = path.walk(case, &words, model)?;
            if let Some(text) = model.difference(&hardware, walkers) {
                let text = format!("{}, walkers {walkers}, {text}", case.name);
                return Ok((models, Some(text)));
            }
        }
        Ok((models, None))
    }

    fn decode(&self, case: &FlowCase) -> Result<Vec<ResultWord>> {
        let lost = |bytes| full_words(4, bytes).zip(0..).map(after_loss);
        let bytes = full_words(4, &case.bytes);
        let bytes = bytes.chain(lost(&BEGIN)).chain(lost(&[0]));
        let mut words = Vec::new();
        self.decoder
            .run_source(&case.source, bytes.map(Some), |_, word| {
                words.push(word.clone());
            })?;
        Ok(words)
    }
}

/// A path that follows one trace after the other.
struct Path<'a> {
    path: &'a Engine,
    walkers: usize,
    sites: usize,
}

impl Path<'_> {
    /// Follows result words, so slowly that nothing is dropped; `model` says how much it is.
    fn walk(&self, case: &FlowCase, words: &[ResultWord], model: &FlowWalk) -> Result<FlowWalk> {
        // An atom that is skipped takes as long as one that is walked.
        let events = model.events() + model.skipped as usize;
        // What speculates stops the ring for each element that is taken back.
        let first = usize::from(case.source.registers.trcidr8 > 0);
        for pace in first..PACES {
            let gap = ((events + events / 4) << pace) / words.len().max(1) + pace;
            let run = self.run(case, words, gap)?;
            // A row without atoms may be dropped, too.
            if run.is_whole && run.walk.drops() == model.drops() {
                return Ok(run.walk);
            }
        }
        bail!("{}: atoms are dropped at any pace", case.name)
    }

    /// A result word comes every `gap` cycles, and one more.
    fn run(&self, case: &FlowCase, words: &[ResultWord], gap: usize) -> Result<Run> {
        let slowly = |word| [Step::Results(word)].into_iter().chain(idle(gap));
        let mut steps = idle(RESET)
            .chain(table_writes(&case.table).into_iter().map(Step::Table))
            .chain(words.iter().flat_map(slowly))
            .chain(idle(DRAIN))
            .chain([Step::ReadOut])
            .chain(idle(READ_OUT * self.sites));
        let inputs = Inputs::new(self.path, case)?;
        let outputs = Outputs::new(self.path, self.walkers)?;
        let mut reported = vec![Vec::new(); self.walkers];
        let mut beats = Vec::new();
        let mut record = vec![0; self.path.record_len()];
        let drive = |cycle: u64, frame: &mut [u8]| {
            let Some(step) = steps.next() else {
                return false;
            };
            inputs.set(frame, cycle, &step);
            true
        };
        self.path.run(Sample::BeforeEdge, None, drive, |_, now| {
            outputs.take(now, &mut reported, &mut beats);
            record.copy_from_slice(now);
        })?;
        Ok(outputs.run(&record, case, reported, &beats))
    }
}

fn compiled<B: Block + Default>(mut path: B, top: &str) -> Result<Engine> {
    path.connect_all();
    let ports = coretrace_hdl_verilog::ports(&path);
    Engine::for_long_runs(
        &coretrace_hdl_verilog::verilog(B::default(), top)?,
        top,
        &ports,
    )
}

fn idle<'a>(cycles: usize) -> impl Iterator<Item = Step<'a>> {
    repeat_n((), cycles).map(|()| Step::Idle)
}

/// The first word comes behind lost bytes.
fn after_loss((word, number): (InputWord, usize)) -> InputWord {
    InputWord {
        discontinuity: number == 0,
        ..word
    }
}

/// The inputs of the path.
struct Inputs {
    /// Those that never change, and their values.
    steady: Vec<(Field, Wide)>,
    reset: Field,
    table: Vec<Field>,
    valid: Field,
    discontinuity: Field,
    pending: Field,
    keep: Vec<Field>,
    lanes: Vec<Field>,
    pairs: Vec<Field>,
    read_out: Field,
}

impl Inputs {
    fn new(path: &Engine, case: &FlowCase) -> Result<Inputs> {
        let one = |name: &str| path.input(name);
        let each = |name: &str, count: usize| -> Result<Vec<Field>> {
            let names = (0..count).map(|element| port_name(name, Some(element)));
            names.map(|name| path.input(&name)).collect()
        };
        let bit = |is_set: bool| {
            let mut wide = Wide::default();
            wide.or_field(0, 1, is_set.into());
            wide
        };
        // TRCCONFIGR.RS
        let returns = case.source.registers.trcconfigr >> 12 & 1 == 1;
        let ports = TableWrite::default().ports();
        let mut freeze_after = Wide::default();
        freeze_after.or_field(0, 32, case.freeze_after.into());
        Ok(Inputs {
            steady: vec![
                (
                    one("source")?,
                    SourceSettings::of(0x10, &case.source).wide(),
                ),
                (one("rules")?, held_rules(&case.rules)),
                (one("returns")?, bit(returns)),
                (one("ete")?, bit(case.source.protocol == Protocol::Ete)),
                (one("m_axis_tready")?, bit(true)),
                (one("windowed")?, bit(case.windowed)),
                (one("freeze_after")?, freeze_after),
            ],
            reset: one("reset")?,
            table: ports.map(|(name, _)| one(name)).collect::<Result<_>>()?,
            valid: one("s_valid")?,
            discontinuity: one("s_discontinuity")?,
            pending: one("s_pending")?,
            keep: each("s_keep", 4)?,
            lanes: each("s_lane", 4)?,
            pairs: each("s_pair", 2)?,
            read_out: one("read_out")?,
        })
    }

    /// Sets the frame of a cycle, which has that of the cycle before.
    fn set(&self, frame: &mut [u8], cycle: u64, step: &Step) {
        if cycle == 0 {
            let steady = self.steady.iter();
            steady.for_each(|(field, value)| field.set_all(frame, value));
        }
        self.reset.set(frame, u64::from(cycle < RESET as u64));
        self.valid.set(frame, 0);
        self.read_out.set(frame, 0);
        match step {
            Step::Idle => {}
            Step::Table(write) => {
                let fields = self.table.iter().zip(write.ports());
                fields.for_each(|(field, (_, value))| field.set(frame, value));
            }
            Step::Results(word) => self.set_results(frame, word),
            Step::ReadOut => self.read_out.set(frame, 1),
        }
    }

    fn set_results(&self, frame: &mut [u8], word: &ResultWord) {
        self.valid.set(frame, 1);
        self.discontinuity.set(frame, word.discontinuity.into());
        self.pending.set(frame, word.pending.into());
        for (lane, keep) in self.keep.iter().enumerate() {
            keep.set(frame, u64::from(word.keep >> lane & 1));
        }
        let lanes = self.lanes.iter().zip(&word.lanes);
        let pairs = self.pairs.iter().zip(&word.pairs);
        lanes
            .chain(pairs)
            .for_each(|(field, result)| field.set_all(frame, result));
    }
}

/// The outputs of the path.
struct Outputs {
    /// Of each walker: the hop, its sites, and the indirect branch in front of it.
    hops: Vec<(Field, [Field; 4], Field)>,
    /// The bit of a hop that says whether there is one.
    hop_valid: u32,
    beat: Field,
    beat_valid: Field,
    atoms: Field,
    skipped: Field,
    dropped: Field,
    taken_back: Field,
}

impl Outputs {
    fn new(path: &Engine, walkers: usize) -> Result<Outputs> {
        let one = |name: &str| path.output(name);
        let hop = |walker| {
            let field = |name| path.output(&port_name(name, Some(walker)));
            let sites = [
                field("hop_at")?,
                field("hop_base")?,
                field("hop_left_at")?,
                field("hop_ended_at")?,
            ];
            Ok((field("hop")?, sites, field("indirect")?))
        };
        Ok(Outputs {
            hops: (0..walkers).map(hop).collect::<Result<_>>()?,
            hop_valid: hop_place("valid").0,
            beat: one("m_axis_tdata")?,
            beat_valid: one("m_axis_tvalid")?,
            atoms: one("atoms")?,
            skipped: one("skipped")?,
            dropped: one("dropped_atoms")?,
            taken_back: one("taken_back")?,
        })
    }

    /// What comes out in a cycle.
    fn take(&self, now: &[u8], reported: &mut [Vec<Reported>], beats: &mut Vec<Beat>) {
        for ((hop, sites, branch), reported) in self.hops.iter().zip(reported) {
            if !hop.bit(now, self.hop_valid) {
                continue;
            }
            let [at, base, left_at, ended_at] = sites.map(|site| site.get(now) as u32);
            let sites = HopSites {
                at,
                base,
                left_at,
                ended_at,
                indirect: indirect(&branch.get_all(now)),
            };
            let hop = hop.get_all(now);
            let events = hop_events(&hop, sites);
            reported.extend(events.filter(|event| *event != Reported::ReadOut));
        }
        if self.beat_valid.get(now) == 1 {
            let wide = self.beat.get_all(now);
            let words = std::array::from_fn(|word| wide.field(32 * word as u32, 32) as u32);
            beats.extend(Beat::of_words(&words).expect("a beat"));
        }
    }

    /// The run that ended with these outputs.
    fn run(&self, last: &[u8], case: &FlowCase, reported: Reports, beats: &[Beat]) -> Run {
        let [atoms, skipped, dropped, taken_back] =
            [self.atoms, self.skipped, self.dropped, self.taken_back].map(|sum| sum.get(last));
        let mut walk = FlowWalk {
            reported,
            lost: losses(beats),
            sums: Vec::new(),
            ways: Default::default(),
            cycles: Default::default(),
            ring: ring(beats),
            atoms,
            skipped,
            sent: atoms + taken_back,
        };
        // The counters were read behind all atoms.
        let is_read = |beat: &Beat| matches!(beat, Beat::Mark { kind: BeatKind::ReadOut, atoms: read, .. } if u64::from(read.sent) == atoms);
        let is_end = |beat: &Beat| {
            matches!(
                beat,
                Beat::Mark {
                    kind: BeatKind::End,
                    ..
                }
            )
        };
        let is_whole = dropped == 0 && beats.iter().any(is_read) && beats.iter().any(is_end);
        if is_whole {
            walk.sums = sums(beats, case.sites());
            walk.ways = ways(beats);
            walk.cycles = cycles(beats);
        }
        Run { walk, is_whole }
    }
}

/// What each walker reported.
type Reports = Vec<Vec<Reported>>;
