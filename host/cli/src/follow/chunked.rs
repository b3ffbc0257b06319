// SPDX-License-Identifier: MIT OR Apache-2.0
//! Follows a source in chunks: with several threads, or a shard of it. What comes out is that of the
//! whole: a chunk that was followed by itself is taken only if the flow in front of it ends in the
//! state in which the chunk began.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender};

use coretrace_capture::StreamSink;
use coretrace_flow::{Chunk, Cutter, Doubts, StreamFlow};

use super::shard::Extent;
use super::sink::{FlowSink, Followed, STEP_BYTES, TraceSource};
use super::workers::{ChunkPart, Done, Job};
use crate::error::say;
use crate::progress::Progress;

/// Bytes of a chunk, at least, at first.
const LEAST_BYTES: usize = 1 << 15;

/// Bytes of a chunk without an A-Sync.
const MOST_BYTES: usize = 1 << 21;

/// Where the bytes of the source go.
enum Phase {
    /// To the flow: there was no A-Sync yet.
    Direct,
    /// Nowhere, up to this offset.
    Skip(u64),
    /// Into chunks. False: up to the first one that can begin by itself they belong to the shard
    /// before.
    Cut(Box<Cutter>, bool),
    /// Nowhere.
    Ended,
}

/// A chunk whose elements are not taken yet.
enum Waiting<P> {
    /// A thread follows it.
    Job(Receiver<Done<P>>),
    /// It waits for the flow in front of it.
    Chunk(Box<Chunk>),
}

/// Follows a source in chunks.
pub struct Chunked<'a, S: FlowSink> {
    sink: &'a mut S,
    source: TraceSource,
    extent: Extent,
    /// A flow of the source that has not begun.
    unused: StreamFlow,
    /// The flow behind all elements that were taken.
    flow: StreamFlow,
    part: S::Part,
    doubts: Doubts,
    is_end_doubtful: bool,
    phase: Phase,
    offset: u64,
    jobs: Option<Sender<Job<S::Part>>>,
    /// Chunks that may wait.
    most_waiting: usize,
    waiting: VecDeque<Waiting<S::Part>>,
    spare_flows: Vec<StreamFlow>,
    spare_parts: Vec<ChunkPart<S::Part>>,
    progress: &'a mut Option<Progress>,
}

impl<'a, S: FlowSink> Chunked<'a, S> {
    /// Follows a source with `workers`: so many threads that take jobs; or with none.
    pub fn new(
        source: TraceSource,
        flow: StreamFlow,
        extent: Extent,
        workers: Option<(usize, Sender<Job<S::Part>>)>,
        sink: &'a mut S,
        progress: &'a mut Option<Progress>,
    ) -> Chunked<'a, S> {
        let mut chunked = Chunked {
            part: sink.begin(&source),
            sink,
            source,
            extent,
            unused: flow.clone(),
            flow,
            doubts: Doubts::default(),
            is_end_doubtful: false,
            phase: Phase::Direct,
            offset: 0,
            most_waiting: workers.as_ref().map_or(0, |(threads, _)| threads + 1),
            jobs: workers.map(|(_, jobs)| jobs),
            waiting: VecDeque::new(),
            spare_flows: Vec::new(),
            spare_parts: Vec::new(),
            progress,
        };
        match extent {
            Extent {
                from: Some(from), ..
            } => chunked.phase = Phase::Skip(from),
            Extent { to: Some(_), .. } => chunked.cut(0, true),
            Extent { .. } => {}
        }
        chunked
    }

    /// Cuts what comes from an offset on.
    fn cut(&mut self, offset: u64, belongs: bool) {
        let Extent { from, to } = self.extent;
        let always_at: Vec<u64> = [from, to].into_iter().flatten().collect();
        let scout = self.unused.clone();
        let cutter = Cutter::new(scout, offset, LEAST_BYTES, MOST_BYTES, &always_at);
        self.phase = Phase::Cut(Box::new(cutter), belongs);
    }

    /// Takes the next chunk.
    fn chunk(&mut self, chunk: Chunk) {
        let Phase::Cut(_, belongs) = &mut self.phase else {
            return;
        };
        if !*belongs {
            let Some(start) = &chunk.start else { return };
            *belongs = true;
            self.flow.resume(&start.state);
        }
        if let (Some(start), Some(to)) = (&chunk.start, self.extent.to)
            && start.sync >= to
        {
            self.join_all();
            if self.flow.state().as_ref() != Some(&start.state) {
                self.is_end_doubtful = true;
                let (id, offset) = (self.source.id, start.state.offset());
                say(&format!(
                    "warning: ID {id:02x}: the next shard begins at offset {offset} without knowing all \
                     that this one does, so its first elements may not be those of the whole"
                ));
            }
            self.phase = Phase::Ended;
            return;
        }
        let waiting = match &self.jobs {
            Some(jobs) if chunk.start.is_some() => {
                let flow = self.spare_flows.pop();
                let flow = flow.unwrap_or_else(|| self.unused.clone());
                let part = self.spare_parts.pop().unwrap_or_else(|| {
                    let own = self.sink.fork(&self.source);
                    own.map_or(ChunkPart::Kept(Vec::new()), ChunkPart::Own)
                });
                let (job, result) = Job::new(chunk, flow, part);
                // Threads end when all jobs are done.
                let _ = jobs.send(job);
                Waiting::Job(result)
            }
            _ => Waiting::Chunk(Box::new(chunk)),
        };
        self.waiting.push_back(waiting);
        while self.waiting.len() > self.most_waiting {
            self.join();
        }
    }

    fn join_all(&mut self) {
        while !self.waiting.is_empty() {
            self.join();
        }
    }

    /// Takes the elements of the chunk that waits longest.
    fn join(&mut self) {
        match self.waiting.pop_front() {
            Some(Waiting::Chunk(chunk)) => self.follow(&chunk, 0),
            Some(Waiting::Job(result)) => {
                // A thread that panicked ends the program.
                if let Ok(done) = result.recv() {
                    self.take(done);
                }
            }
            None => {}
        }
    }

    fn take(&mut self, done: Done<S::Part>) {
        let Done {
            chunk,
            mut flow,
            part,
            decoded,
        } = done;
        let state = chunk.start.as_ref().map(|start| &start.state);
        if self.flow.state().as_ref() != state {
            // The chunk began with too little: its elements are dropped.
            self.spare_flows.push(flow);
            self.follow(&chunk, 0);
            return;
        }
        self.doubts
            .append(&self.flow.replace_doubts(Doubts::default()));
        std::mem::swap(&mut self.flow, &mut flow);
        self.spare_flows.push(flow);
        self.take_part(part);
        if decoded < chunk.bytes.len() {
            if let Phase::Cut(cutter, _) = &mut self.phase {
                cutter.halve();
            }
            self.follow(&chunk, decoded);
        }
    }

    fn take_part(&mut self, mut part: ChunkPart<S::Part>) {
        match &mut part {
            ChunkPart::Own(own) => self.sink.take(own),
            ChunkPart::Kept(kept) => {
                for elements in kept.chunks(STEP_BYTES) {
                    for (offset, element) in elements {
                        coretrace_flow::ElementSink::element(&mut self.part, *offset, element);
                    }
                    self.sink.take(&mut self.part);
                }
                kept.clear();
            }
        }
        self.spare_parts.push(part);
    }

    /// Follows a chunk from a place on, behind what was taken.
    fn follow(&mut self, chunk: &Chunk, from: usize) {
        let mut place = from;
        loop {
            place = chunk.follow(place, &mut self.flow, &mut self.part, |_| true);
            self.sink.take(&mut self.part);
            if place == chunk.bytes.len() {
                return;
            }
        }
    }

    /// Ends the source.
    pub fn end(mut self, followed: &mut Followed) {
        followed.is_decoded |= self.flow.has_async() || self.extent.from.is_some();
        self.doubts
            .append(&self.flow.replace_doubts(Doubts::default()));
        followed.doubts += self.doubts.count();
        followed.is_end_doubtful |= self.is_end_doubtful;
        self.sink.end(&self.source, self.part);
        self.sink.doubts(&self.source, &self.doubts);
    }
}

impl<S: FlowSink> StreamSink for Chunked<'_, S> {
    fn bytes(&mut self, _: usize, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let mut step = &rest[..rest.len().min(STEP_BYTES)];
            match &mut self.phase {
                Phase::Direct => {
                    self.flow.feed(step, &mut self.part);
                    self.sink.take(&mut self.part);
                    if self.flow.has_async() {
                        self.cut(self.offset + step.len() as u64, true);
                    }
                }
                Phase::Skip(from) => {
                    let left = *from - self.offset;
                    step = &step[..step.len().min(left.try_into().unwrap_or(usize::MAX))];
                    let offset = self.offset + step.len() as u64;
                    if offset == *from {
                        self.cut(offset, false);
                    }
                }
                Phase::Cut(cutter, _) => {
                    let mut chunks = Vec::new();
                    cutter.feed(step, |chunk| chunks.push(chunk));
                    for chunk in chunks {
                        self.chunk(chunk);
                    }
                }
                Phase::Ended => return,
            }
            self.offset += step.len() as u64;
            rest = &rest[step.len()..];
        }
    }

    fn lost(&mut self) {
        match &mut self.phase {
            Phase::Direct => {
                self.flow.discontinuity(&mut self.part);
                self.sink.take(&mut self.part);
            }
            Phase::Cut(cutter, _) => cutter.lost(),
            Phase::Skip(_) | Phase::Ended => {}
        }
    }

    fn finish(&mut self) {
        if let Phase::Cut(cutter, _) = &mut self.phase {
            let mut chunks = Vec::new();
            let cutter = cutter.clone();
            cutter.finish(|chunk| chunks.push(chunk));
            for chunk in chunks {
                self.chunk(chunk);
            }
        }
        self.join_all();
        if let Phase::Direct | Phase::Cut(_, true) = self.phase {
            self.flow.finish(&mut self.part);
            self.sink.take(&mut self.part);
        }
    }

    fn is_synced(&self) -> bool {
        !matches!(self.phase, Phase::Direct) || self.flow.has_async()
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }

    fn is_done(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }
}
