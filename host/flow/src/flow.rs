// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, elements out.

pub mod state;

use coretrace_etm::{Kind, Record, SourceConfig};

use crate::Contradiction;
use crate::doubts::Doubts;
use crate::element::{Element, ElementSink, Loss};
use crate::images::Images;
use crate::queue::Queue;
use crate::waiting::{Rules, Target, Waiting};
use crate::walker::Walker;

/// Entries of the queue, at most: many more than a trace unit with a speculation depth of 255 can make.
const MOST_WAITING: usize = 1 << 16;

/// What the flow waits for before it can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    /// Nothing has come yet.
    Begin,
    /// An A-Sync.
    Async(Loss),
    /// A Trace Info.
    TraceInfo,
    /// It has begun.
    None,
}

/// Follows the program of one source.
#[derive(Clone, Debug)]
pub struct Flow {
    rules: Rules,
    as_opencsd: bool,
    /// Nothing is speculative.
    is_direct: bool,
    walker: Walker,
    queue: Queue,
    sync: Sync,
    has_async: bool,
    after_overflow: bool,
    /// The address of an exception or of a Q is still to come.
    awaits_address: bool,
}

impl Flow {
    /// A flow that has not begun, of a source with these images. `as_opencsd`: where a trace
    /// contradicts itself or the images, the elements are those of OpenCSD 1.3.3.
    pub fn new(source: &SourceConfig, images: Images, as_opencsd: bool) -> Flow {
        let rules = Rules::new(source);
        Flow {
            rules,
            as_opencsd,
            is_direct: rules.config.max_spec == 0 && !as_opencsd,
            walker: Walker::new(source, images, as_opencsd),
            queue: Queue::default(),
            sync: Sync::Begin,
            has_async: false,
            after_overflow: false,
            awaits_address: false,
        }
    }

    /// Takes a record; `sink` gets what is final with it.
    pub fn record(&mut self, record: &Record, sink: &mut impl ElementSink) {
        if self.sync == Sync::Begin {
            self.lose(Loss::Begin, record.offset, sink);
        }
        match (self.sync, record.kind) {
            (Sync::Async(_), Kind::Async) => {
                self.sync = Sync::TraceInfo;
                self.has_async = true;
            }
            (Sync::TraceInfo, Kind::TraceInfo) => self.begin(depth_of(record)),
            (Sync::TraceInfo, kind) if kind.is_error() => {
                self.lose(Loss::BadPacket, record.offset, sink);
            }
            (Sync::None, _) => {
                let result = if self.as_opencsd {
                    self.packet_as_opencsd(record, sink)
                } else {
                    self.packet(record, sink)
                };
                if result.is_err() {
                    self.contradict(record, sink);
                }
            }
            _ => {}
        }
    }

    /// Begins behind a Trace Info; so many P0 elements are not committed.
    fn begin(&mut self, depth: u32) {
        self.sync = Sync::None;
        self.walker.begin();
        self.queue.begin(depth);
        self.awaits_address = false;
    }

    /// A packet contradicts what is known. Between a Trace Info and its address that is the place
    /// from before: it waits for the address.
    #[cold]
    fn contradict(&mut self, record: &Record, sink: &mut impl ElementSink) {
        let depth = self.queue.depth();
        self.lose(Loss::BadPacket, record.offset, sink);
        if self.walker.waits_for_address() && !self.as_opencsd && !record.kind.is_error() {
            self.begin(depth);
        }
    }

    /// Bytes were lost in front of this offset. OpenCSD follows on.
    pub fn discontinuity(&mut self, offset: u64, sink: &mut impl ElementSink) {
        if self.sync == Sync::None && !self.as_opencsd {
            self.lose(Loss::Discontinuity, offset, sink);
        }
    }

    /// Takes an Atom packet as [`Flow::record`] does, with its atoms as bits; false if it does not.
    #[inline(always)]
    pub fn atoms(&mut self, record: &Record, pattern: u32, sink: &mut impl ElementSink) -> bool {
        let takes = self.is_direct && self.sync == Sync::None && !self.awaits_address;
        if takes && self.final_atoms(record, pattern, sink).is_err() {
            self.contradict(record, sink);
        }
        takes
    }

    /// Takes an address packet as [`Flow::record`] does; false if it does not.
    #[inline(always)]
    pub fn address(&mut self, record: &Record) -> bool {
        let takes = record.kind.is_address() && self.sync == Sync::None && self.is_final(0);
        if takes {
            self.walker.address(Target {
                address: record.address,
                has_64_bits: matches!(record.kind, Kind::AddrLong64Is0 | Kind::AddrLong64Is1),
            });
        }
        takes
    }

    /// Takes a cycle count as [`Flow::record`] does; false if it does not.
    #[inline(always)]
    pub fn count(&mut self, record: &Record, sink: &mut impl ElementSink) -> bool {
        let is_count = matches!(record.kind, Kind::CycleCountF1 | Kind::CycleCountF3);
        let takes = is_count && self.sync == Sync::None && self.is_final(record.elements);
        if takes {
            sink.element(record.offset, &Element::CycleCount(record.count));
        }
        takes
    }

    /// Whether what comes next is final at once: nothing waits, and nothing is to be committed.
    #[inline]
    fn is_final(&self, elements: u32) -> bool {
        self.is_direct && !self.awaits_address && elements == 0 && self.queue.is_empty()
    }

    /// Atoms that are final as they come, and with them all that waits.
    #[inline(always)]
    fn final_atoms(
        &mut self,
        record: &Record,
        pattern: u32,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        if !self.queue.is_empty() {
            self.commit(self.queue.beyond(0), sink)?;
            self.end_all(sink)?;
        }
        self.walker
            .atoms(pattern, record.atoms.count, record.offset, sink)
    }

    /// Whether there was an A-Sync.
    pub fn has_async(&self) -> bool {
        self.has_async
    }

    /// Where the trace contradicts the images.
    pub fn doubts(&self) -> &Doubts {
        self.walker.doubts()
    }

    /// The trace ends here, after this number of bytes. What waits behind no P0 element is final;
    /// OpenCSD drops the part of it that belongs to the flow.
    pub fn finish(&mut self, offset: u64, sink: &mut impl ElementSink) {
        while let Some((offset, waiting)) = self.queue.pop() {
            match waiting {
                Waiting::Other(element) => sink.element(offset, &element),
                Waiting::Context(_) | Waiting::Address(_) if self.as_opencsd => {}
                _ if waiting.p0() > 0 || self.as_opencsd => break,
                _ => self.end(offset, waiting, sink).unwrap_or_default(),
            }
        }
        self.queue.begin(0);
        let loss = match self.sync {
            Sync::Async(loss @ (Loss::Overflow | Loss::Discard)) => Some(loss),
            _ => None,
        };
        sink.element(offset, &Element::End { loss });
    }

    /// The place is lost. What waits is dropped but for what is no part of the flow; OpenCSD drops
    /// that too if the trace unit says nothing of a loss.
    fn lose(&mut self, loss: Loss, offset: u64, sink: &mut impl ElementSink) {
        let keeps = !self.as_opencsd || loss != Loss::BadPacket;
        while let Some((offset, waiting)) = self.queue.pop() {
            if let Waiting::Other(element) = waiting
                && keeps
            {
                sink.element(offset, &element);
            }
        }
        sink.element(offset, &Element::NoSync(loss));
        self.queue.begin(0);
        self.sync = Sync::Async(loss);
    }

    /// In front of a contradiction OpenCSD drops the ranges and returns that it has not reported yet.
    fn packet_as_opencsd(
        &mut self,
        record: &Record,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        let mut held = Vec::new();
        let mut hold = |offset, element: &Element| held.push((offset, *element));
        let result = self.packet(record, &mut hold);
        if result.is_err() {
            let is_late =
                |element: &Element| matches!(element, Element::Range(_) | Element::ExceptionReturn);
            while held.pop_if(|(_, element)| is_late(element)).is_some() {}
        }
        for (offset, element) in &held {
            sink.element(*offset, element);
        }
        result
    }

    fn packet(
        &mut self,
        record: &Record,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        match record.kind {
            kind if kind.is_error() => return Err(Contradiction),
            Kind::TraceInfo => self.trace_info(record, sink),
            Kind::Discard => self.lose(Loss::Discard, record.offset, sink),
            Kind::Overflow => {
                self.after_overflow = true;
                self.lose(Loss::Overflow, record.offset, sink);
            }
            _ => {}
        }
        if self.is_final(record.elements)
            && let Some(element) = self.rules.other(record)
        {
            sink.element(record.offset, &element);
            return Ok(());
        }
        // An address in front of the Trace On says that it is another one.
        let is_first = self.as_opencsd || self.walker.waits_for_address();
        let after_overflow = self.after_overflow && is_first;
        self.rules.waiting(record, after_overflow, |waiting| {
            match waiting {
                Waiting::TraceOn { .. } => self.after_overflow = false,
                Waiting::Address(_) => self.awaits_address = false,
                _ => self.awaits_address |= waiting.needs_address(),
            }
            self.queue.push(record.offset, waiting);
        });
        if self.queue.len() > MOST_WAITING {
            self.empty(sink)?;
        }
        if self.awaits_address {
            return Ok(());
        }
        self.resolve(record, sink)
    }

    /// A Trace Info in the middle of the trace says how much is not committed. If that is not what is
    /// known, or the address of an exception is still to come, packets are missing. OpenCSD does not
    /// look at it.
    fn trace_info(&mut self, record: &Record, sink: &mut impl ElementSink) {
        let depth = depth_of(record);
        let is_same = depth == self.queue.depth() && !self.awaits_address;
        if is_same || self.as_opencsd {
            self.walker.trace_info();
        } else {
            self.lose(Loss::BadPacket, record.offset, sink);
            self.begin(depth);
        }
    }

    /// Makes everything final. A packet that takes some of it back is a contradiction.
    fn empty(&mut self, sink: &mut impl ElementSink) -> Result<(), Contradiction> {
        if self.awaits_address {
            return Err(Contradiction);
        }
        self.commit(self.queue.beyond(0), sink)?;
        self.end_all(sink)
    }

    fn end_all(&mut self, sink: &mut impl ElementSink) -> Result<(), Contradiction> {
        while let Some((offset, waiting)) = self.queue.pop() {
            self.end(offset, waiting, sink)?;
        }
        Ok(())
    }

    /// Commits and cancels what a packet says, and what goes beyond the speculation depth.
    fn resolve(
        &mut self,
        record: &Record,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        self.commit(self.queue.beyond(self.rules.config.max_spec), sink)?;
        match record.kind {
            Kind::CancelF1 | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3 => {
                self.queue.cancel(record.elements)?;
            }
            _ => self.commit(record.elements, sink)?,
        }
        match record.kind {
            Kind::Mispredict | Kind::CancelF1Mispredict | Kind::CancelF2 | Kind::CancelF3 => {
                self.queue.mispredict()
            }
            _ => Ok(()),
        }
    }

    /// Makes the oldest P0 elements final, and all that came before them.
    fn commit(&mut self, count: u32, sink: &mut impl ElementSink) -> Result<(), Contradiction> {
        let mut left = self.queue.commit(count);
        while left > 0 {
            let (offset, waiting) = self.queue.pop().ok_or(Contradiction)?;
            left -= waiting.p0();
            self.end(offset, waiting, sink)?;
        }
        Ok(())
    }

    /// What waited is final.
    fn end(
        &mut self,
        offset: u64,
        waiting: Waiting,
        sink: &mut impl ElementSink,
    ) -> Result<(), Contradiction> {
        match waiting {
            Waiting::Atoms(atoms) => self.walker.atoms(atoms.bits, 1, offset, sink)?,
            Waiting::Exception { number, is_target } => {
                let behind = self.queue.pop_target()?;
                self.walker
                    .exception((number, is_target), behind, offset, sink)?;
            }
            Waiting::Q { count } => {
                let behind = self.queue.pop_target()?;
                self.walker.q(count, behind, offset, sink)?;
            }
            Waiting::Source(address) => self.walker.source(address, offset, sink)?,
            Waiting::ExceptionReturn { .. } => {
                self.walker.jump();
                sink.element(offset, &Element::ExceptionReturn);
            }
            Waiting::FunctionReturn => self.walker.jump(),
            Waiting::Transaction { step, .. } => {
                self.walker.jump();
                sink.element(offset, &Element::Transaction(step));
            }
            Waiting::Address(target) => self.walker.address(target),
            Waiting::Context(context) => {
                let element = self.walker.context(context);
                sink.element(offset, &element);
            }
            Waiting::TraceOn { after_overflow } => {
                self.walker.trace_on();
                sink.element(offset, &Element::TraceOn { after_overflow });
            }
            Waiting::Other(element) => sink.element(offset, &element),
        }
        Ok(())
    }
}

/// The P0 elements that are not committed at a Trace Info.
fn depth_of(record: &Record) -> u32 {
    let [_, _, depth, _] = record.fields;
    depth
}
