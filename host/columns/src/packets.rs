// SPDX-License-Identifier: MIT OR Apache-2.0
//! A Parquet file of packets.

use std::io::Write;

use coretrace_etm::{Config, Kind, Protocol, Record};
use coretrace_listing::{Detail, Value, fields};
use coretrace_software_trace as software_trace;
use parquet::errors::Result;

use crate::column::{Column, columns};
use crate::software;
use crate::table::{Row, Table};

columns! {
    OFFSET = Column::wide("offset").required().sequence();
    ID = Column::text("trace_id").required();
    PROTOCOL = Column::text("protocol").required();
    LENGTH = Column::wide("length").required();
    KIND = Column::text("kind").required();
    ADDRESS = Column::wide("address");
    IS = Column::number("is");
    ATOMS = Column::number("atoms");
    PATTERN = Column::number("pattern");
    TIMESTAMP = Column::wide("timestamp").sequence();
    CYCLES = Column::number("cycles");
    COUNT = Column::number("count");
    EXCEPTION = Column::number("exception");
    EL = Column::number("el");
    SECURITY = Column::text("security");
    SF = Column::flag("sf");
    VMID = Column::number("vmid");
    CID = Column::number("cid");
    COMMIT = Column::number("commit");
    CANCEL = Column::number("cancel");
    DATA = Column::wide("data");
    MASTER = Column::number("master");
    CHANNEL = Column::number("channel");
    PORT = Column::number("port");
    SIZE = Column::number("size");
    DWT = Column::text("dwt");
    COMPARATOR = Column::number("comparator");
    ACTION = Column::text("action");
    SUSPECT = Column::flag("suspect").required();
}

const SOFTWARE: software::Columns = software::columns_here!();

/// A Parquet file of packets: a row for each packet, error and stretch of unread bytes. Fields that a
/// packet does not have are null.
///
/// | column | type | of |
/// |---|---|---|
/// | `offset`, `length` | UINT64 | all: bytes of the stream of the source; the length in nibbles for an STM |
/// | `trace_id`, `protocol` | text | all: two hexadecimal digits; `ETM4`, `ETE`, `STM` or `ITM` |
/// | `kind` | text | all: the name, as in the listing |
/// | `address`, `is` | UINT64, UINT32 | addresses, Q: with the bit of the instruction set; program counter of a DWT |
/// | `atoms`, `pattern` | UINT32 | with atoms: how many; as bits, the oldest in bit 0, 1 is E |
/// | `timestamp` | UINT64 | Timestamp; packets of an STM with one; local and global times of an ITM |
/// | `cycles` | UINT32 | Timestamp, Cycle Count |
/// | `count` | UINT32 | Q: instructions, if that is known |
/// | `exception` | UINT32 | Exception, and those of a DWT: its number |
/// | `el`, `security`, `sf`, `vmid`, `cid` | UINT32, text, flag, UINT32, UINT32 | contexts |
/// | `commit`, `cancel` | UINT32 | speculation: elements |
/// | `data` | UINT64 | STM, ITM: what was written; version, frequency in hertz, bits of a timestamp |
/// | `master`, `channel` | UINT32 | STM: who wrote |
/// | `port`, `size` | UINT32 | ITM: the port with its page; bytes that were written |
/// | `dwt`, `comparator`, `action` | text, UINT32, text | ITM: what the DWT reports, as in the listing |
/// | `suspect` | flag | all: behind an error, under the lenient policy |
pub struct Packets<W: Write + Send>(Table<W>);

impl<W: Write + Send> Packets<W> {
    /// A file without packets.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W) -> Result<Packets<W>> {
        Ok(Packets(Table::new(out, columns())?))
    }

    /// Adds a packet of a source.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn packet(&mut self, id: u8, record: &Record, config: &Config) -> Result<()> {
        self.0.row(|row| {
            row.wide(OFFSET, record.offset);
            row.id(ID, id);
            row.text(
                PROTOCOL,
                match config.protocol {
                    Protocol::Etm4 => "ETM4",
                    Protocol::Ete => "ETE",
                },
            );
            row.wide(LENGTH, record.len);
            row.text(KIND, record.kind.listing_name());
            row.flag(SUSPECT, record.suspect);
            fields(record, config, Detail::Full, |key, value| {
                set(row, record.kind, key, value);
            });
        })
    }

    /// Adds a packet of software trace.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn software(&mut self, id: u8, record: &software_trace::Record) -> Result<()> {
        self.0.row(|row| {
            row.wide(OFFSET, record.offset());
            row.id(ID, id);
            row.text(
                PROTOCOL,
                match record {
                    software_trace::Record::Stm(_) => "STM",
                    software_trace::Record::Itm(_) => "ITM",
                },
            );
            row.wide(LENGTH, record.len());
            row.text(KIND, record.name());
            row.flag(SUSPECT, record.is_suspect());
            SOFTWARE.fill(row, record);
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

fn set(row: &mut Row<'_>, kind: Kind, key: &str, value: Value) {
    let column = match key {
        "addr" => ADDRESS,
        "is" => IS,
        "ts" => TIMESTAMP,
        "count" if kind == Kind::Q => COUNT,
        "cc" if kind == Kind::TraceInfo => return,
        "count" | "cc" => CYCLES,
        "number" => EXCEPTION,
        "el" => EL,
        "sec" => SECURITY,
        "sf" => SF,
        "vmid" => VMID,
        "cid" => CID,
        "commit" => COMMIT,
        "cancel" => CANCEL,
        "atoms" => ATOMS,
        _ => return,
    };
    match value {
        Value::Wide(value) => row.wide(column, value),
        Value::Number(value) | Value::Bits(value) => row.number(column, value),
        Value::Word(value) => row.text(column, value),
        Value::Flag(value) => row.flag(column, value),
        Value::Atoms(atoms) => {
            row.number(column, atoms.count.into());
            row.number(PATTERN, atoms.pattern());
        }
        Value::Interrupt(_) => {}
    }
}
