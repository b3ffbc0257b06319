// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mappings, and records that a reader of trace passes over.

use coretrace_capture::perf::constants::{PROT_EXEC, misc, record};
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::writer::{Origin, Writer};
use crate::Rng;

/// A mapping that could be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenMapping {
    /// The process; `None` for the kernel.
    pub pid: Option<u32>,
    /// The first address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// The place in the file.
    pub offset: u64,
    /// The file.
    pub path: String,
    /// The build ID.
    pub build_id: Option<Vec<u8>>,
}

/// Writes some records; returns the mappings that could be executed.
pub fn write(rng: &mut Rng, writer: &mut Writer) -> Vec<WrittenMapping> {
    let mut mappings = Vec::new();
    for _ in 0..rng.random_range(0..6) {
        match rng.random_range(0..5) {
            0 => other(rng, writer),
            1 => writer.tracing_data(&[7; 13]),
            _ => mappings.extend(mapping(rng, writer)),
        }
    }
    mappings
}

/// A record without use here: COMM, ITRACE_START, a sample, or one of simpleperf that is long.
fn other(rng: &mut Rng, writer: &mut Writer) {
    let origin = Origin { tid: 1, cpu: 2 };
    match rng.random_range(0..4) {
        0 => writer.kernel(3, 0x2000, &[0x41; 24], true, origin),
        1 => writer.kernel(12, 0, &[0; 8], true, origin),
        2 => writer.record(9, 2, &vec![0x55; 8 * rng.random_range(0..100)]),
        _ => writer.record(record::SIMPLEPERF + 3, 0, &vec![0xAA; 0x1_2340]),
    }
}

fn mapping(rng: &mut Rng, writer: &mut Writer) -> Option<WrittenMapping> {
    let number: u32 = rng.random();
    let is_kernel = rng.random_bool(0.2);
    let mut mapping = WrittenMapping {
        pid: (!is_kernel).then_some(number >> 8),
        address: rng.random::<u64>() & !0xFFF,
        len: 0x1000 * rng.random_range(1..100),
        offset: 0x1000 * rng.random_range(0..10),
        path: format!("/system/lib/lib{number:x}.so"),
        build_id: None,
    };
    let pid = mapping.pid.unwrap_or(u32::MAX);
    let mut body = [pid, pid].map(u32::to_le_bytes).concat();
    body.extend(
        [mapping.address, mapping.len, mapping.offset]
            .map(u64::to_le_bytes)
            .concat(),
    );
    let is_executable = rng.random_bool(0.7);
    let mut flags = 2;
    let id: [u8; 20] = rng.random();
    let is_mmap2 = rng.random();
    let mut kind = record::MMAP;
    if is_mmap2 {
        kind = record::MMAP2;
        if rng.random() {
            let len = rng.random_range(8..=20);
            flags |= misc::MMAP_BUILD_ID;
            body.extend([len, 0, 0, 0]);
            body.extend(id);
            mapping.build_id = Some(id[..len.into()].to_vec());
        } else {
            body.extend([0; 24]);
        }
        let protection = if is_executable { PROT_EXEC | 1 } else { 3 };
        body.extend([protection, 2].map(u32::to_le_bytes).concat());
    } else if !is_executable {
        flags |= misc::MMAP_DATA;
    }
    if mapping.build_id.is_none() && rng.random() {
        let len = *[8, 16, 20].choose(rng).expect("lengths");
        writer.build_id(&id[..len], &mapping.path);
        mapping.build_id = Some(id[..len].to_vec());
    }
    body.extend(mapping.path.as_bytes());
    body.resize((body.len() + 1).next_multiple_of(8), 0);
    writer.kernel(kind, flags, &body, true, Origin { tid: pid, cpu: 0 });
    is_executable.then_some(mapping)
}
