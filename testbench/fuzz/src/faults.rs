// SPDX-License-Identifier: MIT OR Apache-2.0
//! The known faults of OpenCSD 1.3.3; any other difference is an error. Each fault defines exactly
//! what OpenCSD reports instead, and has the smallest input that shows it.

use coretrace_etm::packet::ete_exception_kind;
use coretrace_etm::{
    ArchProfile, Config, Gate, Kind, Part, Parts, Protocol, Registers, emit, parse,
};
use coretrace_test_gen::ASYNC;

use crate::case::Stream;
use crate::{Case, Row, units};

/// A known fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// A short name.
    pub name: &'static str,
    /// What OpenCSD does.
    pub about: &'static str,
    /// How its rows differ from the model's.
    pub effect: Effect,
    /// The trace unit of the smallest input.
    pub unit: Unit,
    /// The smallest input, without the eleven zeros at its start.
    pub example: &'static [u8],
}

/// How rows differ.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Trace Info does not reset the context.
    KeepsContext,
    /// OpenCSD reads the bytes at the start as other bytes. `None` if it reads them correctly.
    Reads(fn(&Config, &[u8]) -> Option<Read>),
    /// Some values of a row differ. The function also gets the stream, and returns whether it
    /// changed the row.
    Reports(fn(&Config, &[u8], &mut Row) -> bool),
}

/// What OpenCSD reads at a place of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The number of bytes it consumes.
    pub taken: usize,
    /// The bytes that they are read as.
    pub instead: Vec<u8>,
}

/// The number of rows changed by each fault of [`FAULTS`].
pub type Hits = [u64; FAULTS.len()];

/// A trace unit.
pub type Unit = (Protocol, ArchProfile, Registers);

impl Fault {
    /// The smallest input.
    pub fn case(&self) -> Case {
        let (protocol, profile, registers) = self.unit;
        Case {
            set: units::with_registers(protocol, profile, registers),
            stream: Stream::Given,
            bytes: [&ASYNC[..11], self.example].concat(),
        }
    }
}

/// A header that is reserved everywhere.
const RESERVED: u8 = 0x08;

/// An ETMv4.0 without IDs, with commit fields.
const PLAIN: Unit = (
    Protocol::Etm4,
    ArchProfile::A,
    Registers {
        trcconfigr: 0x11,
        trcidr0: 0x0800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x8,
        ..Registers::ZERO
    },
);

/// An ETE 1.3.
const ETE: Unit = (
    Protocol::Ete,
    ArchProfile::A,
    Registers::from_values(&[0xD1, 0x0801_8EA1, 0x4100_FFF0, 0x1000_1088, 20, 0x4773_5A13]),
);

/// The faults.
pub const FAULTS: [Fault; 7] = [
    Fault {
        name: "context kept",
        about: "Trace Info does not reset the context",
        effect: Effect::KeepsContext,
        unit: PLAIN,
        example: &[0x80, 0x81, 0x01, 0x01, 0x00],
    },
    Fault {
        name: "first A-Sync",
        about: "the first A-Sync is reported at the start of the zeros before it",
        effect: Effect::Reports(first_async),
        unit: PLAIN,
        example: &[0x00, 0x80],
    },
    Fault {
        name: "commit of format 2",
        about: "F is read from the second byte of a Cycle Count format 2, whatever COMMOPT is",
        effect: Effect::Reports(commit_of_format_2),
        unit: PLAIN,
        example: &[0x80, 0x0C, 0x01],
    },
    Fault {
        name: "context without IDs",
        about: "a Context that announces IDs which the trace unit does not have takes a byte more",
        effect: Effect::Reads(context_without_ids),
        unit: PLAIN,
        example: &[0x80, 0x81, 0x40],
    },
    Fault {
        name: "Instrumentation",
        about: "the packet of ETE 1.3 is not known: its header is reserved",
        effect: Effect::Reads(instrumentation),
        unit: ETE,
        example: &[0x80, 0x09],
    },
    Fault {
        name: "long fields",
        about: "a field after one of more than five bytes is read from too early a byte",
        effect: Effect::Reads(long_fields),
        unit: PLAIN,
        example: &[0x80, 0x0E, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x01],
    },
    Fault {
        name: "numbers above 31",
        about: "PE Reset and Transaction Failure have a number of ten bits, of which an ETE uses five",
        effect: Effect::Reads(ete_exception),
        unit: ETE,
        example: &[0x80, 0x06, 0x80, 0x01],
    },
];

fn bytes_of<'a>(stream: &'a [u8], row: &Row) -> &'a [u8] {
    &stream[row.offset as usize..][..row.len as usize]
}

fn first_async(_: &Config, stream: &[u8], row: &mut Row) -> bool {
    if row.kind != Some(Kind::Async) {
        return false;
    }
    let before = &stream[..row.offset as usize];
    let zeros = before.iter().rev().take_while(|&&byte| byte == 0).count();
    let is_first = zeros > 0 && !before.windows(ASYNC.len()).any(|bytes| bytes == ASYNC);
    if is_first {
        row.offset -= zeros as u64;
    }
    is_first
}

fn commit_of_format_2(config: &Config, stream: &[u8], row: &mut Row) -> bool {
    if row.kind != Some(Kind::CycleCountF2) {
        return false;
    }
    let byte = u32::from(bytes_of(stream, row)[1]);
    let offset = if byte & 1 == 1 {
        config.max_spec.wrapping_sub(15)
    } else {
        1
    };
    let commit = u64::from((byte >> 4).wrapping_add(offset));
    if config.commopt {
        row.values.insert(1, ("commit", commit));
        return true;
    }
    row.change("commit", commit)
}

fn context_without_ids(config: &Config, bytes: &[u8]) -> Option<Read> {
    let [0x81, info, ..] = *bytes else {
        return None;
    };
    let announces = info & 0xC0 != 0;
    if !announces || Parts::of_info(info, config) != Parts::NONE {
        return None;
    }
    let is_whole = bytes.len() > 2;
    Some(Read {
        taken: if is_whole { 3 } else { 2 },
        instead: bytes[..if is_whole { 2 } else { 1 }].to_vec(),
    })
}

fn instrumentation(config: &Config, bytes: &[u8]) -> Option<Read> {
    (bytes[0] == 0x09 && config.allows(Gate::EteV13)).then(|| Read {
        taken: 1,
        instead: vec![RESERVED],
    })
}

fn ete_exception(config: &Config, bytes: &[u8]) -> Option<Read> {
    let [0x06, first, second, ..] = *bytes else {
        return None;
    };
    let is_extended = first & 0x80 != 0 && second & 0x1F != 0;
    if !config.is_ete() || !is_extended || ete_exception_kind(first).is_none() {
        return None;
    }
    // An exception with any other number.
    Some(Read {
        taken: 3,
        instead: vec![0x06, first | 0x02, second],
    })
}

fn long_fields(config: &Config, bytes: &[u8]) -> Option<Read> {
    if !matches!(bytes[0], 0x01 | 0x0E | 0x68..=0x6B) {
        return None;
    }
    let (mut packet, taken) = parse(bytes, config).ok()?;
    let most = if packet.kind == Kind::CondResultF1 {
        6
    } else {
        5
    };
    let mut rest = &bytes[1..taken];
    if packet.kind == Kind::TraceInfo {
        rest = &rest[continued(rest, taken)..];
    }
    let right = packet.fields;
    for part in Part::ALL {
        if let Some(index) = part.field_index()
            && packet.tail.contains(part)
        {
            let (field, behind) = rest.split_at(continued(rest, most));
            packet.fields[index] = value(field);
            rest = behind;
        }
    }
    (packet.fields != right).then(|| Read {
        taken,
        instead: emit(&packet, config).as_slice().to_vec(),
    })
}

/// The number of bytes up to the first one without bit 7, at most `most`.
fn continued(bytes: &[u8], most: usize) -> usize {
    let last = bytes.iter().position(|byte| byte & 0x80 == 0);
    last.map_or(bytes.len(), |last| last + 1).min(most)
}

/// The value of a continuation field, its lowest 32 bits.
fn value(field: &[u8]) -> u32 {
    let groups = field.iter().take(5).zip((0..).step_by(7));
    groups.fold(0, |value, (byte, low)| {
        value | u32::from(byte & 0x7F) << low
    })
}
