// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that follow chunks.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use coretrace_flow::{Chunk, Element, ElementSink, StreamFlow};

/// Elements that are kept of a chunk, at most, where they are kept: half a megabyte of them.
const MOST_KEPT: usize = 1 << 13;

/// Where the elements of a chunk go.
pub enum ChunkPart<P> {
    /// Where they belong.
    Own(P),
    /// They are kept, because they must come in order.
    Kept(Vec<(u64, Element)>),
}

/// A chunk that can begin by itself, and what is needed to follow it.
pub struct Job<P> {
    pub chunk: Chunk,
    pub flow: StreamFlow,
    pub part: ChunkPart<P>,
    done: Sender<Done<P>>,
}

/// A chunk that was followed.
pub struct Done<P> {
    pub chunk: Chunk,
    /// The flow behind the last byte that was decoded.
    pub flow: StreamFlow,
    pub part: ChunkPart<P>,
    /// How many bytes were decoded: fewer than there are if the part was full.
    pub decoded: usize,
}

/// Keeps elements.
struct Keep<'k>(&'k mut Vec<(u64, Element)>);

impl ElementSink for Keep<'_> {
    fn element(&mut self, offset: u64, element: &Element) {
        self.0.push((offset, *element));
    }
}

impl<P: ElementSink> Job<P> {
    /// A job, and what gives its result.
    pub fn new(chunk: Chunk, flow: StreamFlow, part: ChunkPart<P>) -> (Job<P>, Receiver<Done<P>>) {
        let (done, result) = channel();
        let job = Job {
            chunk,
            flow,
            part,
            done,
        };
        (job, result)
    }

    fn run(self, is_full: fn(&P) -> bool) {
        let Job {
            chunk,
            mut flow,
            mut part,
            done,
        } = self;
        if let Some(start) = &chunk.start {
            flow.resume(&start.state);
        }
        let decoded = match &mut part {
            ChunkPart::Own(own) => chunk.follow(0, &mut flow, own, is_full),
            ChunkPart::Kept(kept) => {
                let is_full = |kept: &Keep<'_>| kept.0.len() >= MOST_KEPT;
                chunk.follow(0, &mut flow, &mut Keep(kept), is_full)
            }
        };
        // Nobody waits for it after an error.
        let _ = done.send(Done {
            chunk,
            flow,
            part,
            decoded,
        });
    }
}

/// Runs jobs until there are no more senders.
pub fn work<P: ElementSink>(jobs: &Mutex<Receiver<Job<P>>>, is_full: fn(&P) -> bool) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        job.run(is_full);
    }
}
