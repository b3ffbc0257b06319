// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core that executes a branch trace, and the trace unit that watches it.

use super::clock::Clock;
use super::encoder::{CoreContext, Encoder};
use super::handler::{self, Step};
use super::interruptions::Interruptions;
use super::options::{AddressAfterSync, TraceUnit};
use super::return_stack::ReturnStack;
use super::speculation::Speculative;
use super::{Observer, TracedRange};
use crate::Rng;
use crate::btr::{BranchTrace, INSTRUCTION_BYTES, SiteKind};
use coretrace_etm::{Config, Kind, SourceConfig};
use coretrace_isa::Isa;
use rand::RngExt;

/// Exception numbers.
const CALL: u8 = 2;
const INTERRUPT: u8 = 14;

/// A reported instruction that retired.
#[derive(Clone, Copy, Debug)]
struct P0 {
    address: u64,
    next: u64,
    taken: bool,
    kind: SiteKind,
}

/// The core and its trace unit.
pub struct Core<'t, O> {
    options: &'t TraceUnit,
    isa: Isa,
    rng: Rng,
    encoder: Encoder,
    clock: Clock,
    stack: ReturnStack,
    speculative: Option<Speculative>,
    interruptions: Interruptions,
    context: CoreContext,
    /// A target that has not been sent yet.
    target: Option<u64>,
    /// The newest target was on the return stack, and no P0 element has followed.
    popped: bool,
    /// The next address comes with the context.
    wants_context: bool,
    /// Bytes at the newest A-Sync.
    synchronized: u64,
    /// Instructions of the program that retired.
    retired: u64,
    observer: &'t mut O,
}

impl<'t, O: Observer> Core<'t, O> {
    pub fn new(options: &'t TraceUnit, isa: Isa, observer: &'t mut O) -> Core<'t, O> {
        let source: SourceConfig = options.source();
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let mut rng = crate::rng(options.seed);
        Core {
            options,
            isa,
            encoder: Encoder::new(config),
            clock: Clock::new(options, &config),
            stack: ReturnStack::new(options.return_stack),
            speculative: options.speculation.map(Speculative::new),
            interruptions: Interruptions::new(&options.interrupts, &mut rng),
            rng,
            context: CoreContext {
                el: 0,
                is_a64: isa == Isa::A64,
                vmid: options.vmid.map(u32::from),
                cid: options.cid,
            },
            target: None,
            popped: false,
            wants_context: false,
            synchronized: 0,
            retired: 0,
            observer,
        }
    }

    /// Executes a whole trace; returns the stream.
    pub fn run(mut self, trace: &BranchTrace) -> Vec<u8> {
        self.encoder.synchronize(self.options.cycle_threshold, 0);
        self.clock.timestamp(&mut self.encoder);
        self.trace_on(trace.start);
        // Where the block begins, and its instructions so far.
        let mut block = trace.start;
        let mut left = trace.record_count();
        for record in trace.records() {
            left -= 1;
            let site = trace.sites[record.site];
            // The atom of a barrier is E, whatever its record says.
            let is_barrier =
                site.kind.is(SiteKind::BARRIER) && !site.kind.is(SiteKind::CONDITIONAL);
            let p0 = P0 {
                address: site.address,
                next: record.next,
                taken: record.taken || is_barrier,
                kind: site.kind,
            };
            let end = site.address.wrapping_add(INSTRUCTION_BYTES);
            let begin = end.wrapping_sub(record.instructions.wrapping_mul(INSTRUCTION_BYTES));
            block = self.interrupt(block, begin, record.instructions);
            self.retire(record.instructions);
            if site.kind.is(SiteKind::BRANCH) || site.kind.is(SiteKind::BARRIER) {
                self.block(block, &p0);
                block = record.next;
            } else if record.taken {
                self.observe(block, end, None);
                let number = if site.kind.is(SiteKind::SUPERVISOR_CALL) {
                    CALL
                } else {
                    INTERRUPT
                };
                self.exception(number, end, (left > 0).then_some(record.next));
                block = record.next;
            }
        }
        self.send_target();
        if let Some(speculative) = &mut self.speculative {
            speculative.commit_all(&mut self.encoder);
        }
        self.encoder.finish()
    }

    /// The interrupts in front of the instructions from `begin` on, in a block that began at
    /// `block`. Returns where it begins behind them.
    fn interrupt(&mut self, mut block: u64, begin: u64, instructions: u64) -> u64 {
        let end = self.retired + instructions;
        while let Some(place) = self.interruptions.before(end, &mut self.rng) {
            let offset = place.saturating_sub(self.retired) * INSTRUCTION_BYTES;
            let here = begin.wrapping_add(offset);
            self.observe(block, here, None);
            self.exception(INTERRUPT, here, Some(here));
            block = here;
        }
        block
    }

    fn retire(&mut self, instructions: u64) {
        self.retired += instructions;
        self.clock.advance(instructions);
    }

    fn observe(&mut self, start: u64, end: u64, taken: Option<bool>) {
        if start != end {
            self.observer.range(&TracedRange { start, end, taken });
        }
    }

    /// A block that ends with a reported instruction.
    fn block(&mut self, start: u64, p0: &P0) {
        self.observe(
            start,
            p0.address.wrapping_add(INSTRUCTION_BYTES),
            Some(p0.taken),
        );
        self.atom(p0);
        let behind = p0.address.wrapping_add(INSTRUCTION_BYTES);
        if p0.taken && p0.kind.is(SiteKind::BRANCH) {
            let is_indirect = p0.kind.is(SiteKind::INDIRECT);
            if p0.kind.is(SiteKind::LINK) && !self.options.broadcast {
                self.stack.push(behind);
            }
            if is_indirect && self.stack.pop_if(p0.next) {
                self.popped = true;
            } else if is_indirect || self.options.broadcast {
                self.target = Some(p0.next);
            }
        }
        self.report(p0.next);
    }

    /// The atom of a reported instruction.
    fn atom(&mut self, p0: &P0) {
        self.send_target();
        self.popped = false;
        let is_conditional = p0.kind.is(SiteKind::CONDITIONAL);
        let is_predicted = is_conditional && !p0.kind.is(SiteKind::INDIRECT);
        let encoder = &mut self.encoder;
        match &mut self.speculative {
            Some(speculative) if is_predicted => speculative.conditional_atom(
                p0.taken,
                self.options.broadcast,
                p0.next,
                &mut self.rng,
                encoder,
            ),
            Some(speculative) => {
                encoder.atom(p0.taken);
                speculative.sent(1);
            }
            None => encoder.atom(p0.taken),
        }
    }

    /// An exception in front of an instruction, and what follows up to `resume`.
    fn exception(&mut self, number: u8, return_address: u64, resume: Option<u64>) {
        // A decoder with a return stack would pop for the branch in front.
        let is_target = self.target == Some(return_address) && !self.stack.is_used();
        let cancels = self.rng.random::<bool>();
        match &mut self.speculative {
            Some(speculative) if cancels && !is_target => {
                send(
                    &mut self.target,
                    &mut self.wants_context,
                    self.context,
                    &mut self.stack,
                    &mut self.encoder,
                );
                speculative.maybe_cancel(return_address, &mut self.rng, &mut self.encoder);
            }
            _ => {}
        }
        if is_target {
            self.target = None;
        } else {
            self.send_target();
        }
        self.popped = false;
        self.encoder.exception(number, return_address, is_target);
        if let Some(speculative) = &mut self.speculative {
            speculative.sent(1);
        }
        if self.options.traces_handler {
            self.handle(number == INTERRUPT, resume);
        } else if let Some(resume) = resume {
            self.trace_on(resume);
        }
    }

    /// The handler, and the return to the program.
    fn handle(&mut self, is_interrupt: bool, resume: Option<u64>) {
        let program = self.context;
        let vector = handler::vector(self.isa, is_interrupt);
        self.context = CoreContext {
            el: 1,
            is_a64: true,
            ..program
        };
        self.send_with_context(vector);
        for Step {
            start,
            branch,
            next,
            taken,
            kind,
        } in handler::STEPS
        {
            self.clock.advance((branch - start) / INSTRUCTION_BYTES + 1);
            let p0 = P0 {
                address: vector + branch,
                next: vector + next,
                taken,
                kind,
            };
            self.block(vector + start, &p0);
        }
        let (start, branch) = handler::RETURN;
        self.clock.advance((branch - start) / INSTRUCTION_BYTES + 1);
        let Some(resume) = resume else { return };
        self.observe(
            vector + start,
            vector + branch + INSTRUCTION_BYTES,
            Some(true),
        );
        self.atom(&P0 {
            address: vector + branch,
            next: resume,
            taken: true,
            kind: SiteKind::BRANCH.and(SiteKind::INDIRECT),
        });
        self.context = program;
        self.encoder.header(Kind::ExceptionReturn, 0x07);
        self.send_with_context(resume);
        self.report(resume);
    }

    /// Tracing begins at an address.
    fn trace_on(&mut self, address: u64) {
        self.encoder.header(Kind::TraceOn, 0x04);
        self.clock.trace_on();
        self.stack.clear();
        self.target = None;
        self.send_with_context(address);
    }

    fn send_with_context(&mut self, address: u64) {
        self.target = Some(address);
        self.wants_context = true;
        self.send_target();
    }

    /// Sends the target of the newest branch, if it must be sent.
    fn send_target(&mut self) {
        send(
            &mut self.target,
            &mut self.wants_context,
            self.context,
            &mut self.stack,
            &mut self.encoder,
        );
    }

    /// Behind a P0 element: commits, times, and synchronization.
    fn report(&mut self, next: u64) {
        if let Some(speculative) = &mut self.speculative
            && self.target.is_none()
        {
            speculative.maybe_commit(&mut self.rng, &mut self.encoder);
        }
        if self.clock.is_due() {
            self.send_target();
            let speculative = self.speculative.as_mut();
            self.clock
                .report(speculative, &mut self.rng, &mut self.encoder);
        }
        let sent = self.encoder.len() - self.synchronized;
        if self.options.sync_bytes.is_some_and(|bytes| sent >= bytes) {
            self.send_target();
            self.synchronize(next);
        }
        self.observer.progress(self.retired, self.encoder.len());
    }

    /// A-Sync, Trace Info, and the place, at once or later.
    fn synchronize(&mut self, next: u64) {
        self.synchronized = self.encoder.len();
        if let Some(speculative) = &mut self.speculative
            && self.stack.is_used()
        {
            // A return that waits for its commit would find the stack empty.
            speculative.commit_all(&mut self.encoder);
        }
        let speculative = self.speculative.as_ref().map_or(0, Speculative::depth);
        self.encoder
            .synchronize(self.options.cycle_threshold, speculative);
        self.clock.timestamp(&mut self.encoder);
        self.stack.forget();
        // The target of the newest branch is not on the return stack any more.
        if self.options.address_after_sync == AddressAfterSync::AtOnce || self.popped {
            self.send_with_context(next);
        } else {
            self.wants_context = true;
        }
        self.popped = false;
    }
}

/// Sends a target, with the context if that is wanted.
fn send(
    target: &mut Option<u64>,
    wants_context: &mut bool,
    context: CoreContext,
    stack: &mut ReturnStack,
    encoder: &mut Encoder,
) {
    let Some(address) = target.take() else { return };
    stack.address_was_sent();
    if std::mem::take(wants_context) {
        encoder.address_with_context(address, context);
    } else {
        encoder.address(address);
    }
}
