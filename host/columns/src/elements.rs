// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Parquet file of elements.

use std::io::Write;

use coretrace_flow::{Element, Outcome, Range};
use coretrace_listing::{
    class_name, element_name, isa_name, loss_name, return_name, security_name, step_name,
};
use coretrace_software_trace as software_trace;
use parquet::errors::Result;

use crate::column::{Column, columns};
use crate::software;
use crate::table::{Row, Table};

columns! {
    OFFSET = Column::wide("offset").required().sequence();
    ID = Column::text("trace_id").required();
    KIND = Column::text("kind").required();
    START = Column::wide("start");
    END = Column::wide("end");
    INSTRUCTIONS = Column::number("instructions");
    ISA = Column::text("isa");
    TAKEN = Column::flag("taken");
    SIZE = Column::number("size");
    CLASS = Column::text("class");
    CALL = Column::flag("call");
    CONDITIONAL = Column::flag("conditional");
    RETURN = Column::text("return");
    ADDRESS = Column::wide("address");
    EXCEPTION = Column::number("exception");
    EL = Column::number("el");
    SECURITY = Column::text("security");
    SF = Column::flag("sf");
    VMID = Column::number("vmid");
    CID = Column::number("cid");
    TIMESTAMP = Column::wide("timestamp").sequence();
    CYCLES = Column::number("cycles");
    EVENTS = Column::number("events");
    VALUE = Column::wide("value");
    REASON = Column::text("reason");
    PACKET = Column::text("packet");
    DATA = Column::wide("data");
    MASTER = Column::number("master");
    CHANNEL = Column::number("channel");
    PORT = Column::number("port");
    DWT = Column::text("dwt");
    COMPARATOR = Column::number("comparator");
    ACTION = Column::text("action");
    SUSPECT = Column::flag("suspect");
}

const SOFTWARE: software::Columns = software::columns_here!();

/// A Parquet file of elements: a row for each. All but the first three columns are null where an
/// element has no such field.
///
/// | column | type | of |
/// |---|---|---|
/// | `offset` | UINT64 | all: that of the packet in the stream of the source |
/// | `trace_id` | text | all: two hexadecimal digits |
/// | `kind` | text | all: the name, as in the listing |
/// | `start`, `end` | UINT64 | INSTR_RANGE, I_RANGE_NOPATH |
/// | `instructions` | UINT32 | the same; null if that is not known |
/// | `isa` | text | INSTR_RANGE, PE_CONTEXT |
/// | `taken` | flag | INSTR_RANGE |
/// | `size`, `class`, `call`, `conditional`, `return` | UINT32, text, flag, flag, text | the last instruction of an INSTR_RANGE |
/// | `address` | UINT64 | ADDR_NACC; EXCEPTION: the preferred return address; program counter of a DWT |
/// | `exception` | UINT32 | EXCEPTION, and those of a DWT: its number |
/// | `el` | UINT32 | PE_CONTEXT, INSTRUMENTATION |
/// | `security`, `sf`, `vmid`, `cid` | text, flag, UINT32, UINT32 | PE_CONTEXT |
/// | `timestamp` | UINT64 | TIMESTAMP; SWTRACE with one; local and global times of an ITM |
/// | `cycles` | UINT32 | TIMESTAMP, CYCLE_COUNT |
/// | `events` | UINT32 | EVENT, a bit each |
/// | `value` | UINT64 | INSTRUMENTATION |
/// | `reason` | text | NO_SYNC, EO_TRACE, MEMTRANS: why, or which step; TRACE_ON, ITMTRACE: `overflow` behind one |
/// | `packet`, `data` | text, UINT64 | SWTRACE, ITMTRACE: the name of the packet, and what was written |
/// | `master`, `channel` | UINT32 | SWTRACE: who wrote |
/// | `port`, `size` | UINT32 | ITMTRACE: the port with its page; bytes that were written |
/// | `dwt`, `comparator`, `action` | text, UINT32, text | ITMTRACE: what the DWT reports, as in the listing |
/// | `suspect` | flag | SWTRACE, ITMTRACE: behind an error, under the lenient policy |
pub struct Elements<W: Write + Send>(Table<W>);

impl<W: Write + Send> Elements<W> {
    /// A file without elements.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W) -> Result<Elements<W>> {
        Ok(Elements(Table::new(out, columns())?))
    }

    /// Adds an element of a source.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn element(&mut self, offset: u64, id: u8, element: &Element) -> Result<()> {
        self.0.row(|row| {
            row.wide(OFFSET, offset);
            row.id(ID, id);
            row.text(KIND, element_name(element));
            fill(row, element);
        })
    }

    /// Adds an element of software trace.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn software(
        &mut self,
        offset: u64,
        id: u8,
        element: &software_trace::Element<'_>,
    ) -> Result<()> {
        self.0.row(|row| {
            row.wide(OFFSET, offset);
            row.id(ID, id);
            row.text(KIND, software_trace::element_name(element));
            match *element {
                software_trace::Element::NoSync(reason) => row.text(REASON, reason),
                software_trace::Element::End => row.text(REASON, "end-of-trace"),
                software_trace::Element::Trace {
                    record,
                    after_overflow,
                } => {
                    row.text(PACKET, record.name());
                    if after_overflow {
                        row.text(REASON, "overflow");
                    }
                    row.flag(SUSPECT, record.is_suspect());
                    SOFTWARE.fill(row, record);
                }
            }
        })
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}

fn fill(row: &mut Row<'_>, element: &Element) {
    match *element {
        Element::Range(range) => self::range(row, &range),
        Element::NoPath { start, end, count } => {
            row.wide(START, start);
            row.wide(END, end);
            if count > 0 {
                row.number(INSTRUCTIONS, count);
            }
        }
        Element::Context {
            isa,
            context,
            has_vmid,
            has_cid,
        } => {
            row.text(ISA, isa_name(isa));
            row.number(EL, context.el().into());
            row.text(SECURITY, security_name(&context));
            row.flag(SF, context.sf());
            if has_vmid {
                row.number(VMID, context.vmid);
            }
            if has_cid {
                row.number(CID, context.cid);
            }
        }
        Element::NoImage { address } => row.wide(ADDRESS, address),
        Element::Exception {
            return_address,
            number,
            ..
        } => {
            row.number(EXCEPTION, number.into());
            if let Some(address) = return_address {
                row.wide(ADDRESS, address);
            }
        }
        Element::Timestamp { timestamp, cycles } => {
            row.wide(TIMESTAMP, timestamp);
            if let Some(cycles) = cycles {
                row.number(CYCLES, cycles);
            }
        }
        Element::CycleCount(cycles) => row.number(CYCLES, cycles),
        Element::Event(events) => row.number(EVENTS, events.into()),
        Element::Instrumentation { el, value } => {
            row.number(EL, el.into());
            row.wide(VALUE, value);
        }
        Element::NoSync(loss) => row.text(REASON, loss_name(loss)),
        Element::End { loss } => row.text(REASON, loss.map_or("end-of-trace", loss_name)),
        Element::Transaction(step) => row.text(REASON, step_name(step)),
        Element::TraceOn { after_overflow } => {
            if after_overflow {
                row.text(REASON, "overflow");
            }
        }
        Element::ExceptionReturn | Element::TimestampMarker => {}
    }
}

fn range(row: &mut Row<'_>, range: &Range) {
    row.wide(START, range.start);
    row.wide(END, range.end);
    row.number(INSTRUCTIONS, range.count);
    row.text(ISA, isa_name(range.isa));
    row.flag(TAKEN, range.outcome == Outcome::E);
    row.number(SIZE, range.last.size.into());
    row.text(CLASS, class_name(range.last.class));
    row.flag(CALL, range.last.is_link);
    row.flag(CONDITIONAL, range.last.is_conditional);
    if let Some(name) = return_name(range.last.returns) {
        row.text(RETURN, name);
    }
}
