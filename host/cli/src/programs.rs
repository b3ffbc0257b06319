// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that were traced: named by the user, or by the mappings of a recording.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use coretrace_capture::perf::Mapping;
use coretrace_program::{FileMapping, Program};

use crate::error::say;

/// A mapping, and whose memory it is in.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The mapping.
    pub mapping: &'a Mapping,
    /// The number of a process; `None` if it is in the memory of every one.
    pub process: Option<u32>,
}

impl<'a> Placed<'a> {
    /// A mapping in the memory of every process.
    pub fn in_every(mapping: &'a Mapping) -> Placed<'a> {
        let process = None;
        Placed { mapping, process }
    }

    fn in_file(&self) -> FileMapping<'a> {
        FileMapping {
            address: self.mapping.address,
            len: self.mapping.len,
            offset: self.mapping.offset,
            build_id: self.mapping.build_id.as_deref(),
            process: self.process,
        }
    }
}

/// The programs of the command line, `FILE` or `FILE@ADDRESS`, and those that were mapped.
///
/// A program without an address that was mapped is where it was mapped; a file `vmlinux` is the kernel,
/// wherever it ran. A mapped file that the user
/// did not name is taken from this machine if its build ID is the recorded one.
///
/// # Errors
/// If a file that the user named cannot be used, or an address is not one.
pub fn programs(named: &[PathBuf], mappings: &[Placed<'_>]) -> Result<Program> {
    let mut program = Program::default();
    for placed in mappings {
        let mapping = placed.mapping;
        let path = Path::new(&mapping.path);
        let user_named = named.iter().any(|named| is_same_file(named, path));
        if !user_named && mapping.build_id.is_some() && path.is_file() {
            // Another build, or a file that is no program: it gives no names.
            let _ = program.add_mapping(path, &placed.in_file());
        }
    }
    for argument in named {
        let (path, address) = file_and_address(argument)?;
        let mut mapped = false;
        for placed in mappings.iter().filter(|_| address.is_none()) {
            let mapping = placed.mapping;
            if let Some(symbol) = kernel_symbol(mapping)
                && is_kernel(path)
            {
                program.add_kernel(path, &placed.in_file(), symbol)?;
                mapped = true;
            } else if is_same_file(path, Path::new(&mapping.path)) {
                program.add_mapping(path, &placed.in_file())?;
                mapped = true;
            }
        }
        if !mapped {
            if address.is_none() && !mappings.is_empty() {
                say(&format!(
                    "note: {} was not mapped while the trace was recorded: its addresses are taken as they \
                     are linked",
                    path.display()
                ));
            }
            program.add_file(path, address)?;
        }
    }
    Ok(program)
}

/// Whether a path of the recording may be this file: the folders may differ.
fn is_same_file(named: &Path, mapped: &Path) -> bool {
    mapped.file_name().is_some() && named.file_name() == mapped.file_name()
}

/// Whether `FILE` or `FILE@ADDRESS` may be this file of a mapping.
pub fn is_of_file(argument: &Path, mapped: &str) -> bool {
    let file = file_and_address(argument);
    file.is_ok_and(|(file, _)| is_same_file(file, Path::new(mapped)))
}

/// Whether a file is an image of the kernel by its name: `vmlinux`, `vmlinux-6.1`.
fn is_kernel(named: &Path) -> bool {
    let name = named.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("vmlinux"))
}

/// The symbol at the offset of a mapping of the kernel: perf names it behind the brackets.
fn kernel_symbol(mapping: &Mapping) -> Option<&str> {
    let (_, symbol) = mapping.path.strip_prefix("[kernel")?.split_once(']')?;
    Some(symbol)
}

/// Takes `FILE[@ADDRESS]` apart. A name may have an `@` in it that is not before `0x`.
fn file_and_address(argument: &Path) -> Result<(&Path, Option<u64>)> {
    let split = argument.to_str().and_then(|text| text.rsplit_once("@0x"));
    let Some((file, digits)) = split else {
        return Ok((argument, None));
    };
    Ok((Path::new(file), Some(address(file, digits)?)))
}

/// The address at which a file is, of its digits behind `@0x`.
///
/// # Errors
/// If it is none.
pub fn address(file: &str, digits: &str) -> Result<u64> {
    u64::from_str_radix(digits, 16)
        .with_context(|| format!("0x{digits} is not an address of 64 bits: {file}@0x1000 has one"))
}
