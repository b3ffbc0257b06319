// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a capture folder to a snapshot.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_decode::tpiu;
use liblzma::read::XzDecoder;

use super::contents::Framing;
use super::device::trace_id_registers;
use crate::copy::{copy, new_folder, open, write_text};
use crate::memory::is_packed;
use crate::path::path_inside;
use crate::{Description, Format, MemoryImage, SourceDescription};

/// Writes a capture folder as a snapshot. Files are copied block by block; images in `.xz` files are
/// unpacked. Returns what a snapshot cannot say, one sentence each.
///
/// # Errors
/// If `snapshot` exists, `capture` is not well-formed, a file cannot be copied, or a name cannot be
/// written in an INI file.
pub fn write_snapshot(capture: &Path, snapshot: &Path) -> Result<Vec<String>> {
    let path = capture.join("capture.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let unusable = || format!("{} cannot be used", path.display());
    let description = Description::parse(&text).with_context(unusable)?;
    new_folder(snapshot)?;
    copy(
        [open(&capture.join(&description.file))],
        &snapshot.join("trace.bin"),
    )?;

    let mut left_out = Vec::new();
    // They belong to the first core, where OpenCSD looks for them.
    let mut dumps = dumps(&description.memory, capture, snapshot, &mut left_out)?;
    let mut devices = Section::new("device_list");
    let mut source_buffers = Section::new("source_buffers");
    let mut core_sources = Section::new("core_trace_sources");
    let mut add = |file: &str, sections: &[Section]| -> Result<()> {
        devices.add(&format!("device{}", devices.entries), file)?;
        write_text(&snapshot.join(file), &joined(sections))
    };
    for (number, source) in description.sources.iter().enumerate() {
        add(
            &format!("source{number}.ini"),
            &source_device(source, &mut left_out)?,
        )?;
        source_buffers.add(&source.name, BUFFER)?;
        if let Some(kind) = &source.core {
            let name = format!("core_{number}");
            let core = device(&name, "core", kind)?;
            let sections = [vec![core], std::mem::take(&mut dumps)].concat();
            add(&format!("core{number}.ini"), &sections)?;
            core_sources.add(&name, &source.name)?;
        }
    }
    if !dumps.is_empty() {
        let memory = device("memory", "memory_space", "unknown")?;
        let sections = [vec![memory], dumps].concat();
        add("memory.ini", &sections)?;
    }
    let index = [
        Section::with("snapshot", &[("version", "1.0")])?,
        devices,
        Section::with("trace", &[("metadata", "trace.ini")])?,
    ];
    write_text(&snapshot.join("snapshot.ini"), &joined(&index))?;
    let format = framing(description.format).name();
    let buffer = [("name", BUFFER), ("file", "trace.bin"), ("format", format)];
    let metadata = [
        Section::with("trace_buffers", &[("buffers", "buffer0")])?,
        Section::with("buffer0", &buffer)?,
        source_buffers,
        core_sources,
    ];
    write_text(&snapshot.join("trace.ini"), &joined(&metadata))?;
    Ok(left_out)
}

/// The name of the one buffer.
const BUFFER: &str = "BUFFER";

fn framing(format: Format) -> Framing {
    match format {
        Format::Raw => Framing::SourceData,
        Format::Framed(tpiu::Format::Dstream) => Framing::Dstream,
        Format::Framed(_) => Framing::CoreSight,
    }
}

/// The sections of a trace source. Its trace ID is in a register.
fn source_device(source: &SourceDescription, left_out: &mut Vec<String>) -> Result<Vec<Section>> {
    let mut registers = source.registers.clone();
    if let Some(id) = source.trace_id {
        match trace_id_registers(&source.protocol).next() {
            Some((name, shift)) => {
                registers
                    .entry(name.to_owned())
                    .or_insert(u32::from(id) << shift);
            }
            None => left_out.push(format!(
                "the trace ID {id:#04x} of source {}: no register of a {} is known to hold it",
                source.name, source.protocol
            )),
        }
    }
    let mut section = Section::new("regs");
    for (name, value) in &registers {
        section.add(name, &format!("{value:#010x}"))?;
    }
    let device = device(&source.name, "trace_source", &source.protocol)?;
    Ok(vec![device, section])
}

fn device(name: &str, class: &str, kind: &str) -> Result<Section> {
    Section::with(
        "device",
        &[("name", name), ("class", class), ("type", kind)],
    )
}

/// Copies the images, each file once, and describes them.
fn dumps(
    images: &[MemoryImage],
    capture: &Path,
    snapshot: &Path,
    left_out: &mut Vec<String>,
) -> Result<Vec<Section>> {
    let mut copies = BTreeMap::new();
    let mut sections = Vec::new();
    for (number, image) in images.iter().enumerate() {
        let next = format!("image{}.bin", copies.len());
        let name = copies.entry(&image.file).or_insert_with(|| next.clone());
        if *name == next {
            let file = open(&path_inside(capture, &image.file)?)?;
            let input: Box<dyn Read> = if is_packed(&image.file) {
                Box::new(XzDecoder::new(file))
            } else {
                Box::new(file)
            };
            copy([Ok(input)], &snapshot.join(&next))?;
        }
        let mut section = Section::new(&format!("dump{number}"));
        section.add("file", name)?;
        section.add("address", &format!("{:#x}", image.address))?;
        for (key, value) in [("length", image.length), ("offset", image.offset)] {
            if let Some(value) = value {
                section.add(key, &format!("{value:#x}"))?;
            }
        }
        if let Some(space) = &image.space {
            section.add("space", space)?;
        }
        sections.push(section);
        if image.vmid.is_some() || image.cid.is_some() {
            left_out.push(format!(
                "image {} belongs to one context ID or VMID",
                image.file.display()
            ));
        }
    }
    Ok(sections)
}

/// A section of an INI file.
#[derive(Clone)]
struct Section {
    text: String,
    entries: usize,
}

impl Section {
    fn new(name: &str) -> Section {
        Section {
            text: format!("[{name}]\n"),
            entries: 0,
        }
    }

    fn with(name: &str, entries: &[(&str, &str)]) -> Result<Section> {
        let mut section = Section::new(name);
        for (key, value) in entries {
            section.add(key, value)?;
        }
        Ok(section)
    }

    fn add(&mut self, key: &str, value: &str) -> Result<()> {
        for text in [key, value] {
            let special = |c: char| c.is_control() || "=;#,[]()".contains(c);
            ensure!(
                !text.is_empty() && text.trim() == text && !text.contains(special),
                "{text:?} cannot be written in an INI file: rename it in capture.toml"
            );
        }
        writeln!(self.text, "{key}={value}").expect("a string");
        self.entries += 1;
        Ok(())
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn joined(sections: &[Section]) -> String {
    let texts: Vec<String> = sections.iter().map(Section::to_string).collect();
    texts.join("\n")
}
