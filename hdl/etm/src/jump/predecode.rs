// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a byte says, whatever it is: as a header, as context information, as PLCTL.

use super::layouts::{LaneFlags, Predecode, WordFlags};
use super::state::{self, STATE_W};
use super::window;
use crate::encodings::{is_ete_exception, is_extension};
use crate::layouts::DecoderConfig;
use coretrace_etm::header::depends_on_commopt;
use coretrace_etm::{Gate, HEADERS};
use coretrace_hdl_dataflow::{Table, Word, all, any, layout, mux_tree, named};
use std::sync::LazyLock;

/// The code of each gate, found by a search for few LUTs from a header to its gate.
const GATE_CODES: [u64; Gate::ALL.len()] = [12, 4, 6, 0, 8, 14, 13, 9, 5, 10, 3];

layout! {
    /// The header table, before the configuration is applied.
    struct HeaderEntry {
        /// Code of the gate that opens the header.
        gate: 4,
        /// COMMOPT takes a field away.
        commopt: 1,
        /// State after it.
        start: STATE_W,
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    HeaderEntry::table(|header| {
        let header = header as u8;
        HeaderEntry {
            gate: GATE_CODES[HEADERS[usize::from(header)].gate as usize],
            commopt: depends_on_commopt(header).into(),
            start: state::after_header(header),
        }
    })
});

/// [`Predecode::info_bytes`] of a byte.
#[named]
fn info_bytes<T: Word>(config: &DecoderConfig<T>, octet: T) -> T {
    let cid = octet.bit(7).and(config.has_cid);
    let vmid = octet.bit(6).and(config.has_vmid);
    let (low, high) = (config.vmid_last.bit(0), config.vmid_last.bit(1));
    let size = low.concat(low.not().or(high));
    cid.concat(size.mask(vmid))
}

/// Number of fields after a PLCTL byte: its sections, and its own next byte if there is one.
fn plctl_fields(octet: usize) -> usize {
    (octet & 0x9F).count_ones() as usize
}

static PLCTL_FIELDS: LazyLock<Table> =
    LazyLock::new(|| Table::new(3, |octet| plctl_fields(octet) as u64));

static AFTER_PLCTL: LazyLock<Table> =
    LazyLock::new(|| Table::new(STATE_W as u32, |octet| state::fields(plctl_fields(octet))));

/// The state after a PLCTL byte.
#[named]
pub(crate) fn after_plctl<T: Word>(octet: T) -> T {
    octet.rom(&AFTER_PLCTL)
}

/// A byte as all that it can be.
pub(crate) struct Lane<T> {
    pub octet: T,
    pub flags: LaneFlags<T>,
    pub predecode: Predecode<T>,
}

#[named]
impl<T: Word> Lane<T> {
    /// The same at a later time.
    pub(crate) fn at_stage(&self, time: u32) -> Lane<T> {
        Lane {
            octet: self.octet.at_stage(time),
            flags: self.flags.map(|flag| flag.at_stage(time)),
            predecode: self.predecode.map(|part| part.at_stage(time)),
        }
    }

    pub(crate) fn more(&self) -> T {
        self.octet.bit(7)
    }

    /// Number of fields after it as a PLCTL byte, its own next byte among them.
    pub(crate) fn plctl_fields(&self) -> T {
        self.octet.rom(&PLCTL_FIELDS).reg()
    }

    /// What `of` has for the number of bytes after it as a context information byte.
    pub(crate) fn by_info_bytes(&self, of: impl Fn(usize) -> T) -> T {
        let numbers = [0, 1, 2, 4, 4, 5, 6, 8];
        mux_tree(&numbers.map(of), self.predecode.info_bytes, 3)
    }
}

/// The state after a byte if it is a header, and whether it is none.
#[named]
fn header<T: Word>(config: &DecoderConfig<T>, lenient: T, octet: T) -> (T, T) {
    let entry = HeaderEntry::split(octet.rom(&TABLE)).map(T::reg);
    let gate = |code: u64| {
        let gate = GATE_CODES.iter().position(|&other| other == code);
        gate.map_or(T::constant(0, 1), |gate| config.gates.bit(gate as u32))
    };
    let gates: Vec<T> = (0..16).map(gate).collect();
    let open = mux_tree(&gates, entry.gate, 4);
    let is_short = entry.commopt.and(config.commopt);
    let code = |value: u64| T::constant(value, STATE_W as u32);
    let short = entry
        .start
        .is(state::fields(2))
        .mux(code(state::fields(1)), code(state::HEADER));
    let failed = lenient.mux(code(state::HEADER), code(state::UNSYNC));
    let start = open.mux(is_short.mux(short, entry.start), failed);
    (start.reg(), open.not().reg())
}

/// A word before it is known where packets start.
pub(crate) struct PredecodedWord<T> {
    pub flags: WordFlags<T>,
    pub lanes: Vec<Lane<T>>,
    /// An A-Sync ends in it.
    pub hit: T,
    /// A loss before it leaves the decoder in sync.
    pub resume: T,
}

/// Predecodes a word.
#[named]
pub(crate) fn word<T: Word>(
    config: &T::Port,
    lenient: T,
    flags: &T::Port,
    octets: &[T::Port],
    lanes: &[T::Port],
) -> PredecodedWord<T> {
    let config = DecoderConfig::unpack(config).map(T::steady);
    let flags = WordFlags::<T>::unpack(flags);
    let octets: Vec<T> = octets.iter().map(|port| T::field(port, 0, 8)).collect();
    let goes_on = flags.update.and(flags.valid);
    let hits = window::async_hits(&octets, goes_on, flags.lost);
    let more_time = window::more_time(&octets, goes_on);
    let lane = |(lane, port): (usize, &T::Port)| {
        let lane_flags = LaneFlags::unpack(port);
        let octet = octets[lane];
        let (start, error) = header(&config, lenient, octet);
        // What is quick to find waits for the header table as the byte.
        let late = octet.reg();
        let predecode = Predecode {
            start,
            error,
            hit: all(&[hits[lane], lane_flags.live, flags.valid]).reg(),
            more_time: more_time[lane],
            info_bytes: info_bytes(&config, late).reg(),
            extends: is_extension(late).reg(),
            is_zero: octet.is(0).reg(),
            more_exception: late.bit(7).or(is_ete_exception(&config, late)).reg(),
        };
        Lane {
            octet,
            flags: lane_flags,
            predecode,
        }
    };
    let lanes: Vec<Lane<T>> = lanes.iter().enumerate().map(lane).collect();
    let hits: Vec<T> = lanes.iter().map(|lane| lane.predecode.hit).collect();
    let hit = any(&hits).reg();
    let (seen, held) = T::register(1, hit.stage());
    let sees = seen.or(hit.and(flags.update));
    T::set_next(held, sees.and(flags.restart.not()));
    PredecodedWord {
        flags,
        lanes,
        hit,
        resume: seen.and(lenient),
    }
}
