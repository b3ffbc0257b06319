// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers over their bus do what the table says, and every field has its place.

use coretrace_abi::record_filter::Filter;
use coretrace_abi::registers::{Access, Field, Register, filter_writes, placed, source_writes};
use coretrace_etm::{ArchProfile, Protocol, Registers, SourceConfig};
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_parts::axi::master::{AxiMaster, AxiSlave, Response};
use coretrace_hdl_sink::records::RecordSettings;
use coretrace_pipelines::CoreRegisters;
use coretrace_pipelines::registers::HeldSettings;
use coretrace_pipelines::registers::core::{
    ADDRESS_W, PulseFields, Pulses, Settings, Status, StatusFields,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// A field of the map: offset of its register, and its name.
type Key = (u32, &'static str);

fn control() -> CoreRegisters {
    let mut uut = CoreRegisters::default();
    uut.connect_all();
    uut.reset.next = true;
    uut.clock();
    uut.reset.next = false;
    uut
}

/// The values of the fields with some kinds of access, as they lie on a bus.
fn on_bus(kinds: &[Access], bus: &Wide) -> BTreeMap<Key, u32> {
    let mut low = 0;
    let value = |(at, field): (u32, &'static Field)| {
        let value = bus.field(low, field.width);
        low += field.width;
        ((at, field.name), value as u32)
    };
    fields(kinds).into_iter().map(value).collect()
}

/// What every field that can be written drives.
fn configuration(uut: &CoreRegisters) -> BTreeMap<Key, u32> {
    on_bus(&[Access::ReadWrite], &uut.settings.val().to_wide())
}

/// Fields that hardware drives.
const DRIVEN: [Access; 3] = [Access::Live, Access::Snapshot, Access::Event];
/// Fields that are pulses when 1 is written.
const PULSED: [Access; 2] = [Access::Pulse, Access::Event];

/// Sets every status field to a value of its own choice; what each field then reads.
fn set_status(uut: &mut CoreRegisters, mut next: impl FnMut() -> u32) -> BTreeMap<Key, u32> {
    let mut wide = Wide::default();
    let mut low = 0;
    for (_, field) in fields(&DRIVEN) {
        let value = next() & field.mask() >> field.low;
        wide.or_field(low, field.width, value.into());
        low += field.width;
    }
    uut.status.next = Bus(wide);
    on_bus(&DRIVEN, &wide)
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
fn every_field_that_can_be_written_drives_its_setting() {
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
    let driven = fields(&DRIVEN);
    let mut uut = control();
    let mut master = AxiMaster::new(|| false);
    let mut before: BTreeMap<Key, u32> = keys(&driven).into_iter().map(|key| (key, 0)).collect();
    for _ in 0..4 {
        let status = set_status(&mut uut, || rng.random());
        assert_eq!(status.keys().copied().collect::<Vec<_>>(), keys(&driven));
        let mut compare = |uut: &mut CoreRegisters, counters: &BTreeMap<Key, u32>| {
            for (at, field) in &driven {
                let key = (*at, field.name);
                let expected = match field.access {
                    Access::Live | Access::Event => status[&key],
                    _ => counters[&key],
                };
                let (_, word) = master.read(uut, *at);
                assert_eq!((word & field.mask()) >> field.low, expected, "{key:x?}");
            }
        };
        compare(&mut uut, &before);
        uut.snapshot.next = true;
        uut.clock();
        uut.snapshot.next = false;
        compare(&mut uut, &status);
        before = status;
    }
}

#[test]
fn every_pulse_is_1_for_one_cycle_and_reads_0() {
    for (at, field) in fields(&PULSED) {
        let mut uut = control();
        let mut master = AxiMaster::new(|| false);
        master.push_write(at, field.mask(), 0xF);
        let mut seen = Vec::new();
        for _ in 0..10 {
            master.step(&mut uut);
            let pulses = on_bus(&PULSED, &uut.pulses.val().to_wide());
            seen.extend(pulses.into_iter().filter(|(_, value)| *value == 1));
        }
        assert_eq!(seen, [((at, field.name), 1)]);
        assert_eq!(master.read(&mut uut, at), (Response::Okay, 0));
    }
}

#[test]
fn the_named_buses_have_the_fields_of_the_table_in_its_order() {
    let low_and_width = |kinds: &[Access]| {
        let mut low = 0;
        let place = |(_, field): (u32, &Field)| {
            low += field.width;
            (low - field.width, field.width)
        };
        fields(kinds).into_iter().map(place).collect::<Vec<_>>()
    };
    let named = |fields: &[(&str, u32, u32)]| -> Vec<(u32, u32)> {
        fields.iter().map(|&(_, low, width)| (low, width)).collect()
    };
    assert_eq!(named(Pulses::FIELDS), low_and_width(&PULSED));
    assert_eq!(named(Status::FIELDS), low_and_width(&DRIVEN));
    // One field has all kinds of records.
    let settings = Settings::FIELDS
        .iter()
        .flat_map(|&(name, low, width)| match name {
            "drop" => (low..low + width).map(|bit| (bit, 1)).collect(),
            _ => vec![(low, width)],
        });
    let settings: Vec<_> = settings.collect();
    assert_eq!(settings, low_and_width(&[Access::ReadWrite]));
}

#[test]
fn every_pulse_and_every_status_has_its_port() {
    let mut pulses = PulseFields::<1>::default();
    pulses.connect_all();
    let mut status = StatusFields::<1>::default();
    status.connect_all();
    let pulse = |clear| Pulses {
        snapshot: 0_u64,
        clear,
        flush: 0,
        loss: 0,
        flush_done: 0,
        error: 0,
    };
    for clear in [false, true] {
        pulses.bus.next = Bus(pulse(clear.into()).wide());
        settle(&mut pulses);
        let found = (
            pulses.snapshot.val(),
            pulses.clear.val(),
            pulses.flush.val(),
        );
        assert_eq!(found, (false, clear, false));
        status.in_sync.next = clear;
        status.bytes.next = 0x1234_5678.into();
        settle(&mut status);
        for &(name, low, width) in Status::FIELDS {
            let expected = match name {
                "in_sync" => clear.into(),
                "bytes" => 0x1234_5678,
                _ => 0,
            };
            let found = status.bus.val().to_wide().field(low, width);
            assert_eq!(found, expected, "{name}");
        }
    }
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
    uut.clock();
    assert_eq!(configuration(&uut), first);
}

#[test]
fn settings_keep_their_values_while_the_source_is_busy() {
    let mut uut = HeldSettings::default();
    uut.connect_all();
    let source = SourceConfig {
        protocol: Protocol::Ete,
        profile: ArchProfile::M8,
        registers: Registers::from_values(&[1, 2, 3, 4, 5, 6]),
        lenient: true,
    };
    let filter = Filter {
        drop: 0x2001,
        range: Some((0x7_0000_0008, 0x9_0000_000A)),
    };
    let settings = |registers: &mut CoreRegisters| {
        let mut master = AxiMaster::new(|| false);
        let writes = filter_writes(&filter).into_iter();
        for (at, value) in writes.chain(source_writes(0x55, &source, true)) {
            master.write(registers, at, value, 0xF);
        }
        registers.settings.val()
    };
    let outputs = |uut: &HeldSettings| {
        let bits = [&uut.enable, &uut.records, &uut.profile].map(|port| port.val());
        (
            bits,
            uut.trace_id.val().to_u32(),
            uut.source.val(),
            uut.record.val(),
        )
    };
    uut.settings.next = settings(&mut control());
    uut.is_busy.next = true;
    cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    let none = ([true, false, false], 0, Bus::default(), Bus::default());
    assert_eq!(outputs(&uut), none);
    uut.is_busy.next = false;
    cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    let all = (
        [true; 3],
        0x55,
        Bus(SourceSettings::of(0x55, &source).wide()),
        Bus(RecordSettings::of(&filter, true).wide()),
    );
    assert_eq!(outputs(&uut), all);
    uut.is_busy.next = true;
    uut.settings.next = Bus::default();
    cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    let disabled = ([false, true, true], all.1, all.2, all.3);
    assert_eq!(outputs(&uut), disabled);
}
