// SPDX-License-Identifier: MIT OR Apache-2.0
//! An ETM, an STM and an ITM in one trace port, and their records as one list.

use std::collections::BTreeMap;

use coretrace_capture::{
    AnyRecord, Format, Merged, Order, Pass, SourceDescription, TraceBuffer, TraceBytes,
};
use coretrace_coresight::TraceId;
use coretrace_decode::{Policy, tpiu};
use coretrace_itm as itm;
use coretrace_stm as stm;
use coretrace_test_gen::{Framing, Rng, frame_streams, itm_stream, rng, stm_stream};
use rand::RngExt;

const IDS: [u8; 3] = [0x10, 0x20, 0x30];
const SEEDS: u64 = 20;

fn description(index: usize) -> SourceDescription {
    let registers = [
        ("TRCCONFIGR", 0x801),
        ("TRCIDR0", 0x2800_0EA1),
        ("TRCIDR1", 0x4100_F403),
        ("TRCIDR2", 0x488),
    ];
    SourceDescription {
        protocol: ["ETM4", "STM", "ITM"][index].into(),
        trace_id: Some(IDS[index]),
        registers: registers.map(|(name, value)| (name.into(), value)).into(),
        ..SourceDescription::default()
    }
}

/// The list of a port with these streams, of sources with these clocks.
fn list(rng: &mut Rng, streams: &[Vec<u8>; 3], clocks: &[Option<u8>; 3]) -> Vec<Merged<AnyRecord>> {
    let ids = IDS.map(|id| TraceId::new(id).expect("an ID"));
    let sources: Vec<(TraceId, &[u8])> = ids
        .into_iter()
        .zip(streams.iter().map(Vec::as_slice))
        .collect();
    let port = frame_streams(rng, &sources, &Framing::PORT);
    let buffer = TraceBuffer::new(
        Format::Framed(tpiu::Format::TpiuHsync),
        TraceBytes::memory(port),
        &[0, 1, 2].map(description),
    );
    let pass = Pass {
        buffer: &buffer.expect("a buffer"),
        sources: &[0, 1, 2],
        policy: Policy::Resync,
        sync_limit: u64::MAX,
    };
    let mut list = Vec::new();
    let mut sink = |merged: &Merged<AnyRecord>| list.push(merged.clone());
    pass.run_merged(clocks, &mut sink)
        .expect("a trace that can be read");
    list
}

/// An ETM that reports these times, each behind an atom.
fn etm_at(times: &[u64]) -> Vec<u8> {
    let mut bytes = [&[0; 11][..], &[0x80, 0x01, 0x00]].concat();
    for time in times {
        bytes.extend([0xF7, 0x02]);
        bytes.extend((0..8).map(|group| (time >> (7 * group)) as u8 & 0x7F | 0x80));
        bytes.push((time >> 56) as u8);
    }
    bytes
}

/// An STM that writes at these times.
fn stm_at(times: &[u64]) -> Vec<u8> {
    let row = |name: &str| {
        let mut rows = stm::OPCODES.into_iter().filter(|row| row.name == name);
        stm::Packet::new(rows.next().expect("an opcode"))
    };
    let mut nibbles = Vec::new();
    let mut put = |packet: &stm::Packet| assert!(stm::emit(packet, |it| nibbles.push(it)));
    put(&row("ASYNC"));
    put(&stm::Packet {
        data: 3,
        ..row("VERSION")
    });
    for &value in times {
        let stamp = stm::Stamp { nibbles: 16, value };
        put(&stm::Packet {
            stamp,
            ..row("D8TS")
        });
    }
    nibbles.resize(nibbles.len().next_multiple_of(2), 0);
    nibbles.chunks(2).map(|two| two[0] | two[1] << 4).collect()
}

/// An ITM with a global timestamp at these times, each with a write behind it.
fn itm_at(times: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, 0, 0x80];
    for time in times {
        // All low bits, of which the last byte says that the high ones changed.
        let low = [time, &(time >> 7), &(time >> 14)].map(|it| *it as u8 | 0x80);
        bytes.extend([
            0x94,
            low[0],
            low[1],
            low[2],
            (time >> 21) as u8 & 0x1F | 0x40,
        ]);
        for (header, value) in [(0xB4, time >> 26), (0x01, 0x41)] {
            let packet = itm::Packet::of_value(header, value).expect("a value that fits");
            itm::emit(&packet, |byte| bytes.push(byte));
        }
    }
    bytes
}

fn is_time_stamp(record: &AnyRecord) -> bool {
    match record {
        AnyRecord::Etm { record, .. } => record.kind == coretrace_etm::Kind::Timestamp,
        AnyRecord::Software(record) => ["D8TS", "ITM_SWIT"].contains(&record.name()),
    }
}

#[test]
fn a_source_reports_in_a_port_what_it_reports_alone() {
    for seed in 0..SEEDS {
        let rng = &mut rng(seed);
        let times: Vec<u64> = (1..60).collect();
        let streams = [
            etm_at(&times),
            stm_stream(rng, 60, None),
            itm_stream(rng, 200, None),
        ];
        let together = list(rng, &streams, &[Some(1), Some(1), None]);
        for source in 0..streams.len() {
            let mut only = [const { Vec::new() }; 3];
            only[source].clone_from(&streams[source]);
            let alone = list(rng, &only, &[None; 3]);
            let items = |list: &[Merged<AnyRecord>]| {
                let of_source = list.iter().filter(|it| it.source == source);
                of_source.map(|it| it.item.clone()).collect::<Vec<_>>()
            };
            assert!(alone.len() > 50, "source {source}");
            assert_eq!(
                items(&together),
                items(&alone),
                "source {source}, seed {seed}"
            );
        }
    }
}

#[test]
fn sources_without_a_common_clock_are_in_the_order_of_the_port_and_marked() {
    for seed in 0..SEEDS {
        let rng = &mut rng(seed);
        let streams = [
            etm_at(&[9, 8, 7]),
            stm_stream(rng, 60, None),
            itm_stream(rng, 200, None),
        ];
        let list = list(rng, &streams, &[None, Some(1), Some(2)]);
        assert!(list.iter().all(|it| it.order == Order::Place));
        assert!(list.is_sorted_by_key(|it| it.place), "seed {seed}");
        let sources: Vec<usize> = list.iter().map(|it| it.source).collect();
        assert!(sources.windows(2).filter(|two| two[0] != two[1]).count() > 10);
    }
}

#[test]
fn sources_with_a_common_clock_are_in_the_order_of_their_times() {
    for seed in 0..SEEDS {
        let rng = &mut rng(seed);
        let mut times = [const { Vec::new() }; 3];
        for time in 1..300u64 {
            times[rng.random_range(0..3)].push(time << 20);
        }
        let streams = [etm_at(&times[0]), stm_at(&times[1]), itm_at(&times[2])];
        let list = list(rng, &streams, &[Some(1); 3]);
        let timed = list.iter().filter(|it| it.order == Order::Time);
        assert!(timed.is_sorted_by_key(|it| it.time), "seed {seed}");
        let stamps = list.iter().filter(|it| is_time_stamp(&it.item));
        let stamps: BTreeMap<u64, usize> = stamps
            .map(|it| (it.time.expect("a time"), it.source))
            .collect();
        let written = (0..3).flat_map(|source| times[source].iter().map(move |it| (*it, source)));
        assert_eq!(stamps, written.collect(), "seed {seed}");
        let in_port = list
            .iter()
            .all(|it| it.order == Order::Time || it.time.is_none());
        assert!(in_port, "seed {seed}");
    }
}

#[test]
fn a_source_without_the_common_clock_stays_where_it_is_in_the_port() {
    let rng = &mut rng(1);
    let times: Vec<u64> = (1..100).collect();
    let streams = [etm_at(&times), stm_at(&times), itm_at(&times)];
    let list = list(rng, &streams, &[Some(1), Some(1), None]);
    let of_itm = list.iter().filter(|it| it.source == 2);
    assert!(of_itm.clone().all(|it| it.order == Order::Place));
    assert!(of_itm.is_sorted_by_key(|it| it.place));
    let of_clock = list
        .iter()
        .filter(|it| it.source < 2 && it.order == Order::Time);
    assert!(of_clock.clone().count() > 200 && of_clock.is_sorted_by_key(|it| it.time));
}
