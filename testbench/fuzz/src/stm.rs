// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model of an STM against OpenCSD: random streams, whole and broken.

use std::fmt;
use std::iter::repeat;
use std::ops::AddAssign;

use anyhow::Result;
use coretrace_decode::Policy;
use coretrace_software_trace::StmDecoder;
use coretrace_stm::state::Coding;
use coretrace_stm::{ASYNC_NIBBLES, Kind, Record, nibbles};
use coretrace_test_gen::{Damage, rng, stm_stream};
use coretrace_test_opencsd::{OpenCsd, StmMonitor, StmPacket, StmProcessor, StmRow};
use rand::RngExt;

use crate::Verdict;
use crate::campaign::Tally;
use crate::report::{first_difference, show};

/// Packets of a stream before it is broken.
const PACKETS: usize = 500;
/// Nibbles of an ASYNC and a VERSION, in front of random ones.
const RANDOM_FROM: usize = ASYNC_NIBBLES as usize + GRAY.len();
/// A VERSION that says Gray code, and the last nibble of the other one.
const GRAY: [u8; 4] = [0xF, 0, 0, 4];
const NATURAL: u8 = 3;

/// The model and OpenCSD.
pub struct StmAndOpenCsd {
    /// OpenCSD.
    pub library: OpenCsd,
}

/// What was equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Streams.
    pub streams: u64,
    /// Those that were broken.
    pub broken: u64,
    /// Bytes.
    pub bytes: u64,
    /// Packets, errors among them.
    pub packets: u64,
    /// Errors.
    pub errors: u64,
    /// Bits of timestamps that are not compared.
    pub unknown: u64,
}

impl StmAndOpenCsd {
    /// Compares the stream of a seed.
    ///
    /// # Errors
    /// If OpenCSD stops.
    pub fn compare(&self, seed: u64) -> Result<Verdict<Compared>> {
        let (bytes, is_broken) = stream(seed);
        let mut model = Model::default();
        let mut decoder = StmDecoder::new(Policy::OpenCsd);
        decoder.feed(&bytes, |record| model.take(record));
        decoder.finish(|record| model.take(record));
        let mut processor = StmProcessor::new(self.library, Rows::default())?;
        processor.run(&bytes)?;
        let opencsd = std::mem::take(&mut processor.monitor().0);
        let known = model.known.iter().chain(repeat(&Known::ALL));
        let opencsd = opencsd.into_iter().zip(known);
        let opencsd: Vec<StmRow> = opencsd.map(|(row, known)| known.of(row)).collect();
        let rows = model.rows;
        if rows != opencsd {
            let at = first_difference([&rows, &opencsd]);
            let mut text = String::new();
            show(&mut text, "model", &rows, at);
            show(&mut text, "OpenCSD", &opencsd, at);
            return Ok(Verdict::Different(text));
        }
        Ok(Verdict::Equal(Compared {
            streams: 1,
            broken: is_broken.into(),
            bytes: bytes.len() as u64,
            packets: rows.len() as u64,
            errors: rows.iter().filter(|row| row.is_error()).count() as u64,
            unknown: model.known.iter().map(Known::bits_left_out).sum(),
        }))
    }
}

/// The stream of a seed, and whether it is broken: one in six is whole, one has random bytes behind an ASYNC, and the
/// others are damaged. Those of even seeds have no Gray code.
fn stream(seed: u64) -> (Vec<u8>, bool) {
    let mut rng = rng(seed);
    let class = seed / 2 % 6;
    let damage = Damage::ALL.get(class as usize).copied();
    let whole = stm_stream(&mut rng, PACKETS, damage);
    let mut nibbles: Vec<u8> = whole.into_iter().flat_map(nibbles).collect();
    if class == 5 {
        let behind = nibbles.len().min(RANDOM_FROM);
        let nibble = |_: &u8| match rng.random_range(0..4) {
            0 => 0xF,
            _ => rng.random_range(0..16),
        };
        let random: Vec<u8> = nibbles[behind..].iter().map(nibble).collect();
        nibbles.splice(behind.., random);
    }
    if seed.is_multiple_of(2) {
        for at in 3..nibbles.len() {
            if nibbles[at - 3..=at] == GRAY {
                nibbles[at] = NATURAL;
            }
        }
    }
    let bytes = nibbles.chunks_exact(2).map(|two| two[0] | two[1] << 4);
    (bytes.collect(), class != 4)
}

/// What of a row is compared.
#[derive(Clone, Copy)]
struct Known {
    /// The bits of the timestamp that OpenCSD 1.3.3 has right. It converts Gray code wrong, and these bits stay until
    /// they are replaced.
    timestamp: u64,
    /// Not of the first ASYNC behind bytes that were not read: to OpenCSD it begins with the first F before it.
    offset: bool,
}

impl Known {
    const ALL: Known = Known {
        timestamp: u64::MAX,
        offset: true,
    };

    /// Bits of the timestamp that are not compared.
    fn bits_left_out(&self) -> u64 {
        self.timestamp.count_zeros().into()
    }

    /// A row less what is not compared.
    fn of(self, row: StmRow) -> StmRow {
        StmRow {
            timestamp: row.timestamp & self.timestamp,
            offset: if self.offset { row.offset } else { 0 },
            ..row
        }
    }
}

/// The rows of the model.
#[derive(Default)]
struct Model {
    rows: Vec<StmRow>,
    known: Vec<Known>,
    /// What was not compared of the last timestamp.
    unknown: u64,
    /// The record before was not read.
    is_behind_unread: bool,
}

impl Model {
    fn take(&mut self, record: &Record) {
        let is_behind_unread =
            std::mem::replace(&mut self.is_behind_unread, record.kind == Kind::NotSync);
        let Some(row) = StmRow::of_record(record) else {
            return;
        };
        if record.state.coding == Some(Coding::Gray) {
            self.unknown = u64::MAX;
        } else if let Some(bits) = row.stamp_bits {
            self.unknown &= u64::MAX.checked_shl(bits.into()).unwrap_or(0);
        }
        let known = Known {
            timestamp: !self.unknown,
            offset: !is_behind_unread,
        };
        self.known.push(known);
        self.rows.push(known.of(row));
    }
}

/// The rows of OpenCSD.
#[derive(Default)]
struct Rows(Vec<StmRow>);

impl StmMonitor for Rows {
    fn packet(&mut self, offset: u32, packet: &StmPacket) {
        self.0.extend(StmRow::of_opencsd(offset, packet));
    }
}

impl Tally for Compared {
    fn amount(&self) -> u64 {
        self.packets
    }
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Compared) {
        self.streams += other.streams;
        self.broken += other.broken;
        self.bytes += other.bytes;
        self.packets += other.packets;
        self.errors += other.errors;
        self.unknown += other.unknown;
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} packets equal: {} errors among them\n{} streams of {} bytes: {} broken; {} bits of timestamps not compared",
            self.packets, self.errors, self.streams, self.bytes, self.broken, self.unknown
        )
    }
}
