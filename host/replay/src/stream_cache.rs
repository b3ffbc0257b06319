// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stream cache encoders leave out: the cache says which streams there were, the image what is
//! in them.

use std::collections::VecDeque;

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::stream_cache::{
    ADDRESS_BITS, DISCONTINUITY, INDEX_BITS, LENGTH_BITS, MONITOR_LONG, MONITOR_MOST,
    MONITOR_SHORT, MONITOR_START, MOST_INSTRUCTIONS, RUN_BITS, SETS, Scheme, WAYS,
};

use crate::code::{Code, INSTRUCTION_BYTES, behind, instructions_up_to};
use crate::reader::{Damaged, Reader};

/// A stream of the trace.
#[derive(Clone, Copy)]
struct Stream {
    start: u64,
    length: u32,
    /// Instructions that were executed, if a discontinuity ends it.
    executed: Option<u32>,
}

/// The cache with what the encoder knows when a record comes.
struct Cache {
    scheme: Scheme,
    address_bits: u32,
    /// Address, as the cache has it, and length; the sets one behind the other.
    streams: Vec<Option<(u64, u32)>>,
    /// The indices of each set, the one that was used last at the end.
    order: Vec<Vec<usize>>,
    followers: Vec<usize>,
    last: usize,
    upper: u64,
    /// Predicted streams that the last record has left.
    predicted: u64,
    run_bits: u32,
    monitor: u32,
    /// The last record was a run as long as its bits can say.
    was_full: bool,
}

impl Cache {
    fn new(scheme: Scheme, is_wide: bool) -> Cache {
        let indices = |set: usize| (set * WAYS..(set + 1) * WAYS).filter(|&index| index > 0);
        Cache {
            scheme,
            address_bits: ADDRESS_BITS[usize::from(is_wide)],
            streams: vec![None; SETS * WAYS],
            order: (0..SETS).map(|set| indices(set).collect()).collect(),
            followers: vec![0; SETS * WAYS],
            last: 0,
            upper: 0,
            predicted: 0,
            run_bits: RUN_BITS.0,
            monitor: MONITOR_START,
            was_full: false,
        }
    }

    /// Bits of an address that are below those that are sent by themselves.
    fn lower_bits(&self) -> u32 {
        32 - self.scheme.upper_bits()
    }

    fn use_entry(&mut self, index: usize) {
        let order = &mut self.order[index / WAYS];
        if let Some(at) = order.iter().position(|&used| used == index) {
            order.remove(at);
            order.push(index);
        }
    }

    /// The stream of an index, which is now the last one.
    fn cached(&mut self, index: usize) -> Result<Stream, Damaged> {
        let (kept, length) = self.streams[index].ok_or(Damaged)?;
        let start = match self.scheme {
            Scheme::Reduced => kept | self.upper << self.lower_bits(),
            Scheme::Base | Scheme::Extended => kept,
        };
        self.follow(index);
        Ok(Stream {
            start,
            length,
            executed: None,
        })
    }

    /// The next stream, which starts at `known` if the image says where.
    fn next(&mut self, reader: &mut Reader<'_>, known: Option<u64>) -> Result<Stream, Damaged> {
        let stream = if self.predicted > 0 || reader.bit()? {
            self.predicted(reader)?;
            self.cached(self.followers[self.last])?
        } else {
            self.was_full = false;
            match reader.field(INDEX_BITS)? {
                0 => self.new_stream(reader, known)?,
                index => self.cached(index as usize)?,
            }
        };
        if self.scheme == Scheme::Reduced {
            self.upper = self.without_top(stream.start) >> self.lower_bits();
        }
        Ok(stream)
    }

    /// One of a run of predicted streams; the record has been begun if none is left.
    fn predicted(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        if self.predicted > 0 {
            self.predicted -= 1;
            return Ok(());
        }
        if !self.scheme.has_runs() {
            return Ok(());
        }
        // A run behind a full one says that the full one was too short for what came.
        if self.was_full {
            self.adapt(true);
        }
        let run = reader.field(self.run_bits)?;
        self.predicted = run.checked_sub(1).ok_or(Damaged)?;
        self.was_full = run == (1 << self.run_bits) - 1;
        if run < 1 << (self.run_bits - 1) {
            self.adapt(false);
        }
        Ok(())
    }

    fn adapt(&mut self, was_long: bool) {
        let (_, least, most) = RUN_BITS;
        if was_long {
            self.monitor = MONITOR_MOST.min(self.monitor + MONITOR_LONG);
        } else {
            self.monitor = self.monitor.saturating_sub(MONITOR_SHORT);
        }
        match self.monitor {
            0 => self.run_bits = least.max(self.run_bits - 1),
            MONITOR_MOST => self.run_bits = most.min(self.run_bits + 1),
            _ => return,
        }
        self.monitor = MONITOR_START;
    }

    fn new_stream(
        &mut self,
        reader: &mut Reader<'_>,
        known: Option<u64>,
    ) -> Result<Stream, Damaged> {
        let length = reader.field(LENGTH_BITS)? as u32;
        let start = match known {
            Some(start) => start,
            None => self.address(reader)?,
        };
        let mut stream = Stream {
            start,
            length,
            executed: None,
        };
        if length == DISCONTINUITY {
            stream.executed = Some(reader.field(LENGTH_BITS)? as u32);
            self.last = 0;
        } else {
            self.keep(&stream);
        }
        Ok(stream)
    }

    fn address(&mut self, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
        if self.scheme == Scheme::Base {
            return Ok(reader.field(self.address_bits - 2)? << 2);
        }
        let is_new = reader.bit()?;
        let lower = reader.field(self.lower_bits() - 2)? << 2;
        let mut upper = self.upper;
        if is_new {
            upper = reader.field(self.address_bits - self.lower_bits())?;
        }
        if self.scheme == Scheme::Extended {
            self.upper = upper;
        }
        Ok(upper << self.lower_bits() | lower)
    }

    fn without_top(&self, address: u64) -> u64 {
        address & ((1 << self.address_bits) - 1)
    }

    /// Puts a stream into the cache, in the place that it has if it has one.
    fn keep(&mut self, stream: &Stream) {
        let kept = match self.scheme {
            Scheme::Reduced => stream.start & ((1 << self.lower_bits()) - 1),
            Scheme::Base | Scheme::Extended => stream.start,
        };
        let key = Some((kept, stream.length));
        let set = ((stream.start >> 4) ^ u64::from(stream.length)) as usize & (SETS - 1);
        let mut indices: Vec<usize> = self.order[set].clone();
        indices.sort_unstable();
        let of = |wanted: Option<(u64, u32)>| {
            let has = |&index: &usize| self.streams[index] == wanted;
            indices.iter().copied().find(has)
        };
        let index = of(key).or_else(|| of(None)).unwrap_or(self.order[set][0]);
        self.streams[index] = key;
        self.follow(index);
    }

    fn follow(&mut self, index: usize) {
        self.use_entry(index);
        self.followers[self.last] = index;
        self.last = index;
    }
}

/// The events of a trace, in order. Behind an error there is none.
pub struct StreamCacheReplay<'r, C> {
    code: &'r C,
    reader: Reader<'r>,
    cache: Cache,
    /// Where execution went on behind the last stream, and for how many instructions.
    rest: (u64, u32),
    address: u64,
    /// The image says where the next stream starts.
    is_known: bool,
    /// Instructions since the last event, of streams that went on.
    instructions: u32,
    /// An event behind which the next stream starts.
    open: Option<Event>,
    ready: VecDeque<Event>,
    has_ended: bool,
}

impl<'r, C: Code> StreamCacheReplay<'r, C> {
    /// Of a trace; behind the last stream so many instructions were executed from an address on.
    pub fn new(
        scheme: Scheme,
        is_wide: bool,
        code: &'r C,
        reader: Reader<'r>,
        rest: (u64, u32),
    ) -> StreamCacheReplay<'r, C> {
        StreamCacheReplay {
            code,
            reader,
            cache: Cache::new(scheme, is_wide),
            rest,
            address: 0,
            is_known: false,
            instructions: 0,
            open: None,
            ready: VecDeque::new(),
            has_ended: false,
        }
    }

    /// Reads a stream and goes through it; false at the end.
    fn stream(&mut self) -> Result<bool, Damaged> {
        if self.cache.predicted == 0 && self.reader.is_at_end() {
            return Ok(false);
        }
        let known = self.is_known.then_some(self.address);
        let stream = self.cache.next(&mut self.reader, known)?;
        self.begin(stream.start);
        self.is_known = false;
        match (stream.length, stream.executed) {
            (_, Some(executed)) => {
                self.walk(executed, false)?;
                self.open = Some(Event::Discontinuity {
                    instructions: std::mem::take(&mut self.instructions),
                    next: 0,
                });
            }
            (0, None) => {
                self.walk(MOST_INSTRUCTIONS, false)?;
                self.is_known = true;
            }
            (length, None) => self.walk(length, true)?,
        }
        Ok(true)
    }

    /// The next stream starts here.
    fn begin(&mut self, start: u64) {
        let event = self.open.take().map(|event| match event {
            Event::Branch(branch) => Event::Branch(Branch {
                next: start,
                ..branch
            }),
            Event::Discontinuity { instructions, .. } => Event::Discontinuity {
                instructions,
                next: start,
            },
        });
        self.ready.extend(event);
        self.address = start;
    }

    /// Goes through so many instructions; the last one is a branch that was taken if `ends`.
    fn walk(&mut self, instructions: u32, ends: bool) -> Result<(), Damaged> {
        let mut left = instructions;
        while left > 0 {
            let site = self.code.branch_from(self.address);
            let run = site.map(|site| (site, instructions_up_to(self.address, site.address)));
            let within = run.filter(|&(_, run)| run <= u64::from(left));
            let Some((site, run)) = within else {
                if ends {
                    return Err(Damaged);
                }
                self.instructions = self.instructions.checked_add(left).ok_or(Damaged)?;
                let bytes = INSTRUCTION_BYTES * u64::from(left);
                self.address = self.address.wrapping_add(bytes);
                return Ok(());
            };
            left -= run as u32;
            let is_last = ends && left == 0;
            let is_conditional = site.kind.is(BranchKind::CONDITIONAL);
            let is_open = site
                .kind
                .is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION));
            if is_open && !is_last && !is_conditional {
                return Err(Damaged);
            }
            let taken = is_last || !is_conditional;
            let next = if taken {
                site.target
            } else {
                behind(site.address)
            };
            let before = std::mem::take(&mut self.instructions);
            let branch = Branch {
                address: site.address,
                kind: site.kind,
                taken,
                next,
                instructions: before.checked_add(run as u32).ok_or(Damaged)?,
            };
            if is_last && is_open {
                self.open = Some(Event::Branch(branch));
            } else {
                self.ready.push_back(Event::Branch(branch));
                self.address = next;
                self.is_known = is_last;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Event>, Damaged> {
        while self.ready.is_empty() {
            if !self.stream()? {
                self.has_ended = true;
                let (start, instructions) = self.rest;
                self.begin(start);
                self.walk(instructions, false)?;
                break;
            }
        }
        Ok(self.ready.pop_front())
    }
}

impl<C: Code> Iterator for StreamCacheReplay<'_, C> {
    type Item = Result<Event, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return self.ready.pop_front().map(Ok);
        }
        let event = self.step();
        if event.is_err() {
            self.has_ended = true;
            self.ready.clear();
        }
        event.transpose()
    }
}
