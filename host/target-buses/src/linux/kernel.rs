// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel does with the chip: drivers, cores, memory, idle states.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Write};
use std::ops::Range;
use std::path::Path;

/// Where devices with registers are.
const BUSES: [&str; 2] = ["sys/bus/amba/devices", "sys/bus/platform/devices"];

/// Bytes of a file of the kernel, at most.
const LIMIT: u64 = 4096;

/// Bytes of its list of addresses, at most.
const LIST_LIMIT: u64 = 1 << 20;

/// What it calls memory that it uses itself, in that list.
const MEMORY: &str = "System RAM";

/// The driver that is bound to the device at an address.
pub fn driver_of(root: &Path, address: u64) -> Option<String> {
    let start = format!("{address:x}.");
    let devices = BUSES
        .iter()
        .filter_map(|bus| fs::read_dir(root.join(bus)).ok());
    let mut here = devices.flatten().flatten().filter(|device| {
        let name = device.file_name();
        name.to_str().is_some_and(|name| name.starts_with(&start))
    });
    here.find_map(|device| {
        let driver = fs::read_link(device.path().join("driver")).ok()?;
        Some(driver.file_name()?.to_string_lossy().into_owned())
    })
}

/// Whether a core is online, as far as the kernel says.
pub fn is_online(root: &Path, core: u32) -> bool {
    let mut text = String::new();
    let list = File::open(root.join("sys/devices/system/cpu/online"));
    match list.and_then(|file| file.take(LIMIT).read_to_string(&mut text)) {
        Ok(_) => text.trim().split(',').any(|part| has(part, core)),
        Err(_) => true,
    }
}

/// Whether the programmable logic has a bitstream, as far as the kernel says.
pub fn is_programmed(root: &Path) -> bool {
    let state = File::open(root.join("sys/class/fpga_manager/fpga0/state"));
    let mut text = String::new();
    match state.and_then(|file| file.take(LIMIT).read_to_string(&mut text)) {
        Ok(_) => text.trim() == "operating",
        Err(_) => true,
    }
}

/// Whether the kernel uses memory of a range itself, as far as it says so. What a device tree reserves with
/// `no-map` is not of that kind.
pub fn has_memory(root: &Path, range: &Range<u64>) -> bool {
    let mut text = String::new();
    let list = File::open(root.join("proc/iomem"));
    let Ok(_) = list.and_then(|file| file.take(LIST_LIMIT).read_to_string(&mut text)) else {
        return false;
    };
    let mut lines = text.lines();
    lines.any(|line| {
        let memory = line
            .strip_suffix(MEMORY)
            .and_then(|line| line.strip_suffix(" : "));
        let ends = memory.and_then(|ends| ends.split_once('-'));
        ends.is_some_and(|(first, last)| {
            let [first, last] = [first, last].map(|end| u64::from_str_radix(end.trim(), 16));
            first.is_ok_and(|first| first < range.end) && last.is_ok_and(|last| last >= range.start)
        })
    })
}

/// Whether a number is in a part of a list, such as `2` or `0-3`.
fn has(part: &str, core: u32) -> bool {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let in_range = |first, last| (first..=last).contains(&core);
    first
        .parse()
        .is_ok_and(|first: u32| last.parse().is_ok_and(|last: u32| in_range(first, last)))
}

/// Cores that are not turned off while they have nothing to do, as long as this lives.
#[derive(Debug)]
pub struct Awake {
    _latency: Option<File>,
}

impl Awake {
    /// Asks the kernel for a latency of 0; one without idle states does not need it.
    ///
    /// # Errors
    /// If it refuses.
    pub fn keep(root: &Path) -> Result<Awake> {
        let path = root.join("dev/cpu_dma_latency");
        let latency = match OpenOptions::new().write(true).open(path) {
            Ok(mut file) => {
                file.write_all(&0u32.to_ne_bytes())?;
                Some(file)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Awake { _latency: latency })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_online_by_number_and_by_range() {
        for (part, core, is_in) in [
            ("0-3", 3, true),
            ("0-3", 4, false),
            ("2", 2, true),
            ("2", 1, false),
            ("", 0, false),
            ("x-3", 1, false),
        ] {
            assert_eq!(has(part, core), is_in, "{part} {core}");
        }
    }
}
