// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sessions whose host reads the real core: it gives what its model gives, and wrong accesses are seen.

use std::thread;

use coretrace_abi::registers::csr::{
    Control, Filter, Frames, Id, LostWords, SourceControl, Status, SyncAcquisitions, SyncLosses,
    Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2, Version,
};
use coretrace_etm::Kind;
use coretrace_streams::{Item, Reader as Stream};
use coretrace_target::ring::{Reader, Ring};
use coretrace_target::{
    Bus, BusError, Ending, Journal, Options, Plan, Preset, Topology, Wanted, execute, undo,
};
use coretrace_target_sim::{SimulatedChip, Ticks, World};
use coretrace_test_target::HardwareChip;

/// The core of the preset, and its DMA.
const CORE: u64 = 0xA000_0000;
const DMA: u64 = 0xA001_0000;

/// After how many ticks the host reads the ring, time after time.
const VISITS: [usize; 3] = [100; 3];

/// The smallest ring: 16 buffers.
fn ring() -> Ring {
    Ring::new(0x7000_0000, 66_560).expect("a ring")
}

fn zynqmp() -> Topology {
    let preset = Preset::find("zynqmp").expect("a preset");
    preset.topology().expect("a topology")
}

fn plan(topology: &Topology) -> Plan {
    let wanted = Wanted {
        sources: vec![topology.trace_unit(0).expect("a core")],
        sinks: vec![topology.find("tpiu").expect("a sink")],
        via: vec![],
    };
    let options = Options {
        receiver: Some((topology.receiver("core").expect("a core"), ring())),
        ..Options::default()
    };
    Plan::start(topology, &wanted, &options).expect("a plan")
}

/// What a host got.
#[derive(Debug, Default, PartialEq)]
struct Got {
    ending: u8,
    /// Every item of the stream.
    items: Vec<String>,
    /// The addresses of the records.
    addresses: Vec<u64>,
    /// Losses in the stream: the counter of words.
    losses: Vec<u32>,
    /// Frames, losses and acquisitions of synchronisation, lost words.
    counters: [u32; 4],
}

/// Runs a session; `visits` says after how many ticks the host reads the ring, time after time.
fn session(topology: &Topology, chip: &mut dyn SimulatedChip, visits: &[usize]) -> Got {
    let (mut journal, mut time) = (Journal::default(), Ticks::default());
    let mut words = Vec::new();
    let mut reader = Reader::new(ring(), DMA);
    ring().post(chip).expect("memory");
    let steps = plan(topology).steps;
    let ending = execute(topology, &steps, chip, &mut time, &mut journal);
    let mut got = Got {
        ending: ending.exit_code(),
        ..Got::default()
    };
    if ending != Ending::Done {
        return got;
    }
    for &ticks in visits {
        chip.pass(ticks);
        reader
            .take(chip, |packet| words.extend(packet))
            .expect("packets");
    }
    if !undo(topology, &mut journal, chip, &mut time).is_empty() {
        got.ending = 5;
    }
    reader
        .finish(chip, |packet| words.extend(packet))
        .expect("packets");
    let mut stream = Stream::new();
    let mut take = |item: Item<'_>| {
        got.items.push(format!("{item:?}"));
        match item {
            Item::Record(record) if record.kind == Kind::AddrLong64Is0 => {
                got.addresses.push(record.address.value);
            }
            Item::Lost(words) => got.losses.push(words),
            _ => {}
        }
    };
    stream.words(&words, &mut take);
    stream.finish(&mut take);
    got.counters = counters(chip);
    got
}

fn counters(chip: &mut dyn SimulatedChip) -> [u32; 4] {
    let snapshot = Control::RESET.with_snapshot(true).0;
    let control = CORE + u64::from(Control::OFFSET);
    chip.write32(control, snapshot).expect("a core");
    [
        Frames::OFFSET,
        SyncLosses::OFFSET,
        SyncAcquisitions::OFFSET,
        LostWords::OFFSET,
    ]
    .map(|offset| chip.read32(CORE + u64::from(offset)).expect("a core"))
}

#[test]
fn the_core_gives_the_host_what_its_model_gives() {
    let topology = zynqmp();
    for visits in [&[500; 4][..], &[20; 30], &[0]] {
        let got = session(&topology, &mut HardwareChip::cold(&topology), visits);
        let model = session(&topology, &mut World::cold(&topology), visits);
        assert!(got.ending == 0 && got.losses.is_empty());
        assert!(
            got.items.len() > visits.iter().sum::<usize>() / 2,
            "{}",
            got.items.len()
        );
        for (place, (item, golden)) in got.items.iter().zip(&model.items).enumerate() {
            assert_eq!(item, golden, "{visits:?}: item {place}");
        }
        // The model has no cycles: what a core still takes in when it is disabled may differ.
        let difference = got.items.len().abs_diff(model.items.len());
        assert!(difference < 16, "{visits:?}: {difference}");
        let ([frames, counters @ ..], [golden, model @ ..]) = (got.counters, model.counters);
        assert!(
            frames.abs_diff(golden) < 4,
            "{visits:?}: {frames}, {golden}"
        );
        assert_eq!(counters, model, "{visits:?}");
    }
}

#[test]
#[ignore = "nightly: a long session, half a minute"]
fn a_host_that_is_late_loses_words_of_the_port_once_and_knows_it() {
    let topology = zynqmp();
    let visits = [&[10_000][..], &[300; 12]].concat();
    // What a host that is not late sees, for a longer time.
    let all = session(&topology, &mut World::cold(&topology), &[50; 300]).addresses;
    for chip in [
        &mut HardwareChip::cold(&topology) as &mut dyn SimulatedChip,
        &mut World::cold(&topology),
    ] {
        let got = session(&topology, chip, &visits);
        let [_, _, _, lost_words] = got.counters;
        assert_eq!(got.ending, 0);
        assert!(lost_words > 100, "{lost_words}");
        assert_eq!(got.losses, [lost_words]);
        // What is there is exact: the beginning, and all that follows the loss.
        let found = &got.addresses;
        let same = found.iter().zip(&all).take_while(|(a, b)| a == b);
        let (before, after) = found.split_at(same.count());
        assert!(
            before.len() > 1000 && after.len() > 1000,
            "{}",
            before.len()
        );
        let place = all.iter().position(|address| *address == after[0]);
        let expected = &all[place.expect("an address that was sent")..];
        assert_eq!(after, &expected[..after.len()]);
    }
}

/// A bus with a fault of the host: accesses of one address go to another, with values that are shifted.
struct Faulty {
    chip: HardwareChip,
    from: u64,
    to: u64,
    shift: u32,
}

impl Faulty {
    fn place(&self, address: u64) -> (u64, u32) {
        match address == self.from {
            true => (self.to, self.shift),
            false => (address, 0),
        }
    }
}

impl Bus for Faulty {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let (address, shift) = self.place(address);
        self.chip.read32(address).map(|value| value >> shift)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        let (address, shift) = self.place(address);
        self.chip.write32(address, value << shift)
    }
}

impl SimulatedChip for Faulty {
    fn world(&self) -> &World {
        self.chip.world()
    }

    fn world_mut(&mut self) -> &mut World {
        self.chip.world_mut()
    }

    fn pass(&mut self, ticks: usize) {
        self.chip.pass(ticks);
    }
}

/// Whether a session fails or goes wrong if accesses of a register go to an address so far up, with values that are
/// shifted.
fn check_seen(good: &Got, offset: u32, up: u64, shift: u32) {
    let topology = zynqmp();
    let from = CORE + u64::from(offset);
    let mut chip = Faulty {
        chip: HardwareChip::cold(&topology),
        from,
        to: from + up,
        shift,
    };
    let got = session(&topology, &mut chip, &VISITS);
    assert_ne!(got, *good, "{offset:#x} + {up}, << {shift}");
}

#[test]
#[ignore = "nightly: a session for each of them, two minutes"]
fn a_host_with_a_wrong_address_or_field_is_seen() {
    let topology = zynqmp();
    let good = session(&topology, &mut HardwareChip::cold(&topology), &VISITS);
    assert_eq!(good.ending, 0);
    // To the next register, and to fields one bit higher. A refused session has exit code 3.
    let faults = [
        (Id::OFFSET, 4, 0),
        (Version::OFFSET, 4, 0),
        (Control::OFFSET, 4, 0),
        (Status::OFFSET, 4, 0),
        (SourceControl::offset(0), 4, 0),
        (Trcconfigr::offset(0), 4, 0),
        (Trcidr0::offset(0), 4, 0),
        (Trcidr1::offset(0), 4, 0),
        (Trcidr2::offset(0), 4, 0),
        (Trcdevarch::offset(0), 4, 0),
        (Control::OFFSET, 0, 1),
        (SourceControl::offset(0), 0, 1),
        (Trcconfigr::offset(0), 0, 1),
        (Trcidr0::offset(0), 0, 1),
    ];
    let (first, second) = faults.split_at(faults.len() / 2);
    let good = &good;
    thread::scope(|scope| {
        for half in [first, second] {
            scope.spawn(move || {
                for &(offset, up, shift) in half {
                    check_seen(good, offset, up, shift);
                }
            });
        }
    });
}

#[test]
fn an_access_that_the_core_refuses_aborts() {
    let topology = zynqmp();
    let mut chip = HardwareChip::cold(&topology);
    assert_eq!(chip.read32(CORE), Ok(Id::RESET.0));
    // No register is at the offset before the last of the address space of the core.
    let nowhere = CORE + 0xFC;
    assert_eq!(chip.read32(nowhere), Err(BusError::Aborted));
    assert_eq!(chip.write32(nowhere, 0), Err(BusError::Aborted));
}

#[test]
fn a_filter_that_another_host_left_does_not_thin_a_session() {
    let topology = zynqmp();
    let good = session(&topology, &mut HardwareChip::cold(&topology), &VISITS);
    assert!(!good.addresses.is_empty());
    let mut chip = HardwareChip::cold(&topology);
    let left = Filter::RESET.with_atoms(true).with_addresses(true);
    let written = chip.write32(CORE + u64::from(Filter::offset(0)), left.0);
    assert_eq!(written, Ok(()));
    assert_eq!(session(&topology, &mut chip, &VISITS), good);
}

#[test]
fn the_real_core_refuses_conditions_that_only_its_model_has() {
    let topology = zynqmp();
    let mut chip = HardwareChip::cold(&topology);
    for condition in ["dma-fails=core@0", "ring-full=core@9"] {
        let refused = chip.world_mut().impose(&topology, condition);
        let why = refused.expect_err(condition);
        assert!(why.contains("has no model of a core core"), "{why}");
    }
}
