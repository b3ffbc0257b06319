// SPDX-License-Identifier: MIT OR Apache-2.0
//! Build IDs of what the images have, of the programs, and of what was mapped.

use std::ops::Range;

use coretrace_capture::perf::Mapping;
use coretrace_flow::Image;
use coretrace_program::{DumpedFile, Program, hex, is_same_build};

/// A file of this build was at these addresses.
struct Build {
    name: String,
    addresses: Range<u64>,
    id: Vec<u8>,
}

/// Lines for the dumps that are another build than a program or a mapping at their addresses, and for
/// the programs that are another build than a mapping.
pub fn other_builds(images: &[Image], program: &Program, mappings: &[Mapping]) -> Vec<String> {
    let programs: Vec<Build> = program
        .builds()
        .map(|(path, addresses, id)| Build {
            name: path.display().to_string(),
            addresses,
            id: id.to_owned(),
        })
        .collect();
    let is_dump = |image: &&Image| programs.iter().all(|program| program.name != image.name);
    let dumps: Vec<Build> = images.iter().filter(is_dump).filter_map(dumped).collect();
    let mapped: Vec<Build> = mappings.iter().filter_map(mapped).collect();
    let mut lines: Vec<String> = Vec::new();
    for (builds, others) in [(&dumps, &programs), (&dumps, &mapped), (&programs, &mapped)] {
        for line in builds.iter().filter_map(|build| build.line(others)) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn dumped(image: &Image) -> Option<Build> {
    let DumpedFile { size, build_id } = DumpedFile::of(&image.bytes)?;
    let size = size.min(image.bytes.len() as u64);
    Some(Build {
        name: image.name.clone(),
        addresses: image.address..image.address.saturating_add(size),
        id: build_id,
    })
}

/// Of a process: the mapping of the kernel may have modules in it.
fn mapped(mapping: &Mapping) -> Option<Build> {
    mapping.pid?;
    Some(Build {
        name: mapping.path.clone(),
        addresses: mapping.address..mapping.address.saturating_add(mapping.len),
        id: mapping.build_id.clone()?,
    })
}

impl Build {
    /// A line if other files are there, and none of them is this build. Processes may have several at
    /// one address.
    fn line(&self, others: &[Build]) -> Option<String> {
        let Range { start, end } = self.addresses;
        let mut there = others
            .iter()
            .filter(|other| other.addresses.start < end && start < other.addresses.end)
            .peekable();
        let other = *there.peek()?;
        if there.any(|other| is_same_build(&self.id, &other.id)) {
            return None;
        }
        let (name, other_name) = (&self.name, &other.name);
        let [id, other_id] = [&self.id, &other.id].map(|id| hex(id));
        Some(format!(
            "{name} has build ID {id}, and {other_name} at the same addresses {other_id}\n"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Where the program of `testbench/traces` is.
    const ADDRESS: u64 = 0x40_0000;
    /// A byte of its build ID.
    const IN_BUILD_ID: usize = 0x170;

    fn sort(has_other_build: bool) -> Vec<u8> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join("testbench/traces/sort-a64/sort.elf");
        let mut bytes = fs::read(file).expect("a program");
        bytes[IN_BUILD_ID] ^= u8::from(has_other_build);
        bytes
    }

    fn dump(address: u64) -> Vec<Image> {
        vec![Image {
            name: "dump".to_owned(),
            ..Image::new(address, &sort(false)[..0x1000])
        }]
    }

    fn program(has_other_build: bool) -> Program {
        let mut program = Program::default();
        let bytes = sort(has_other_build);
        let added = program.add_bytes("sort".as_ref(), bytes, None);
        added.expect("a program");
        program
    }

    fn mapping(address: u64, pid: Option<u32>, has_other_build: bool) -> Mapping {
        let file = DumpedFile::of(&sort(has_other_build)).expect("a program");
        Mapping {
            pid,
            address,
            len: 0x1000,
            offset: 0,
            path: "/bin/sort".to_owned(),
            build_id: Some(file.build_id),
        }
    }

    #[test]
    fn a_dump_of_another_build_than_the_program_is_reported() {
        assert_eq!(other_builds(&dump(ADDRESS), &program(false), &[]).len(), 0);
        let lines = other_builds(&dump(ADDRESS), &program(true), &[]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        let line = &lines[0];
        assert!(line.starts_with("dump has build ID e04d7767"), "{line}");
        assert!(
            line.contains(", and sort at the same addresses e0"),
            "{line}"
        );
        // Somewhere else there may be any.
        let elsewhere = dump(0x80_0000);
        assert_eq!(other_builds(&elsewhere, &program(true), &[]).len(), 0);
    }

    #[test]
    fn what_was_mapped_has_the_build_of_dumps_and_programs() {
        let none = Program::default();
        let other = [mapping(ADDRESS + 0x800, Some(1), true)];
        let lines = other_builds(&dump(ADDRESS), &none, &other);
        assert!(lines[0].contains("/bin/sort at the same"), "{lines:?}");
        let lines = other_builds(&[], &program(false), &other);
        assert!(lines[0].starts_with("sort has build ID"), "{lines:?}");
        assert_eq!(lines.len(), 1, "{lines:?}");
        // Another process has this build there.
        let two = [other[0].clone(), mapping(ADDRESS, Some(2), false)];
        assert_eq!(other_builds(&dump(ADDRESS), &program(false), &two).len(), 0);
        // Modules are inside the mapping of the kernel.
        let kernel = [mapping(ADDRESS, None, true)];
        assert_eq!(other_builds(&dump(ADDRESS), &none, &kernel).len(), 0);
    }
}
