// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements of the flow as JSON lines.

use coretrace_flow::{Element, LastInstruction, Outcome, Range};
use coretrace_isa::{Class, Return};

use super::Value::{Flag, Number, Wide, Word};
use super::element::{element_name, isa_name, loss_name, security_name, step_name};
use super::{Value, json, write};

/// The value of `schema` in every object.
pub const ELEMENT_SCHEMA: &str = "etm4.element.1";

/// Appends one object and a line end: `schema`, `id`, `type`, `off`, and the fields of the element.
/// Addresses are strings, `"0x1f"`, because readers of JSON round numbers above 2^53.
///
/// | element | fields |
/// |---|---|
/// | NO_SYNC | `reason`: `init-decoder`, `overflow`, `discard`, `bad-packet`, `reset-decoder` (bytes are missing) |
/// | TRACE_ON | `after_overflow` |
/// | PE_CONTEXT | `isa`, `el`, `security` (`N`, `S`, `Root`, `Realm`), `sf` (AArch64), `vmid` and `cid` where known |
/// | INSTR_RANGE | `start`, `end` (behind the last instruction), `instructions`, `isa`, `taken`; of the last instruction `size`, `class`, `call`, `conditional`, `return` |
/// | I_RANGE_NOPATH | `start`, `end`, `instructions` (0: not known) |
/// | ADDR_NACC | `address`: no image has it |
/// | EXCEPTION | `number`, `return_address`, `is_target`: that is also the target of the branch before |
/// | TIMESTAMP | `ts`; `cycles` where cycles are counted |
/// | CYCLE_COUNT | `cycles`, 0: not known |
/// | EVENT | `events`, a bit each |
/// | MEMTRANS | `step`: `Start`, `Commit`, `Fail` |
/// | INSTRUMENTATION | `el`, `value` |
/// | EO_TRACE | `reason` |
pub fn element_json(out: &mut String, offset: u64, id: u8, element: &Element) {
    json::head(out, ELEMENT_SCHEMA, id, element_name(element));
    out.push_str(",\"off\":");
    write::decimal(out, offset);
    fields(element, |key, value| json::field(out, key, value));
    out.push_str("}\n");
}

fn fields(element: &Element, mut sink: impl FnMut(&'static str, Value)) {
    match *element {
        Element::NoSync(loss) => sink("reason", Word(loss_name(loss))),
        Element::TraceOn { after_overflow } => sink("after_overflow", Flag(after_overflow)),
        Element::Context {
            isa,
            context,
            has_vmid,
            has_cid,
        } => {
            sink("isa", Word(isa_name(isa)));
            sink("el", Number(context.el().into()));
            sink("security", Word(security_name(&context)));
            sink("sf", Flag(context.sf()));
            if has_vmid {
                sink("vmid", Value::Bits(context.vmid));
            }
            if has_cid {
                sink("cid", Value::Bits(context.cid));
            }
        }
        Element::Range(range) => self::range(&range, sink),
        Element::NoPath { start, end, count } => {
            sink("start", Wide(start));
            sink("end", Wide(end));
            sink("instructions", Number(count));
        }
        Element::NoImage { address } => sink("address", Wide(address)),
        Element::Exception {
            return_address,
            is_target,
            number,
        } => {
            sink("number", Number(number.into()));
            if let Some(address) = return_address {
                sink("return_address", Wide(address));
                sink("is_target", Flag(is_target));
            }
        }
        Element::Timestamp { timestamp, cycles } => {
            sink("ts", Wide(timestamp));
            if let Some(cycles) = cycles {
                sink("cycles", Number(cycles));
            }
        }
        Element::CycleCount(cycles) => sink("cycles", Number(cycles)),
        Element::Event(events) => sink("events", Number(events.into())),
        Element::Transaction(step) => sink("step", Word(step_name(step))),
        Element::Instrumentation { el, value } => {
            sink("el", Number(el.into()));
            sink("value", Wide(value));
        }
        Element::End { loss } => sink("reason", Word(loss.map_or("end-of-trace", loss_name))),
        Element::ExceptionReturn | Element::TimestampMarker => {}
    }
}

fn range(range: &Range, mut sink: impl FnMut(&'static str, Value)) {
    sink("start", Wide(range.start));
    sink("end", Wide(range.end));
    sink("instructions", Number(range.count));
    sink("isa", Word(isa_name(range.isa)));
    sink("taken", Flag(range.outcome == Outcome::E));
    let LastInstruction {
        size,
        class,
        is_link,
        is_conditional,
        returns,
    } = range.last;
    sink("size", Number(size.into()));
    sink("class", Word(class_name(class)));
    sink("call", Flag(is_link));
    sink("conditional", Flag(is_conditional));
    if let Some(name) = return_name(returns) {
        sink("return", Word(name));
    }
}

/// The name of a class of instructions.
pub fn class_name(class: Class) -> &'static str {
    match class {
        Class::Other => "other",
        Class::Direct => "direct",
        Class::Indirect => "indirect",
        Class::Barrier => "barrier",
        Class::Wait => "wait",
        Class::TransactionStart => "transaction",
    }
}

/// The name of a kind of return, if it is one.
pub fn return_name(returns: Return) -> Option<&'static str> {
    match returns {
        Return::None => None,
        Return::Function => Some("function"),
        Return::Exception => Some("exception"),
        Return::Implied => Some("implied"),
    }
}
