// SPDX-License-Identifier: MIT OR Apache-2.0
//! Invariants of every port with faults.
//!
//! - A period that starts after the faults, the next full sync and the next ID equals that of the
//!   port without faults: nothing is lost, wrong or marked suspect.
//! - Between an error or a loss and the next A-Sync every packet is marked suspect.
//! - The bytes of an unmarked packet, as they arrived, are a legal packet of that kind, so no
//!   decoder can detect that they are wrong.

use std::ops::Range;

use coretrace_etm::{Config, Kind, parse};

use crate::compare::{Compared, starts};
use crate::{Observed, Port};

/// The bytes of a full sync.
const SYNC_BYTES: usize = 4;

/// For each period, whether it must be reported right. `clean` are the observations without faults.
pub fn must_be_right(port: &Port, clean: &Observed, hits: &[Range<usize>]) -> Vec<bool> {
    let starts = starts(&clean.observations);
    // A period lasts until the end of the next A-Sync.
    let ends = starts.iter().skip(1).map(|&next| clean.until[next]);
    starts
        .iter()
        .zip(ends.chain([port.bytes.len()]))
        .map(|(&start, end)| {
            let before = hits.partition_point(|hit| hit.start < end);
            before == 0 || is_found_again(port, hits[before - 1].end, clean.place(start))
        })
        .collect()
}

/// Whether frame alignment and ID are known again at a place after a hit.
pub(crate) fn is_found_again<S>(port: &Port<S>, hit_end: usize, place: usize) -> bool {
    let first = |places: &[usize], from: usize| {
        let at = places.partition_point(|&place| place < from);
        places.get(at).copied()
    };
    let synced = first(&port.syncs, hit_end).map(|sync| sync + SYNC_BYTES);
    let known = synced.and_then(|synced| first(&port.ids, synced));
    // The byte paired with an ID may still belong to the previous ID.
    known.is_some_and(|known| known < place)
}

/// The broken invariants.
pub fn broken(
    config: &Config,
    must_be_right: &[bool],
    observed: &Observed,
    compared: &Compared,
) -> Vec<String> {
    let mut broken = Vec::new();
    for (period, (must_be, is_right)) in must_be_right.iter().zip(&compared.is_right).enumerate() {
        if *must_be && !is_right {
            broken.push(format!("period {period} is not right again"));
        }
    }
    let mut is_reported = false;
    for observation in &observed.observations {
        let Some(record) = observation.packet() else {
            is_reported = true;
            continue;
        };
        if record.kind == Kind::Async {
            is_reported = false;
        } else if !record.suspect {
            let bytes = &observed.bytes[record.offset as usize..][..record.len as usize];
            let is_legal = parse(bytes, config)
                .is_ok_and(|(packet, len)| packet.kind == record.kind && len == bytes.len());
            if is_reported {
                broken.push(format!("no mark behind an error: {record:?}"));
            }
            if !is_legal {
                broken.push(format!("no mark, and no packet: {bytes:02x?}"));
            }
        }
    }
    broken
}
