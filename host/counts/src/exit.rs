// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a range of instructions was left.

use coretrace_flow::{Outcome, Range};
use coretrace_isa::{Class, Return};
use serde::{Deserialize, Serialize};

/// How a range was left, by its last instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Exit {
    /// By no branch: an exception came, a barrier or wait was passed, or the trace goes on elsewhere.
    Other,
    /// A branch was not taken.
    NotTaken,
    /// A branch to the target in the instruction.
    Jump,
    /// A branch to an address from a register or from memory.
    IndirectJump,
    /// A branch with link to the target in the instruction.
    Call,
    /// A branch with link to an address from a register or from memory.
    IndirectCall,
    /// A return from a function.
    Return,
    /// A return from an exception.
    ExceptionReturn,
}

impl Exit {
    /// All, in order.
    pub const ALL: [Exit; 8] = [
        Exit::Other,
        Exit::NotTaken,
        Exit::Jump,
        Exit::IndirectJump,
        Exit::Call,
        Exit::IndirectCall,
        Exit::Return,
        Exit::ExceptionReturn,
    ];

    /// How the trace says that this range was left.
    pub fn of(range: &Range) -> Exit {
        let last = &range.last;
        match (last.class, range.outcome) {
            (Class::Direct | Class::Indirect, Outcome::N) => Exit::NotTaken,
            (Class::Direct, Outcome::E) if last.is_link => Exit::Call,
            (Class::Direct, Outcome::E) => Exit::Jump,
            (Class::Indirect, Outcome::E) if last.is_link => Exit::IndirectCall,
            (Class::Indirect, Outcome::E) => match last.returns {
                Return::None => Exit::IndirectJump,
                Return::Function | Return::Implied => Exit::Return,
                Return::Exception => Exit::ExceptionReturn,
            },
            (Class::Other | Class::Barrier | Class::Wait | Class::TransactionStart, _) => {
                Exit::Other
            }
        }
    }

    /// A branch was taken.
    pub fn is_taken(self) -> bool {
        !matches!(self, Exit::Other | Exit::NotTaken)
    }

    /// A branch with link was taken.
    pub fn is_call(self) -> bool {
        matches!(self, Exit::Call | Exit::IndirectCall)
    }

    /// It may call a function: what an exception interrupted at its first instruction did not.
    pub fn may_call(self) -> bool {
        self.is_taken() && self != Exit::ExceptionReturn
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Exit::Other => "other",
            Exit::NotTaken => "not-taken",
            Exit::Jump => "jump",
            Exit::IndirectJump => "indirect-jump",
            Exit::Call => "call",
            Exit::IndirectCall => "indirect-call",
            Exit::Return => "return",
            Exit::ExceptionReturn => "exception-return",
        }
    }
}
