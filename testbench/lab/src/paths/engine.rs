// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches of paths in front of walkers, cycle by cycle.
//!
//! A segment waits for a context of a lane. A lane takes a path of one of its segments in each cycle.
//! A path that is known gives the site of the next path of its segment some cycles later; any other
//! one is walked, a hop in each cycle, and put into the cache of its lane, or of all of them. A path that makes room is
//! walked when a walker has nothing else to do, and its branches count as often as it was found.

use std::collections::VecDeque;

use coretrace_sites::{Path, PathCache, PathEnd};

use super::segments::{Segment, Segments};
use super::setup::Setup;

/// Cycles from the last hop of a walk to its end in the cache.
const WALK_LATENCY: u64 = 4;

/// What a trace took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// Paths that were looked for, and those that were known.
    pub looks: u64,
    pub known: u64,
    /// Cycles up to the last path.
    pub cycles: u64,
    /// The most bytes that waited for a lane.
    pub most_bytes: u64,
    /// The most paths that waited to be walked because they made room.
    pub most_evicted: usize,
}

/// A segment that is followed.
#[derive(Clone, Copy, Debug)]
struct Context {
    segment: usize,
    /// Packets that have been taken.
    packets: usize,
    site: u32,
    /// From this cycle on the site is known; none while its path is walked.
    ready: Option<u64>,
}

/// A path for a walker.
#[derive(Clone, Copy, Debug)]
struct Walk {
    path: Path,
    end: PathEnd,
    lane: usize,
    context: usize,
}

#[derive(Clone, Debug)]
struct Lane {
    cache: PathCache,
    contexts: Vec<Option<Context>>,
    /// The context whose turn is next.
    turn: usize,
}

/// The caches, and the sums so far.
pub struct Engine<'p> {
    program: &'p Segments,
    setup: Setup,
    lanes: Vec<Lane>,
    /// How often each branch was taken.
    pub taken: Vec<u64>,
}

/// A trace on its way.
struct Run {
    cycle: u64,
    /// Bytes that have come, and those that lanes have taken.
    bytes: u64,
    done: u64,
    /// The next segment.
    next: usize,
    followed: usize,
    walks: VecDeque<Walk>,
    /// Hops of paths that made room.
    evicted: VecDeque<u32>,
    /// What each walker walks, and when it ends.
    walkers: Vec<Option<(u64, Option<Walk>)>>,
    took: Taken,
}

impl<'p> Engine<'p> {
    /// With empty caches.
    pub fn new(program: &'p Segments, setup: Setup) -> Engine<'p> {
        let sets = setup.entries / (setup.lanes * setup.ways);
        let contexts = setup.contexts.div_ceil(setup.lanes);
        let lane = Lane {
            cache: PathCache::new(sets.max(1).ilog2(), setup.ways, setup.replacement),
            contexts: vec![None; contexts],
            turn: 0,
        };
        Engine {
            program,
            setup,
            lanes: vec![lane; setup.lanes],
            taken: vec![0; program.table.widths().sites()],
        }
    }

    /// The whole trace.
    pub fn run(&mut self) -> Taken {
        let mut run = Run {
            cycle: 0,
            bytes: 0,
            done: 0,
            next: 0,
            followed: 0,
            walks: VecDeque::new(),
            evicted: VecDeque::new(),
            walkers: vec![None; self.setup.walkers],
            took: Taken::default(),
        };
        while run.next < self.program.segments.len() || run.followed > 0 {
            run.bytes = self.program.bytes.min(run.bytes + self.setup.bytes);
            self.end_walks(&mut run);
            self.begin_segments(&mut run);
            for lane in 0..self.lanes.len() {
                self.take_path(&mut run, lane);
            }
            self.begin_walks(&mut run);
            let waiting = run.bytes.saturating_sub(run.done);
            run.took.most_bytes = run.took.most_bytes.max(waiting);
            run.cycle += 1;
        }
        run.took.cycles = run.cycle;
        run.took
    }

    /// Counts the branches of all paths that were found.
    pub fn count(&mut self) {
        for lane in &mut self.lanes {
            for (path, hits) in lane.cache.take_hits() {
                count(&mut self.taken, self.program, &path, hits);
            }
        }
    }

    /// The packets of a segment behind those that have been taken, and the byte that completes them;
    /// none if that has not come.
    fn packets(&self, segment: &Segment, taken: usize, bytes: u64) -> Option<usize> {
        let rest = &segment.packets[taken..];
        let most = self.setup.packets;
        let last = if rest.len() >= most {
            rest[most - 1].byte
        } else {
            segment.last_byte
        };
        (last < bytes).then_some(rest.len().min(most))
    }

    /// Segments whose first path has come get contexts, at most one in each lane.
    fn begin_segments(&mut self, run: &mut Run) {
        let program = self.program;
        for _ in 0..self.lanes.len() {
            let Some(segment) = program.segments.get(run.next) else {
                return;
            };
            if self.packets(segment, 0, run.bytes).is_none() {
                return;
            }
            let lane = self.lane(run.next);
            let place = lane.contexts.iter_mut().find(|it| it.is_none());
            let Some(place) = place else { return };
            *place = Some(Context {
                segment: run.next,
                packets: 0,
                site: segment.site,
                ready: Some(run.cycle),
            });
            run.next += 1;
            run.followed += 1;
        }
    }

    /// The lane of a segment: the next one, or the one with the most free contexts.
    fn lane(&mut self, segment: usize) -> &mut Lane {
        let lanes = self.lanes.len();
        let free = |lane: &usize| {
            let contexts = &self.lanes[*lane].contexts;
            contexts.iter().filter(|context| context.is_none()).count()
        };
        let lane = if self.setup.in_turns {
            segment % lanes
        } else {
            (0..lanes).max_by_key(free).unwrap_or(0)
        };
        &mut self.lanes[lane]
    }

    /// A lane takes a path of the next of its segments that has one.
    fn take_path(&mut self, run: &mut Run, lane: usize) {
        let contexts = self.lanes[lane].contexts.len();
        let turn = self.lanes[lane].turn;
        let places = (turn..contexts).chain(0..turn);
        let mut ready = places.filter_map(|place| {
            let context = self.lanes[lane].contexts[place]?;
            context.ready.filter(|ready| *ready <= run.cycle)?;
            let segment = &self.program.segments[context.segment];
            let packets = self.packets(segment, context.packets, run.bytes)?;
            Some((place, context, packets))
        });
        let Some((place, mut context, packets)) = ready.next() else {
            return;
        };
        let segment = &self.program.segments[context.segment];
        let mut path = Path::new(context.site);
        let taken = &segment.packets[context.packets..][..packets];
        taken.iter().for_each(|it| path.push(it.bits, it.count));
        context.packets += packets;
        run.done += taken.iter().map(|it| it.bytes).sum::<u64>();
        run.took.looks += 1;
        let end = self.lanes[lane].cache.find(&path);
        if let Some(end) = end {
            run.took.known += 1;
            self.go_on(run, lane, place, context, &end);
        } else {
            let taken = &mut self.taken;
            let end = path.walk(&self.program.table, |site| taken[site as usize] += 1);
            let end = end.expect("the trace of the program");
            context.ready = None;
            self.lanes[lane].contexts[place] = Some(context);
            run.walks.push_back(Walk {
                path,
                end,
                lane,
                context: place,
            });
        }
        self.lanes[lane].turn = (place + 1) % contexts;
    }

    /// Behind a path comes the next one of the segment, or another segment.
    fn go_on(&mut self, run: &mut Run, lane: usize, place: usize, context: Context, end: &PathEnd) {
        let segment = &self.program.segments[context.segment];
        let context = if context.packets < segment.packets.len() {
            let site = end.site(&self.program.table);
            Some(Context {
                site: site.expect("a site in a segment"),
                ready: Some(run.cycle + self.setup.latency),
                ..context
            })
        } else {
            run.followed -= 1;
            None
        };
        self.lanes[lane].contexts[place] = context;
    }

    /// Walks that end in this cycle.
    fn end_walks(&mut self, run: &mut Run) {
        for walker in 0..run.walkers.len() {
            let Some((_, walk)) = run.walkers[walker].filter(|(end, _)| *end <= run.cycle) else {
                continue;
            };
            run.walkers[walker] = None;
            let Some(walk) = walk else { continue };
            let context = self.lanes[walk.lane].contexts[walk.context];
            let context = context.expect("a context that waits");
            let lanes = if self.setup.fills_all {
                0..self.lanes.len()
            } else {
                walk.lane..walk.lane + 1
            };
            for lane in &mut self.lanes[lanes] {
                if let Some((path, hits)) = lane.cache.insert(walk.path, walk.end) {
                    let end = count(&mut self.taken, self.program, &path, hits);
                    run.evicted.push_back(end.hops);
                }
            }
            run.took.most_evicted = run.took.most_evicted.max(run.evicted.len());
            self.go_on(run, walk.lane, walk.context, context, &walk.end);
        }
    }

    /// Walkers without work begin: with paths that segments wait for.
    fn begin_walks(&mut self, run: &mut Run) {
        for walker in run.walkers.iter_mut().filter(|walker| walker.is_none()) {
            let walk = run.walks.pop_front();
            let hops = match &walk {
                Some(walk) => Some(u64::from(walk.end.hops) + WALK_LATENCY),
                None => run.evicted.pop_front().map(u64::from),
            };
            *walker = hops.map(|hops| (run.cycle + hops, walk));
        }
    }
}

/// Walks along a path whose branches are counted so often.
fn count(taken: &mut [u64], program: &Segments, path: &Path, times: u64) -> PathEnd {
    let end = path.walk(&program.table, |site| taken[site as usize] += times);
    end.expect("a path that was walked before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_gen::rng;
    use coretrace_test_gen::trace_unit::RandomProgram;

    #[test]
    fn every_setup_counts_what_a_walk_counts_and_walkers_make_it_faster() {
        let program = RandomProgram {
            blocks: 60,
            steps: 40_000,
        };
        let program = Segments::new(&program.trace(&mut rng(3))).expect("room");
        let run = |setup: Setup| {
            let mut engine = Engine::new(&program, setup);
            let (cold, warm) = (engine.run(), engine.run());
            engine.count();
            let twice = program.counts.taken.iter().map(|count| 2 * count);
            assert!(engine.taken.iter().copied().eq(twice), "{setup:?}");
            assert!(warm.known >= cold.known, "{setup:?}");
            cold.cycles
        };
        let few = Setup {
            entries: 64,
            walkers: 1,
            ..Setup::LARGE
        };
        let apart = Setup {
            fills_all: false,
            in_turns: true,
            ..few
        };
        assert!(run(Setup::LARGE) < run(few));
        run(apart);
        run(Setup::SMALL);
    }
}
