// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements of the flow as OpenCSD's lister writes them.

use std::fmt::Write as _;

use coretrace_etm::Context;
use coretrace_flow::{Element, LastInstruction, Loss, Outcome, Range, TransactionStep};
use coretrace_isa::{Class, Isa, Return};

use super::write;

/// The name of an element.
pub fn element_name(element: &Element) -> &'static str {
    match element {
        Element::NoSync(_) => "NO_SYNC",
        Element::TraceOn { .. } => "TRACE_ON",
        Element::Context { .. } => "PE_CONTEXT",
        Element::Range(_) => "INSTR_RANGE",
        Element::NoPath { .. } => "I_RANGE_NOPATH",
        Element::NoImage { .. } => "ADDR_NACC",
        Element::Exception { .. } => "EXCEPTION",
        Element::ExceptionReturn => "EXCEPTION_RET",
        Element::Timestamp { .. } => "TIMESTAMP",
        Element::CycleCount(_) => "CYCLE_COUNT",
        Element::Event(_) => "EVENT",
        Element::TimestampMarker => "SYNC_MARKER",
        Element::Transaction(_) => "MEMTRANS",
        Element::Instrumentation { .. } => "INSTRUMENTATION",
        Element::End { .. } => "EO_TRACE",
    }
}

/// Appends columns for people: offset, trace ID, name and text, and a line end.
pub fn element_line(out: &mut String, offset: u64, id: u8, element: &Element) {
    write::column(out, offset, 10);
    out.push_str("  ");
    write::hex(out, id.into(), 2);
    write!(out, "  {:<15} ", element_name(element)).expect("a string");
    element_text(out, element);
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

/// Appends what OpenCSD writes in the brackets behind the name.
pub fn element_text(out: &mut String, element: &Element) {
    let result = match *element {
        Element::NoSync(loss) => write!(out, "[{}]", loss_name(loss)),
        Element::TraceOn { after_overflow } => {
            let reason = if after_overflow {
                "overflow"
            } else {
                "begin or filter"
            };
            write!(out, "[{reason}]")
        }
        Element::Context {
            isa,
            context,
            has_vmid,
            has_cid,
        } => {
            self::context(out, isa, &context, has_vmid, has_cid);
            Ok(())
        }
        Element::Range(range) => {
            self::range(out, &range);
            Ok(())
        }
        Element::NoPath { start, end, count } => {
            write!(out, "first {start:#x}:[next {end:#x}] num_i({count})")
        }
        Element::NoImage { address } => write!(out, "{address:#x}"),
        Element::Exception {
            return_address,
            is_target,
            number,
        } => {
            if let Some(address) = return_address {
                out.push_str("pref ret addr:");
                write::prefixed(out, address, 1);
                out.push_str(if is_target {
                    " [addr also prev br tgt]; "
                } else {
                    "; "
                });
            }
            out.push_str("excep num (");
            write::prefixed(out, number.into(), 2);
            out.push(')');
            Ok(())
        }
        Element::ExceptionReturn => Ok(()),
        Element::Timestamp { timestamp, cycles } => {
            out.push_str("[ TS=");
            write::prefixed(out, timestamp, 12);
            out.push_str("];");
            if let Some(cycles) = cycles {
                out.push_str("  [CC=");
                write::decimal(out, cycles.into());
                out.push_str("];");
            }
            Ok(())
        }
        Element::CycleCount(cycles) => {
            out.push_str("[CC=");
            write::decimal(out, cycles.into());
            out.push_str("];");
            Ok(())
        }
        Element::Event(events) => write!(out, "Numbered:{events};"),
        Element::TimestampMarker => write!(out, "[Timestamp marker(0x00000000)]"),
        Element::Transaction(step) => write!(out, "{}", step_name(step)),
        Element::Instrumentation { el, value } => write!(out, "EL{el}; {value:#018x}"),
        Element::End { loss } => {
            write!(out, "[{}]", loss.map_or("end-of-trace", loss_name))
        }
    };
    result.expect("a string");
}

/// The name of a loss.
pub fn loss_name(loss: Loss) -> &'static str {
    match loss {
        Loss::Begin => "init-decoder",
        Loss::Overflow => "overflow",
        Loss::Discard => "discard",
        Loss::BadPacket => "bad-packet",
        Loss::Discontinuity => "reset-decoder",
    }
}

/// The name of a step of a transaction.
pub fn step_name(step: TransactionStep) -> &'static str {
    match step {
        TransactionStep::Start => "Start",
        TransactionStep::Commit => "Commit",
        TransactionStep::Fail => "Fail",
    }
}

/// The name of a security state.
pub fn security_name(context: &Context) -> &'static str {
    match (context.ns(), context.nse()) {
        (true, false) => "N",
        (false, false) => "S",
        (true, true) => "Realm",
        (false, true) => "Root",
    }
}

/// The name of an instruction set.
pub fn isa_name(isa: Isa) -> &'static str {
    match isa {
        Isa::A64 => "A64",
        Isa::A32 => "A32",
        Isa::T32 => "T32",
    }
}

fn context(out: &mut String, isa: Isa, context: &Context, has_vmid: bool, has_cid: bool) {
    out.push_str("(ISA=");
    out.push_str(isa_name(isa));
    out.push_str(") EL");
    write::decimal(out, context.el().into());
    out.push_str(security_name(context));
    out.push_str(if context.sf() {
        "; 64-bit;"
    } else {
        "; 32-bit;"
    });
    for (name, id, is_known) in [
        (" VMID=", context.vmid, has_vmid),
        (" CTXTID=", context.cid, has_cid),
    ] {
        if is_known {
            out.push_str(name);
            write::prefixed(out, id.into(), 1);
            out.push(';');
        }
    }
}

/// Most elements are ranges: their parts are written one by one.
fn range(out: &mut String, range: &Range) {
    let last = &range.last;
    out.push_str("exec range=");
    write::prefixed(out, range.start, 1);
    out.push_str(":[");
    write::prefixed(out, range.end, 1);
    out.push_str("] num_i(");
    write::decimal(out, range.count.into());
    out.push_str(") last_sz(");
    write::decimal(out, last.size.into());
    out.push_str(") (ISA=");
    out.push_str(isa_name(range.isa));
    out.push_str(match range.outcome {
        Outcome::E => ") E ",
        Outcome::N => ") N ",
    });
    out.push_str(class_name(last));
    let kind = subtype(range.isa, last);
    if !kind.is_empty() {
        out.push(' ');
        out.push_str(kind);
    }
    if last.is_conditional {
        out.push_str(" <cond>");
    }
}

fn class_name(last: &LastInstruction) -> &'static str {
    match last.class {
        Class::Other => "---",
        Class::Direct => "BR",
        Class::Indirect => "iBR",
        Class::Barrier => "ISB",
        Class::Wait => "WFI.WFE",
        Class::TransactionStart => "TSTART",
    }
}

fn subtype(isa: Isa, last: &LastInstruction) -> &'static str {
    match (last.returns, last.is_link) {
        (Return::Function, _) => "A64:ret",
        (Return::Exception, _) if isa == Isa::A64 => "A64:eret",
        (Return::Implied, _) => "V7:impl ret",
        (_, true) => "b+link",
        _ => "",
    }
}
