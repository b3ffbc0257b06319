// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements as text: the words of OpenCSD, and JSON for programs.

use std::fmt::{Result, Write};

use coretrace_itm as itm;
use coretrace_stm as stm;

use crate::fields::Value;
use crate::line::{all_fields, json_field};
use crate::{Element, Record};

/// The value of `schema` in every JSON object.
const SCHEMA: &str = "etm4.software-element.1";

/// Appends the tab-separated columns offset, trace ID, name and `text=`, and a line end.
pub fn element_tsv(out: &mut String, offset: u64, id: u8, element: &Element<'_>) {
    // A String takes everything.
    let _ = write!(out, "{offset}\t{id:02x}\t{}\ttext=", element_name(element));
    let _ = words(out, element);
    out.push('\n');
}

/// Appends offset, trace ID, name and words in columns, and a line end.
pub fn element_text(out: &mut String, offset: u64, id: u8, element: &Element<'_>) {
    let _ = write!(
        out,
        "{offset:>10}  {id:02x}  {:<19} ",
        element_name(element)
    );
    let _ = words(out, element);
    out.push('\n');
}

/// Appends one object and a line end: `schema`, `id`, `type`, `off`, then `reason` or the packet with its
/// fields.
pub fn element_json(out: &mut String, offset: u64, id: u8, element: &Element<'_>) {
    let name = element_name(element);
    let _ = write!(
        out,
        "{{\"schema\":\"{SCHEMA}\",\"id\":{id},\"type\":\"{name}\",\"off\":{offset}"
    );
    match element {
        Element::NoSync(reason) => json_field(out, "reason", Value::Word(reason)),
        Element::End => json_field(out, "reason", Value::Word("end-of-trace")),
        Element::Trace {
            record,
            after_overflow,
        } => {
            json_field(out, "packet", Value::Word(record.name()));
            all_fields(record, |key, value| json_field(out, key, value));
            if *after_overflow {
                json_field(out, "after_overflow", Value::Number(1));
            }
        }
    }
    out.push_str("}\n");
}

/// The name that OpenCSD's full decode prints.
pub const fn element_name(element: &Element<'_>) -> &'static str {
    match element {
        Element::NoSync(_) => "NO_SYNC",
        Element::End => "EO_TRACE",
        Element::Trace {
            record: Record::Stm(_),
            ..
        } => "SWTRACE",
        Element::Trace { .. } => "ITMTRACE",
    }
}

/// OpenCSD's words.
fn words(out: &mut String, element: &Element<'_>) -> Result {
    match element {
        Element::NoSync(reason) => write!(out, "[{reason}]"),
        Element::End => out.write_str("[end-of-trace]"),
        Element::Trace {
            record,
            after_overflow,
        } => {
            if *after_overflow {
                out.write_str("ITM_OVERFLOW; ")?;
            }
            match record {
                Record::Stm(record) => of_stm(out, record),
                Record::Itm(record) => of_itm(out, record),
            }
        }
    }
}

fn of_stm(out: &mut String, record: &stm::Record) -> Result {
    use stm::Kind;
    let stm::Record { state, packet, .. } = record;
    if record.kind == Kind::GlobalError {
        return out.write_str("{Global Error.}");
    }
    if state.is_master_known {
        write!(out, "(Ma:{:#04x}; Ch:{:#04x})", state.master, state.channel)?;
    } else {
        out.write_str("(Ma:0x??; Ch:0x??)")?;
    }
    if packet.opcode.data > 0 {
        let digits = usize::from(packet.opcode.data);
        write!(out, " 0x{:0digits$x};", packet.data)?;
    }
    out.write_str(match record.kind {
        Kind::MasterError => " {Master Error.}",
        Kind::Frequency => " Freq",
        Kind::Trigger => " Trig",
        Kind::Flag => " +Mrk",
        _ if packet.opcode.is_marked => " +Mrk",
        _ => "",
    })?;
    if record.is_stamped() {
        write!(out, " [ TS={:#014x}];", state.timestamp)?;
    }
    Ok(())
}

fn of_itm(out: &mut String, record: &itm::Record) -> Result {
    use itm::Kind;
    let itm::Record { state, packet, .. } = record;
    let (value, digits) = (packet.value(), 2 * usize::from(packet.len));
    match record.kind {
        Kind::Software => {
            let port = state.port(packet);
            write!(out, "ITM_SWIT (ch: {port:#x}; Data: 0x{value:0digits$x})")
        }
        Kind::Hardware => {
            let source = packet.source();
            write!(
                out,
                "ITM_DWT (desc: {source:#x}; Data: 0x{value:0digits$x})"
            )
        }
        Kind::LocalTimestamp => {
            let delays = ["TS Sync", "TS Delay", "Packet Delay", "TS and Packet Delay"];
            let delays = delays[usize::from(packet.delays() & 3)];
            let sum = state.local_time;
            write!(
                out,
                "ITM_TS_LOCAL ( TS delta: {value:#010x}, {{ {delays}}}; TS cumulative: {sum:#018x})"
            )
        }
        _ => write!(out, "ITM_TS_GLOBAL ( TS: {:#018x})", state.global_time),
    }
}
