// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a capture: its description, the trace, what was in memory, the plan, and every access.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_capture::{Counters, Format, MemoryImage, SourceDescription};
use coretrace_coresight::map::ComponentKind;
use coretrace_decode::tpiu;
use coretrace_target::topology::Index;
use coretrace_target::wrappers::Access;
use coretrace_target::{Plan, Topology, json};

use crate::output::FileOutput;
use crate::target::lock::private;
use crate::target::machine::Machine;
use crate::target::session::PLAN;

/// The description.
const DESCRIPTION: &str = "capture.toml";

/// The trace.
const TRACE: &str = "trace.bin";

/// The records of a core.
const RECORDS: &str = "records.words";

/// A folder that was made. It is removed again unless it is kept.
pub struct Folder<'a> {
    path: &'a Path,
    is_kept: Cell<bool>,
}

/// How a capture of records ended.
pub enum End<'a> {
    /// It goes on.
    NotYet,
    /// It has ended; what was traced, if it was a command.
    Ended(Option<&'a str>),
}

/// The sink of a plan.
///
/// # Errors
/// If there are several.
pub fn sink(plan: &Plan) -> Result<Index> {
    let mut sinks = plan.route.hops.iter().filter(|hop| hop.outputs.is_empty());
    let first = sinks.next().context("the plan has no sink")?;
    ensure!(
        sinks.next().is_none(),
        "a capture has one --sink: start and stop take several"
    );
    Ok(first.component)
}

impl<'a> Folder<'a> {
    /// Makes it, for its owner alone.
    ///
    /// # Errors
    /// If there is something with its name, or it cannot be made.
    pub fn make(path: &'a Path) -> Result<Folder<'a>> {
        let made = private().create(path);
        made.with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder {
            path,
            is_kept: Cell::new(false),
        })
    }

    /// Keeps it: something was captured.
    pub fn keep(&self) {
        self.is_kept.set(true);
    }

    /// Writes the plan and all accesses.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn store_session(&self, plan: &Plan, log: &[Access]) -> Result<()> {
        self.write(PLAN, json(&plan.steps).as_bytes())?;
        let log: String = log.iter().map(|access| format!("{access}\n")).collect();
        self.write("access.log", log.as_bytes())
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store_trace(&self, bytes: &[u8]) -> Result<()> {
        self.write(TRACE, bytes)
    }

    /// A file for the records of a core, and their description: if this process is killed, it says that they
    /// have no end.
    ///
    /// # Errors
    /// If they cannot be made.
    pub fn records(&self, topology: &Topology) -> Result<FileOutput> {
        self.describe_records(topology, &[], &Counters::default(), End::NotYet)?;
        FileOutput::create(&self.path.join(RECORDS))
    }

    /// Writes what a core counted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store_counters(&self, counters: &str) -> Result<()> {
        self.write("counters.jsonl", counters.as_bytes())
    }

    /// Writes the description of records.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn describe_records(
        &self,
        topology: &Topology,
        sources: &[SourceDescription],
        counters: &Counters,
        end: End<'_>,
    ) -> Result<()> {
        let format = "records";
        let mut text = match end {
            End::NotYet => head(&topology.name, RECORDS, format, None) + "ended = false\n",
            End::Ended(about) => head(&topology.name, RECORDS, format, about),
        };
        for source in sources {
            text += &format!("\n{}", source.toml());
        }
        text += &format!("\n{}", counters.toml());
        self.describe(&text)
    }

    /// Writes what was in memory, and the description of it all.
    ///
    /// # Errors
    /// If they cannot be written, or the memory cannot be read.
    pub fn store_description(
        &self,
        topology: &Topology,
        sink: Index,
        sources: &[SourceDescription],
        simulated: Option<&Machine>,
        about: Option<&str>,
    ) -> Result<()> {
        let sink = &topology.components[sink];
        let framing = match sink.kind {
            ComponentKind::Tpiu => tpiu::Format::TpiuFsync,
            _ => tpiu::Format::Frames,
        };
        let format = Format::Framed(framing).to_string();
        let mut text = head(&topology.name, TRACE, &format, about);
        let origin = match simulated {
            Some(_) => format!("{} of a simulated chip", sink.name),
            None => sink.name.clone(),
        };
        text += &format!("origin = {}\n", quoted(&origin));
        for source in sources {
            text += &format!("\n{}", source.toml());
        }
        let recording = simulated.and_then(|machine| machine.recording.as_ref());
        let memory = recording.into_iter().flat_map(|of| &of.memory);
        for (number, image) in memory.enumerate() {
            let file = format!("memory{number}.bin");
            self.write(&file, &image.read()?)?;
            text += &format!("\n{}", memory_toml(&file, image));
        }
        self.describe(&text)
    }

    /// Writes the description, or leaves the one that is there.
    fn describe(&self, text: &str) -> Result<()> {
        let new = "capture.toml.new";
        self.write(new, text.as_bytes())?;
        let [new, path] = [new, DESCRIPTION].map(|name| self.path.join(name));
        fs::rename(new, &path).with_context(|| format!("cannot write {}", path.display()))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        if !self.is_kept.get() {
            // What cannot be removed is left.
            for name in [RECORDS, DESCRIPTION] {
                let _ = fs::remove_file(self.path.join(name));
            }
            let _ = fs::remove_dir(self.path);
        }
    }
}

/// The first lines of a description.
fn head(name: &str, file: &str, format: &str, about: Option<&str>) -> String {
    let name = quoted(name);
    let mut text = format!("name = {name}\nfile = \"{file}\"\nformat = \"{format}\"\n");
    text.extend(about.map(|about| format!("about = {}\n", quoted(about))));
    text
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The `[[memory]]` of an image whose bytes are in a file of their own.
fn memory_toml(file: &str, image: &MemoryImage) -> String {
    let mut text = format!(
        "[[memory]]\nfile = \"{file}\"\naddress = {:#x}\n",
        image.address
    );
    let space = image.space.as_deref();
    text.extend(space.map(|space| format!("space = {}\n", toml::Value::from(space))));
    text.extend(image.vmid.map(|vmid| format!("vmid = {vmid:#x}\n")));
    text.extend(image.cid.map(|cid| format!("cid = {cid:#x}\n")));
    text
}
