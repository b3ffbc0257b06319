// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control registers over their bus do what the table says, and every field has its port.

use coretrace_abi::record_filter::FilterKind;
use coretrace_abi::registers::{Access, Field, Register, placed};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_parts::axi::master::{AxiMaster, AxiSlave, Response};
use coretrace_pipelines::ControlRegisters;
use coretrace_pipelines::registers::ADDRESS_W;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// A field of the map: offset of its register, and its name.
type Key = (u32, &'static str);

fn control() -> ControlRegisters {
    let mut uut = ControlRegisters::default();
    uut.connect_all();
    uut.reset.next = true;
    uut.clock();
    uut.reset.next = false;
    uut
}

fn find(name: &str) -> u32 {
    let mut all = placed().filter(|(_, register)| register.name == name);
    all.next().expect("a register of the table").0
}

/// What every field that can be written is to drive, as the ports show it.
fn configuration(uut: &ControlRegisters) -> BTreeMap<Key, u32> {
    let bit = |signal: &Signal<Out, Bit>| u32::from(signal.val());
    let word = |signal: &Signal<Out, Bits<32>>| signal.val().to_u32();
    let mut values = BTreeMap::from([
        ((find("CONTROL"), "LENIENT"), bit(&uut.cfg_lenient)),
        ((find("CONTROL"), "RECORDS"), bit(&uut.cfg_records)),
        ((find("CONTROL"), "PROFILE"), bit(&uut.cfg_profile)),
        ((find("SOURCE_CONTROL"), "ENABLE"), bit(&uut.cfg_enable)),
        ((find("SOURCE_CONTROL"), "ETE"), bit(&uut.cfg_ete)),
        ((find("SOURCE_CONTROL"), "V8M"), bit(&uut.cfg_v8m)),
        (
            (find("SOURCE_CONTROL"), "FULL_ADDRESSES"),
            bit(&uut.cfg_full_addresses),
        ),
        (
            (find("SOURCE_CONTROL"), "TRACE_ID"),
            uut.cfg_id.val().to_u32(),
        ),
        ((find("TRCCONFIGR"), "VALUE"), word(&uut.cfg_trcconfigr)),
        ((find("TRCIDR0"), "VALUE"), word(&uut.cfg_trcidr0)),
        ((find("TRCIDR1"), "VALUE"), word(&uut.cfg_trcidr1)),
        ((find("TRCIDR2"), "VALUE"), word(&uut.cfg_trcidr2)),
        ((find("TRCDEVARCH"), "VALUE"), word(&uut.cfg_trcdevarch)),
        ((find("TRCIDR8"), "VALUE"), word(&uut.cfg_trcidr8)),
        ((find("FILTER"), "RANGE"), bit(&uut.cfg_range)),
        (
            (find("RANGE_FIRST_LOW"), "ADDRESS"),
            word(&uut.cfg_first_low),
        ),
        (
            (find("RANGE_FIRST_HIGH"), "ADDRESS"),
            word(&uut.cfg_first_high),
        ),
        ((find("RANGE_LAST_LOW"), "ADDRESS"), word(&uut.cfg_last_low)),
        (
            (find("RANGE_LAST_HIGH"), "ADDRESS"),
            word(&uut.cfg_last_high),
        ),
    ]);
    let drop = uut.cfg_drop.val().to_u32();
    let kinds = FilterKind::ALL.iter();
    values.extend(kinds.map(|&kind| ((find("FILTER"), kind.name()), drop >> kind as u32 & 1)));
    values
}

/// Sets every status port to a value of its own choice; what each field is then to tell.
fn set_status(uut: &mut ControlRegisters, mut next: impl FnMut() -> u32) -> BTreeMap<Key, u32> {
    let mut status = BTreeMap::new();
    let in_sync = next() & 1 == 1;
    uut.sts_in_sync.next = in_sync;
    status.insert((find("STATUS"), "IN_SYNC"), u32::from(in_sync));
    let mut counter = |name, port: &mut Signal<In, Bits<32>>| {
        let value = next();
        port.next = value.to_bits();
        status.insert((find(name), "COUNT"), value);
    };
    counter("FRAMES", &mut uut.sts_frames);
    counter("SYNC_LOSSES", &mut uut.sts_sync_losses);
    counter("SYNC_ACQUISITIONS", &mut uut.sts_sync_acquisitions);
    counter("NULL_DROPS", &mut uut.sts_null_drops);
    counter("RESERVED_DROPS", &mut uut.sts_reserved_drops);
    counter("UNCLAIMED_DROPS", &mut uut.sts_unclaimed_drops);
    counter("LOST_WORDS", &mut uut.sts_lost_words);
    counter("BYTES", &mut uut.sts_bytes);
    counter("PACKETS", &mut uut.sts_packets);
    counter("ASYNCS", &mut uut.sts_asyncs);
    counter("LOSSES", &mut uut.sts_losses);
    counter("RESERVED_HEADERS", &mut uut.sts_reserved_headers);
    counter("BAD_SEQUENCES", &mut uut.sts_bad_sequences);
    status
}

/// The fields of the whole map with some kinds of access.
fn fields(kinds: &[Access]) -> Vec<(u32, &'static Field)> {
    let in_register = |(at, register): (u32, &'static Register)| {
        register.fields.iter().map(move |field| (at, field))
    };
    let all = placed().flat_map(in_register);
    all.filter(|(_, field)| kinds.contains(&field.access))
        .collect()
}

fn keys(fields: &[(u32, &'static Field)]) -> Vec<Key> {
    let mut keys: Vec<Key> = fields.iter().map(|(at, field)| (*at, field.name)).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn registers_read_their_reset_values_and_other_offsets_are_errors() {
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let map: BTreeMap<u32, &Register> = placed().collect();
    for at in (0..1 << ADDRESS_W).step_by(4) {
        let expected = match map.get(&at) {
            Some(register) => (Response::Okay, register.reset()),
            None => (Response::Error, 0),
        };
        assert_eq!(master.read(&mut uut, at), expected, "{at:#x}");
    }
}

#[test]
fn writes_change_what_can_be_written_and_nothing_else_with_any_pauses() {
    for seed in 0..6 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pauses = ChaCha8Rng::seed_from_u64(seed + 1000);
        let rate = f64::from(seed as u32 % 3) * 0.3;
        let mut uut = control();
        let mut master = AxiMaster::new(|| pauses.random_bool(rate));
        let map: BTreeMap<u32, &Register> = placed().collect();
        let mut held: BTreeMap<u32, u32> = map.iter().map(|(at, r)| (*at, r.reset())).collect();
        for _ in 0..200 {
            let at = rng.random_range(0..1 << (ADDRESS_W - 2)) * 4;
            let (data, strb) = (rng.random::<u32>(), rng.random_range(0..16_u8));
            let response = master.write(&mut uut, at + rng.random_range(0..4), data, strb);
            let place = format!("seed {seed}: {data:#x} with strobes {strb:#x} to {at:#x}");
            let Some(register) = map.get(&at) else {
                assert_eq!(response, Response::Error, "{place}");
                continue;
            };
            assert_eq!(response, Response::Okay, "{place}");
            let bytes = (0..4).filter(|byte| (strb >> byte) & 1 == 1);
            let strobes: u32 = bytes.map(|byte| 0xFF << (8 * byte)).sum();
            let mask = register.bits(Access::ReadWrite) & strobes;
            let word = held.get_mut(&at).expect("a register");
            *word = (*word & !mask) | (data & mask);
            assert_eq!(
                master.read(&mut uut, at),
                (Response::Okay, *word),
                "{place}"
            );
        }
        for (at, word) in held {
            assert_eq!(
                master.read(&mut uut, at),
                (Response::Okay, word),
                "seed {seed}: {at:#x}"
            );
        }
    }
}

#[test]
fn every_field_that_can_be_written_drives_its_port() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let written = fields(&[Access::ReadWrite]);
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let ports: Vec<Key> = configuration(&uut).into_keys().collect();
    assert_eq!(ports, keys(&written));
    // Each bit alone, then all at random.
    for (at, field) in &written {
        for bit in 0..field.width {
            master.write(&mut uut, *at, 1 << (field.low + bit), 0xF);
            let mut expected: BTreeMap<Key, u32> = ports.iter().map(|key| (*key, 0)).collect();
            expected.insert((*at, field.name), 1 << bit);
            assert_eq!(configuration(&uut), expected);
            master.write(&mut uut, *at, 0, 0xF);
        }
    }
    let words: BTreeMap<u32, u32> = placed().map(|(at, _)| (at, rng.random())).collect();
    for (at, word) in &words {
        master.write(&mut uut, *at, *word, 0xF);
    }
    let value = |(at, field): &(u32, &'static Field)| {
        ((*at, field.name), (words[at] & field.mask()) >> field.low)
    };
    assert_eq!(configuration(&uut), written.iter().map(value).collect());
}

#[test]
fn every_status_is_read_now_and_every_counter_as_of_the_last_snapshot() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let told = fields(&[Access::Live, Access::Snapshot]);
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let mut before: BTreeMap<Key, u32> = keys(&told).into_iter().map(|key| (key, 0)).collect();
    for _ in 0..4 {
        let status = set_status(&mut uut, || rng.random());
        assert_eq!(status.keys().copied().collect::<Vec<_>>(), keys(&told));
        let mut compare = |uut: &mut ControlRegisters, counters: &BTreeMap<Key, u32>| {
            for (at, field) in &told {
                let key = (*at, field.name);
                let expected = match field.access {
                    Access::Live => status[&key],
                    _ => counters[&key],
                };
                let (_, word) = master.read(uut, *at);
                assert_eq!((word & field.mask()) >> field.low, expected, "{key:x?}");
            }
        };
        compare(&mut uut, &before);
        let mut snapshot = AxiMaster::new(|| false);
        snapshot.write(&mut uut, find("CONTROL"), 1 << 8, 0xF);
        compare(&mut uut, &status);
        before = status;
    }
}

#[test]
fn a_snapshot_is_of_one_cycle_for_all_counters() {
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    master.push_write(find("CONTROL"), 0x300, 0xF);
    let mut cleared = Vec::new();
    for cycle in 0..10 {
        set_status(&mut uut, || cycle);
        master.step(&mut uut);
        if uut.clear.val() {
            cleared.push(cycle);
        }
    }
    let [seen] = cleared[..] else {
        panic!("clear is 1 after the cycles {cleared:?}");
    };
    // The counts that were there in the cycle in which `clear` was 1, which came after that one.
    let last = seen + 1;
    for (at, _) in fields(&[Access::Snapshot]) {
        assert_eq!(master.read(&mut uut, at), (Response::Okay, last), "{at:#x}");
    }
    assert_eq!(master.read(&mut uut, find("CONTROL")), (Response::Okay, 0));
}

#[test]
fn reset_brings_back_every_first_value() {
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let first = configuration(&uut);
    for (at, _) in placed() {
        master.write(&mut uut, at, u32::MAX, 0xF);
    }
    assert_ne!(configuration(&uut), first);
    uut.reset.next = true;
    // The fields show a cycle later.
    (0..2).for_each(|_| cycle(&mut uut, |uut, clock| uut.clock.next = clock));
    assert_eq!(configuration(&uut), first);
}

#[test]
fn settings_stay_as_they_are_while_the_source_is_busy() {
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let first = configuration(&uut);
    uut.is_busy.next = true;
    for (at, _) in placed() {
        master.write(&mut uut, at, u32::MAX, 0xF);
    }
    let enable = (find("SOURCE_CONTROL"), "ENABLE");
    let mut enabled = first.clone();
    enabled.insert(enable, 1);
    assert_eq!(configuration(&uut), enabled);
    uut.is_busy.next = false;
    cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    for (at, field) in fields(&[Access::ReadWrite]) {
        let all = field.mask() >> field.low;
        assert_eq!(configuration(&uut)[&(at, field.name)], all, "{field:?}");
    }
}
