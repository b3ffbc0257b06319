// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every field of every element, folded into one number, by both decoders.
//!
//! What one side alone has is left out: OpenCSD 1.3.3 has no Instrumentation elements, no place in the
//! stream that is right at a Q packet, and no condition of its own where the last instruction is no
//! branch; [`Element::NoPath`] has no instruction set, because the context before it says which one.

use coretrace_etm::Context;
use coretrace_flow::{
    Element, ElementSink, LastInstruction, Loss, Outcome, Range, TransactionStep,
};
use coretrace_isa::{Class, Isa, Return};
use coretrace_test_opencsd::{Elements, TraceElement};

/// OpenCSD's codes of elements.
const NO_SYNC: u32 = 1;
const TRACE_ON: u32 = 2;
const END: u32 = 3;
const CONTEXT: u32 = 4;
const RANGE: u32 = 5;
const NO_PATH: u32 = 6;
const NO_IMAGE: u32 = 7;
const EXCEPTION: u32 = 9;
const EXCEPTION_RETURN: u32 = 10;
const TIMESTAMP: u32 = 11;
const CYCLE_COUNT: u32 = 12;
const EVENT: u32 = 13;
const SYNC_MARKER: u32 = 15;
const TRANSACTION: u32 = 16;
/// Of a later version than 1.3.3.
const INSTRUMENTATION: u32 = 18;

/// The digest of a stream.
#[derive(Clone, Copy, Default)]
pub struct Digest {
    pub value: u64,
    pub ranges: u64,
    pub instructions: u64,
}

impl Digest {
    #[inline]
    fn fold(&mut self, kind: u32, a: u64, b: u64, c: u64) {
        let all = a ^ b.rotate_left(21) ^ (c ^ u64::from(kind) << 56).rotate_left(42);
        let all = all.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.value = self.value.rotate_left(5).wrapping_add(all ^ all >> 29);
    }
}

/// OpenCSD's codes of instruction sets.
const ISAS: [u8; 3] = {
    let mut codes = [0; 3];
    codes[Isa::T32 as usize] = 1;
    codes[Isa::A64 as usize] = 2;
    codes
};

fn isa_code(isa: Isa) -> u64 {
    ISAS[isa as usize].into()
}

fn optional(value: Option<u32>) -> u64 {
    value.map_or(0, |value| u64::from(value) | 1 << 32)
}

/// Places in a word of a range, above the number of instructions.
const SIZE: u32 = 32;
const CLASS: u32 = 36;
const SUBTYPE: u32 = 40;
const CONDITION: u32 = 44;
const EXECUTED: u32 = 45;
const ISA: u32 = 46;

/// Instructions, the last one, its condition if it is a branch, whether it was executed.
#[inline]
fn range_word(count: u32, last: u64, is_conditional: bool, was_executed: bool) -> u64 {
    u64::from(count)
        | last
        | u64::from(is_conditional) << CONDITION
        | u64::from(was_executed) << EXECUTED
}

/// OpenCSD's codes of classes.
const CLASSES: [u8; 6] = {
    let mut codes = [0; 6];
    codes[Class::Direct as usize] = 1;
    codes[Class::Indirect as usize] = 2;
    codes[Class::Barrier as usize] = 3;
    codes[Class::Wait as usize] = 5;
    codes[Class::TransactionStart as usize] = 6;
    codes
};

/// OpenCSD's code by the kind of return, instruction set A64 or another one, and link.
const SUBTYPES: [[[u8; 2]; 2]; 4] = {
    let mut codes = [[[0, 1]; 2]; 4];
    codes[Return::Function as usize] = [[2; 2]; 2];
    codes[Return::Exception as usize][1] = [3; 2];
    codes[Return::Implied as usize] = [[4; 2]; 2];
    codes
};

/// What OpenCSD's codes of a last instruction are in a [`range_word`]: by instruction set, class, kind of return,
/// and link.
const LASTS: [[[[u64; 2]; 4]; 6]; 3] = {
    let mut words = [[[[0; 2]; 4]; 6]; 3];
    let mut number = 0;
    while number < 3 * 6 * 4 * 2 {
        let (isa, class) = (number / 48, number / 8 % 6);
        let (returns, link) = (number / 2 % 4, number % 2);
        let is_a64 = (isa == Isa::A64 as usize) as usize;
        words[isa][class][returns][link] = (CLASSES[class] as u64) << CLASS
            | (SUBTYPES[returns][is_a64][link] as u64) << SUBTYPE
            | (ISAS[isa] as u64) << ISA;
        number += 1;
    }
    words
};

/// The word of a last instruction without its condition.
fn last_word(isa: Isa, last: &LastInstruction) -> u64 {
    let of_class = &LASTS[isa as usize][last.class as usize];
    of_class[last.returns as usize][usize::from(last.is_link)] | u64::from(last.size) << SIZE
}

fn security(context: &Context) -> u64 {
    match (context.ns(), context.nse()) {
        (false, false) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (true, true) => 3,
    }
}

/// OpenCSD's reason of a loss: it resets a decoder before the first byte.
fn loss_code(loss: Loss) -> u64 {
    match loss {
        Loss::Begin | Loss::Discontinuity => 2,
        Loss::Overflow => 3,
        Loss::Discard => 4,
        Loss::BadPacket => 5,
    }
}

/// OpenCSD's reason of an end that no loss is right before.
const END_OF_TRACE: u64 = 6;

/// OpenCSD's code of a step of a transaction.
fn step_code(step: TransactionStep) -> u64 {
    match step {
        TransactionStep::Start => 1,
        TransactionStep::Commit => 2,
        TransactionStep::Fail => 3,
    }
}

/// OpenCSD's kinds of an event with a number, and of a marker of a timestamp.
const NUMBERED: u64 = 2;
const OF_TIMESTAMP: u64 = 0;

fn context_word(security: u64, level: u64, is_64_bit: bool, isa: u64) -> u64 {
    security | level << 8 | u64::from(is_64_bit) << 16 | isa << 24
}

impl ElementSink for Digest {
    #[inline]
    fn element(&mut self, _: u64, element: &Element) {
        match *element {
            Element::Range(Range {
                start,
                end,
                count,
                isa,
                outcome,
                last,
            }) => {
                let is_conditional = last.is_conditional & (last.class != Class::Other);
                let word = last_word(isa, &last);
                let word = range_word(count, word, is_conditional, outcome == Outcome::E);
                self.fold(RANGE, start, end, word);
            }
            Element::CycleCount(cycles) => self.fold(CYCLE_COUNT, cycles.into(), 0, 0),
            ref other => self.other(other),
        }
    }
}

impl Digest {
    #[inline(never)]
    fn other(&mut self, element: &Element) {
        match *element {
            Element::NoSync(loss) => self.fold(NO_SYNC, loss_code(loss), 0, 0),
            Element::TraceOn { after_overflow } => {
                self.fold(TRACE_ON, after_overflow.into(), 0, 0);
            }
            Element::Context {
                isa,
                context,
                has_vmid,
                has_cid,
            } => {
                let level = u64::from(context.el()) | 1 << 7;
                let isa = isa_code(isa);
                let word = context_word(security(&context), level, context.sf(), isa);
                let cid = optional(has_cid.then_some(context.cid));
                let vmid = optional(has_vmid.then_some(context.vmid));
                self.fold(CONTEXT, word, cid, vmid);
            }
            Element::Range(_) | Element::CycleCount(_) => {}
            Element::NoPath { start, end, count } => self.fold(NO_PATH, start, end, count.into()),
            Element::NoImage { address } => self.fold(NO_IMAGE, address, 0, 0),
            Element::Exception {
                return_address,
                is_target,
                number,
            } => self.fold(
                EXCEPTION,
                return_address.unwrap_or(0),
                return_address.is_some().into(),
                u64::from(number) | u64::from(is_target) << 32,
            ),
            Element::ExceptionReturn => self.fold(EXCEPTION_RETURN, 0, 0, 0),
            Element::Timestamp { timestamp, cycles } => {
                self.fold(TIMESTAMP, timestamp, optional(cycles), 0);
            }
            Element::Event(event) => self.fold(EVENT, NUMBERED, event.into(), 0),
            Element::TimestampMarker => self.fold(SYNC_MARKER, OF_TIMESTAMP, 0, 0),
            Element::Transaction(step) => self.fold(TRANSACTION, step_code(step), 0, 0),
            Element::Instrumentation { el, value } => {
                self.fold(INSTRUMENTATION, el.into(), value, 0);
            }
            Element::End { loss } => {
                self.fold(END, loss.map_or(END_OF_TRACE, loss_code), 0, 0);
            }
        }
    }
}

impl Elements for Digest {
    fn element(&mut self, element: &TraceElement) {
        match element.kind {
            RANGE => {
                let last = u64::from(element.last_size()) << SIZE
                    | u64::from(element.last_type) << CLASS
                    | u64::from(element.last_subtype) << SUBTYPE
                    | u64::from(element.isa) << ISA;
                let is_conditional = element.is_conditional() && element.last_type != 0;
                let was_executed = element.was_executed();
                self.ranges += 1;
                self.instructions += u64::from(element.payload);
                self.fold(
                    RANGE,
                    element.start,
                    element.end,
                    range_word(element.payload, last, is_conditional, was_executed),
                );
            }
            TRACE_ON => self.fold(TRACE_ON, element.payload.into(), 0, 0),
            CONTEXT => {
                let context = &element.context;
                let level = u64::from(context.level) | u64::from(context.has_level()) << 7;
                let isa = element.isa.into();
                let word = context_word(context.security.into(), level, context.is_64_bit(), isa);
                let ids = (optional(context.cid()), optional(context.vmid()));
                self.fold(CONTEXT, word, ids.0, ids.1);
            }
            NO_PATH => self.fold(NO_PATH, element.start, element.end, element.payload.into()),
            NO_IMAGE => self.fold(NO_IMAGE, element.start, 0, 0),
            EXCEPTION => self.fold(
                EXCEPTION,
                element.return_address().unwrap_or(0),
                element.return_address().is_some().into(),
                u64::from(element.payload) | u64::from(element.is_target()) << 32,
            ),
            TIMESTAMP => {
                let cycles = optional(element.cycles());
                self.fold(TIMESTAMP, element.timestamp, cycles, 0);
            }
            CYCLE_COUNT => self.fold(CYCLE_COUNT, element.cycle_count.into(), 0, 0),
            EVENT => {
                let (kind, number) = element.event();
                self.fold(EVENT, kind.into(), number.into(), 0);
            }
            SYNC_MARKER => {
                let (kind, value) = (element.payload, element.marker_value);
                self.fold(SYNC_MARKER, kind.into(), value.into(), 0);
            }
            NO_SYNC | TRANSACTION | END => self.fold(element.kind, element.payload.into(), 0, 0),
            kind => self.fold(kind, 0, 0, 0),
        }
    }
}
