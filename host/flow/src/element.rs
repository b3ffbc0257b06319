// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace says that the core did.

use coretrace_etm::Context;
use coretrace_isa::{Class, Instruction, Isa, Return};

/// Why the place in the program is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing has been decoded yet.
    Begin,
    /// The buffer of the trace unit overflowed.
    Overflow,
    /// Tracing stopped, and what was speculative is lost.
    Discard,
    /// Bytes that are no packet, or packets that contradict each other.
    BadPacket,
    /// Bytes of the trace are missing.
    Discontinuity,
}

/// What is known of the last instruction of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastInstruction {
    /// Bytes.
    pub size: u8,
    /// How a trace reports it; [`Class::Other`] if the range ends for another reason.
    pub class: Class,
    /// It stores a return address.
    pub is_link: bool,
    /// It has a condition.
    pub is_conditional: bool,
    /// It is a return.
    pub returns: Return,
}

impl Default for LastInstruction {
    fn default() -> LastInstruction {
        LastInstruction {
            size: 4,
            class: Class::Other,
            is_link: false,
            is_conditional: false,
            returns: Return::None,
        }
    }
}

impl LastInstruction {
    /// What is known of this instruction.
    pub fn of(instruction: &Instruction) -> LastInstruction {
        LastInstruction {
            size: instruction.size,
            class: instruction.class,
            is_link: instruction.is_link,
            is_conditional: instruction.is_conditional,
            returns: instruction.returns,
        }
    }
}

/// Whether the last instruction of a range was executed: whether its branch was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Not executed, not taken.
    N,
    /// Executed, taken.
    E,
}

/// Instructions that were executed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Address of the first one.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// How many they are.
    pub count: u32,
    /// Their instruction set.
    pub isa: Isa,
    /// Whether the last one was executed.
    pub outcome: Outcome,
    /// What is known of the last one.
    pub last: LastInstruction,
}

/// A step of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStep {
    /// It began.
    Start,
    /// It was committed.
    Commit,
    /// It failed.
    Fail,
}

/// What a trace says that the core did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// The place in the program is not known, up to the next A-Sync and Trace Info.
    NoSync(Loss),
    /// Tracing began, or began again.
    TraceOn {
        /// After an overflow.
        after_overflow: bool,
    },
    /// The context of what follows.
    Context {
        /// The instruction set.
        isa: Isa,
        /// Exception level, security state, VMID and context ID.
        context: Context,
        /// The VMID is known.
        has_vmid: bool,
        /// The context ID is known.
        has_cid: bool,
    },
    /// Instructions were executed.
    Range(Range),
    /// Instructions were executed between two addresses, nobody knows which ones.
    NoPath {
        /// Where they began.
        start: u64,
        /// Where the program went on.
        end: u64,
        /// How many there were; 0 if that is not known either.
        count: u32,
    },
    /// No image has the instruction at this address.
    NoImage {
        /// The address.
        address: u64,
    },
    /// An exception.
    Exception {
        /// The preferred return address, if the packet has one.
        return_address: Option<u64>,
        /// That is also the target of the branch before.
        is_target: bool,
        /// The exception number.
        number: u16,
    },
    /// A return from an exception: what follows is its target.
    ExceptionReturn,
    /// A timestamp.
    Timestamp {
        /// Ticks.
        timestamp: u64,
        /// The cycles since the last cycle count, where cycles are counted.
        cycles: Option<u32>,
    },
    /// Cycles since the last cycle count; 0 if that is not known.
    CycleCount(u32),
    /// Events, a bit each.
    Event(u8),
    /// A Timestamp Marker.
    TimestampMarker,
    /// A step of a transaction.
    Transaction(TransactionStep),
    /// A value that software wrote.
    Instrumentation {
        /// Exception level.
        el: u8,
        /// The value.
        value: u64,
    },
    /// The trace ends.
    End {
        /// Right behind a loss.
        loss: Option<Loss>,
    },
}

/// Takes elements in order.
pub trait ElementSink {
    /// An element, with the offset of the packet that it comes from.
    fn element(&mut self, offset: u64, element: &Element);

    /// The next elements are those of another place in the trace, where the core is in this context.
    fn resume(&mut self, _context: &Context) {}
}

impl<F: FnMut(u64, &Element)> ElementSink for F {
    fn element(&mut self, offset: u64, element: &Element) {
        self(offset, element);
    }
}
