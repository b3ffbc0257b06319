// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bus of a Linux, against ordinary files below a root of their own.
#![cfg(unix)]

use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::Path;

use coretrace_target::{Bus, BusError};
use coretrace_target_buses::Linux;
use coretrace_target_buses::linux::{Access, Awake, driver_of, has_memory, is_online};
use tempfile::TempDir;

/// A range of memory.
const PLACE: Range<u64> = 0x2000..0x3000;

const PAGE: u64 = 0x1_0000;

/// A root with a file for memory, and a UIO node with two maps.
fn root() -> TempDir {
    let root = TempDir::new().expect("a folder");
    let at = root.path();
    put(at, "dev/mem", &[0; 4 * PAGE as usize]);
    put(at, "dev/uio0", &[0; 4 * PAGE as usize]);
    for (map, address, bytes) in [(0, 0xA000_0000u64, 0x1000u64), (1, 0x7000_0000, 2 * PAGE)] {
        let folder = format!("sys/class/uio/uio0/maps/map{map}");
        put(
            at,
            &format!("{folder}/addr"),
            format!("{address:#018x}\n").as_bytes(),
        );
        put(
            at,
            &format!("{folder}/size"),
            format!("{bytes:#018x}\n").as_bytes(),
        );
    }
    root
}

fn put(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

/// The word of a file.
fn word(root: &Path, name: &str, place: u64) -> u32 {
    let bytes = fs::read(root.join(name)).expect("read");
    let place = place as usize;
    u32::from_le_bytes(bytes[place..place + 4].try_into().expect("a word"))
}

#[test]
fn words_of_memory_are_read_and_written_at_their_addresses() {
    let root = root();
    let mut bus = Linux::open(
        root.path(),
        &[0x2000..0x3000, 0x1064..0x1068],
        Access::ReadWrite,
    )
    .expect("mapped");
    for (address, value) in [
        (0x2000, 0x1234_5678),
        (0x2FFC, 0x9ABC_DEF0),
        (0x1064, 0x2500),
    ] {
        bus.write32(address, value).expect("written");
        assert_eq!(bus.read32(address), Ok(value));
        assert_eq!(word(root.path(), "dev/mem", address), value);
    }
}

#[test]
fn what_is_outside_the_ranges_or_not_aligned_is_refused() {
    let root = root();
    let before = fs::read(root.path().join("dev/mem")).expect("read");
    let ranges = [0x2000..0x3000, 0x1064..0x1068];
    let mut bus = Linux::open(root.path(), &ranges, Access::ReadWrite).expect("mapped");
    for address in [
        0,
        0x1060,
        0x1066,
        0x1068,
        0x1FFC,
        0x2001,
        0x2002,
        0x2FFE,
        0x3000,
        u64::MAX,
    ] {
        for done in [bus.read32(address).map(drop), bus.write32(address, 1)] {
            assert!(
                matches!(done, Err(BusError::Refused(_))),
                "{address:#X}: {done:?}"
            );
        }
    }
    assert_eq!(fs::read(root.path().join("dev/mem")).expect("read"), before);
}

#[test]
fn a_bus_that_reads_writes_nothing() {
    let root = root();
    let mut bus = Linux::open(root.path(), &[PLACE], Access::Read).expect("mapped");
    assert_eq!(bus.read32(0x2000), Ok(0));
    assert!(matches!(bus.write32(0x2000, 1), Err(BusError::Refused(_))));
    assert_eq!(word(root.path(), "dev/mem", 0x2000), 0);
}

#[test]
fn a_range_of_a_uio_node_is_mapped_from_the_node() {
    let root = root();
    let ranges = [0xA000_0000..0xA000_1000, 0x7000_8000..0x7001_0000];
    let mut bus = Linux::open(root.path(), &ranges, Access::ReadWrite).expect("mapped");
    bus.write32(0xA000_0010, 1).expect("written");
    bus.write32(0x7000_8004, 2).expect("written");
    assert_eq!(word(root.path(), "dev/uio0", 0x10), 1);
    let page = page_size::get() as u64;
    assert_eq!(word(root.path(), "dev/uio0", page + 0x8004), 2);
    assert!(
        fs::read(root.path().join("dev/mem"))
            .expect("read")
            .iter()
            .all(|byte| *byte == 0)
    );
}

#[test]
fn a_range_that_is_not_there_is_named() {
    let root = root();
    for range in [
        4 * PAGE..4 * PAGE + 0x1000,
        4 * PAGE - 4..4 * PAGE + 4,
        1 << 63..(1 << 63) + 8,
    ] {
        let error = Linux::open(root.path(), std::slice::from_ref(&range), Access::Read);
        let error = error.err().expect("an error");
        let text = error.to_string();
        assert!(
            text.contains(&format!("cannot map {:#X}", range.start)),
            "{text}"
        );
        assert!(error.advice().contains("check the addresses"));
    }
    fs::remove_file(root.path().join("dev/mem")).expect("removed");
    assert!(Linux::open(root.path(), &[PLACE], Access::Read).is_err());
}

#[test]
fn the_kernel_says_who_drives_a_component_and_which_cores_run() {
    let root = root();
    let device = root.path().join("sys/bus/amba/devices/fe940000.etf");
    fs::create_dir_all(&device).expect("made");
    assert_eq!(driver_of(root.path(), 0xFE94_0000), None);
    symlink("../../drivers/coresight-tmc", device.join("driver")).expect("linked");
    assert_eq!(
        driver_of(root.path(), 0xFE94_0000).as_deref(),
        Some("coresight-tmc")
    );
    assert_eq!(driver_of(root.path(), 0x000F_E940), None);
    assert!(is_online(root.path(), 7));
    put(root.path(), "sys/devices/system/cpu/online", b"0-1,3\n");
    let online = (0..5).filter(|core| is_online(root.path(), *core));
    assert_eq!(online.collect::<Vec<_>>(), [0, 1, 3]);
}

#[test]
fn memory_of_the_kernel_is_known_by_its_list() {
    let root = root();
    assert!(!has_memory(root.path(), &(0x2000..0x3000)));
    let list = [
        "00000000-00000fff : fe940000.etf",
        "00002000-00003fff : System RAM",
        "  00002000-000020ff : Kernel code",
        "00004000-00007fff : reserved",
    ];
    put(
        root.path(),
        "proc/iomem",
        (list.join("\n") + "\n").as_bytes(),
    );
    for (range, is_memory) in [
        (0..0x2000, false),
        (0..0x2001, true),
        (0x3FFF..0x4000, true),
        (0x4000..0x8000, false),
    ] {
        assert_eq!(has_memory(root.path(), &range), is_memory, "{range:X?}");
    }
}

#[test]
fn cores_stay_awake_by_a_latency_of_0() {
    let root = root();
    drop(Awake::keep(root.path()).expect("a kernel without idle states"));
    put(root.path(), "dev/cpu_dma_latency", &[1; 4]);
    drop(Awake::keep(root.path()).expect("kept"));
    assert_eq!(word(root.path(), "dev/cpu_dma_latency", 0), 0);
}
