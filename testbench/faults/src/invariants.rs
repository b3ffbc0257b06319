// SPDX-License-Identifier: MIT OR Apache-2.0
//! What has to hold for every port with faults.
//!
//! - A period that begins behind the faults, the next full sync and the next ID is exactly that of
//!   the port without faults: nothing lost, nothing wrong, nothing marked.
//! - Behind an error or a loss there is no packet without a mark before the next A-Sync.
//! - A packet without a mark is one: its bytes, as they arrived, are a legal packet of that kind. So
//!   no decoder could have told that they are not.

use std::ops::Range;

use coretrace_etm::{Config, Kind, parse};

use crate::compare::{Compared, starts};
use crate::{Observed, Port};

/// The bytes of a full sync.
const SYNC_BYTES: usize = 4;

/// For each period, whether it has to come out right. `clean` is what is observations without the hits.
pub fn must_be_right(port: &Port, clean: &Observed, hits: &[Range<usize>]) -> Vec<bool> {
    let starts = starts(&clean.observations);
    // A period lasts up to the end of the next A-Sync.
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

/// Whether frames and ID are known again at a place behind a hit.
fn is_found_again(port: &Port, hit_end: usize, place: usize) -> bool {
    let first = |places: &[usize], from: usize| {
        let at = places.partition_point(|&place| place < from);
        places.get(at).copied()
    };
    let synced = first(&port.syncs, hit_end).map(|sync| sync + SYNC_BYTES);
    let known = synced.and_then(|synced| first(&port.ids, synced));
    // The byte beside an ID may still belong to the ID before.
    known.is_some_and(|known| known < place)
}

/// What does not hold.
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
    let mut is_told = false;
    for observations in &observed.observations {
        let Some(record) = observations.packet() else {
            is_told = true;
            continue;
        };
        if record.kind == Kind::Async {
            is_told = false;
        } else if !record.suspect {
            let bytes = &observed.bytes[record.offset as usize..][..record.len as usize];
            let is_legal = parse(bytes, config)
                .is_ok_and(|(packet, len)| packet.kind == record.kind && len == bytes.len());
            if is_told {
                broken.push(format!("no mark behind an error: {record:?}"));
            }
            if !is_legal {
                broken.push(format!("no mark, and no packet: {bytes:02x?}"));
            }
        }
    }
    broken
}
