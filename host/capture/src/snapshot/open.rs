// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opening a snapshot: its files, and which source feeds which buffer.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::contents::{Framing, Snapshot, SnapshotBuffer};
use super::device::Device;
use super::ini::{Ini, IniReader};
use super::metadata::{Buffer, Metadata, SourceBuffer};
use crate::SourceDescription;

/// Name of the file that lists the others.
const INDEX: &str = "snapshot.ini";

/// The most devices of a snapshot.
const MOST_DEVICES: usize = 4096;

impl Snapshot {
    /// Reads a snapshot: the path of its folder, or of its `snapshot.ini`.
    ///
    /// # Errors
    /// If a file cannot be read, is too long, is not well-formed or names a file outside the
    /// folder, or if there is no trace. The error names the file and mostly the line.
    pub fn open(path: &Path) -> Result<Snapshot> {
        let (folder, index) = match path.file_name() {
            Some(file) if !path.is_dir() => (
                path.parent().unwrap_or(Path::new("")),
                file.to_string_lossy().into_owned(),
            ),
            _ => (path, INDEX.to_owned()),
        };
        let mut reader = IniReader::new(folder);
        let index = reader.read(&index)?;
        check_version(&index)?;
        let devices = devices(&index, &mut reader, folder)?;
        let trace = index
            .required("trace", "metadata")
            .context("the snapshot has no trace")?;
        let metadata = Metadata::new(&reader.read(&trace.value)?, folder)?;
        let mut snapshot = Snapshot {
            name: folder_name(folder),
            buffers: Vec::new(),
            dumps: Vec::new(),
            skipped: skipped(&devices, &metadata),
        };
        for buffer in &metadata.buffers {
            let buffer = connect(buffer, &devices, &metadata, &mut snapshot.skipped);
            snapshot.buffers.push(buffer);
        }
        let dumps = devices.into_iter().flat_map(|device| device.dumps);
        snapshot.dumps.extend(dumps);
        Ok(snapshot)
    }
}

/// The version says how to read the rest.
fn check_version(index: &Ini) -> Result<()> {
    match index.entry("snapshot", "version") {
        Some(entry) if !entry.value.starts_with("1.") => {
            let version = &entry.value;
            Err(index.at(
                entry,
                &format!("version {version:?} is not known: write 1.0"),
            ))
        }
        _ => Ok(()),
    }
}

/// The files of the list, read.
fn devices(index: &Ini, reader: &mut IniReader, folder: &Path) -> Result<Vec<Device>> {
    let mut devices = Vec::new();
    for entry in index.entries("device_list") {
        if devices.len() == MOST_DEVICES {
            return Err(index.at(entry, &format!("list at most {MOST_DEVICES} devices")));
        }
        let file = reader
            .read(&entry.value)
            .map_err(|error| index.at(entry, &format!("{error:#}")))?;
        devices.push(Device::new(&file, &entry.key, folder)?);
    }
    Ok(devices)
}

/// Devices that neither are cores or memory nor feed a buffer, and sources that are no device.
fn skipped(devices: &[Device], metadata: &Metadata) -> Vec<String> {
    let is_used = |device: &Device| {
        let mut buffers = metadata.buffers.iter();
        device.is_core()
            || device.is_memory()
            || device.is_source() && buffers.any(|buffer| metadata.feeds(device, buffer))
    };
    let unused = devices.iter().filter(|device| !is_used(device));
    let unused = unused.map(|device| {
        let reason = if device.is_source() {
            ": it feeds no buffer"
        } else {
            ""
        };
        format!("{} ({}){reason}", device.name, device.kind)
    });
    let is_source = |name: &str| devices.iter().any(|d| d.is_source() && same(&d.name, name));
    let pairs = metadata.source_buffers.iter().flatten();
    let others = pairs.filter_map(|pair| {
        let SourceBuffer { source, stream, .. } = pair;
        if !is_source(source) {
            Some(format!(
                "{source}: it is no trace source of the list of devices"
            ))
        } else if *stream > 0 {
            Some(format!("{source} (stream {stream}): it is data trace"))
        } else {
            None
        }
    });
    unused.chain(others).collect()
}

/// The buffer with its sources. A source without a trace ID in frames is skipped.
fn connect(
    buffer: &Buffer,
    devices: &[Device],
    metadata: &Metadata,
    skipped: &mut Vec<String>,
) -> SnapshotBuffer {
    let mut sources = Vec::new();
    for device in devices.iter().filter(|device| device.is_source()) {
        if !metadata.feeds(device, buffer) {
            continue;
        }
        let trace_id = match buffer.framing {
            Framing::SourceData => None,
            _ => device.trace_id(),
        };
        if trace_id.is_none() && buffer.framing != Framing::SourceData {
            let Device { name, kind, .. } = device;
            skipped.push(format!("{name} ({kind}): its registers give no trace ID"));
            continue;
        }
        sources.push(SourceDescription {
            name: device.name.clone(),
            protocol: device.protocol(),
            trace_id,
            core: core_of(device, devices, metadata),
            registers: device.registers.clone(),
        });
    }
    SnapshotBuffer {
        name: buffer.name.clone(),
        files: buffer.files.clone(),
        framing: buffer.framing,
        sources,
    }
}

/// The type of the core that a source traces.
fn core_of(source: &Device, devices: &[Device], metadata: &Metadata) -> Option<String> {
    let mut pairs = metadata.core_sources.iter();
    let is_of_source = |of: &str| match of.strip_prefix('@') {
        Some(location) => source.location.as_deref() == Some(location),
        None => same(of, &source.name),
    };
    let (core, _) = pairs.find(|(_, of)| is_of_source(of))?;
    let mut cores = devices.iter().filter(|device| device.is_core());
    let core = cores.find(|device| same(&device.name, core))?;
    let known = !core.kind.is_empty() && !same(&core.kind, "unknown");
    known.then(|| core.kind.clone())
}

impl Metadata {
    /// Whether a source feeds a buffer with instructions.
    fn feeds(&self, source: &Device, buffer: &Buffer) -> bool {
        let Some(pairs) = &self.source_buffers else {
            return true;
        };
        pairs.iter().any(|pair| {
            pair.stream == 0 && same(&pair.source, &source.name) && same(&pair.buffer, &buffer.name)
        })
    }
}

fn same(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

/// The name of a folder, also of `.`.
fn folder_name(folder: &Path) -> String {
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let folder = fs::canonicalize(here).unwrap_or_else(|_| here.to_owned());
    let name = folder.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
