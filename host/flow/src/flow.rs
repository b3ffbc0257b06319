// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, elements out.

use coretrace_etm::{Kind, Record, SourceConfig};

use crate::Contradiction;
use crate::element::{Element, ElementSink, Loss};
use crate::images::Images;
use crate::queue::Queue;
use crate::waiting::{Rules, Waiting};
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
    walker: Walker,
    queue: Queue,
    sync: Sync,
    after_overflow: bool,
    /// The address of an exception or of a Q is still to come.
    awaits_address: bool,
}

impl Flow {
    /// A flow that has not begun, of a source with these images. `as_opencsd`: where a trace
    /// contradicts itself or the images, the elements are those of OpenCSD 1.3.3.
    pub fn new(source: &SourceConfig, images: Images, as_opencsd: bool) -> Flow {
        Flow {
            rules: Rules::new(source),
            as_opencsd,
            walker: Walker::new(source, images, as_opencsd),
            queue: Queue::default(),
            sync: Sync::Begin,
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
            (Sync::Async(_), Kind::Async) => self.sync = Sync::TraceInfo,
            (Sync::TraceInfo, Kind::TraceInfo) => {
                self.sync = Sync::None;
                self.walker.begin();
                let [_, _, spec, _] = record.fields;
                self.queue.begin(spec);
                self.awaits_address = false;
            }
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
                    self.lose(Loss::BadPacket, record.offset, sink);
                }
            }
            _ => {}
        }
    }

    /// The trace ends here, after this number of bytes.
    pub fn finish(&mut self, offset: u64, sink: &mut impl ElementSink) {
        while let Some((offset, waiting)) = self.queue.pop() {
            match waiting {
                Waiting::Other(element) => sink.element(offset, &element),
                Waiting::Context(_) | Waiting::Address(_) => {}
                _ => break,
            }
        }
        self.queue.begin(0);
        let loss = match self.sync {
            Sync::Async(loss @ (Loss::Overflow | Loss::Discard)) => Some(loss),
            _ => None,
        };
        sink.element(offset, &Element::End { loss });
    }

    fn lose(&mut self, loss: Loss, offset: u64, sink: &mut impl ElementSink) {
        sink.element(offset, &Element::NoSync(loss));
        self.queue.begin(0);
        self.sync = Sync::Async(loss);
    }

    /// The trace unit dropped what is speculative; what is no part of the flow stays.
    fn discard(&mut self, loss: Loss, offset: u64, sink: &mut impl ElementSink) {
        while let Some((offset, waiting)) = self.queue.pop() {
            if let Waiting::Other(element) = waiting {
                sink.element(offset, &element);
            }
        }
        self.lose(loss, offset, sink);
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
            Kind::TraceInfo => self.walker.forget_calls(),
            Kind::Discard => self.discard(Loss::Discard, record.offset, sink),
            Kind::Overflow => {
                self.after_overflow = true;
                self.discard(Loss::Overflow, record.offset, sink);
            }
            _ => {}
        }
        for waiting in self.rules.waiting(record, self.after_overflow) {
            let Some(waiting) = waiting else { continue };
            match waiting {
                Waiting::TraceOn { .. } => self.after_overflow = false,
                Waiting::Address(_) => self.awaits_address = false,
                _ => self.awaits_address |= waiting.needs_address(),
            }
            self.queue.push(record.offset, waiting);
        }
        if self.queue.len() > MOST_WAITING {
            self.empty(sink)?;
        }
        if self.awaits_address {
            return Ok(());
        }
        self.resolve(record, sink)
    }

    /// Makes everything final. A packet that takes some of it back is a contradiction.
    fn empty(&mut self, sink: &mut impl ElementSink) -> Result<(), Contradiction> {
        if self.awaits_address {
            return Err(Contradiction);
        }
        self.commit(self.queue.beyond(0), sink)?;
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
            Waiting::Atoms(atoms) => self.walker.atom(atoms.bits & 1 == 1, offset, sink)?,
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
            Waiting::ExceptionReturn { .. } => sink.element(offset, &Element::ExceptionReturn),
            Waiting::FunctionReturn => {}
            Waiting::Transaction { step, .. } => sink.element(offset, &Element::Transaction(step)),
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
