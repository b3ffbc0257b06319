// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulated chip. It lives in a file with all that ever happened to it, so that it goes on where the
//! command before left it, and a command that is killed leaves it as a real one would.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use coretrace_target::topology::Index;
use coretrace_target::{Bus, BusError, Topology};
use coretrace_target_sim::{Event, Findings, SimulatedChip};
use fs4::FileExt;

use crate::error::say;
use crate::target::chip::Chip;
use crate::target::lock::private;
use crate::target::recording::Recording;

/// What happened to the chip, a line for each event. The first line is the name of the chip.
const EVENTS: &str = "sim.log";

/// Ticks of a simulated second.
const SECOND: f64 = 1e5;

/// Bytes of the file, at most.
const LIMIT: u64 = 1 << 26;

/// The condition that cores do what a trace has.
const TRACE: &str = "trace=";

/// The condition that the command ends at an access.
const KILLED: &str = "killed@";

/// The exit code of a command that is killed.
const KILLED_CODE: i32 = 137;

/// A simulated chip.
pub struct Machine {
    sim: Box<dyn SimulatedChip>,
    file: File,
    /// What the cores do, if not numbers.
    pub recording: Option<Recording>,
    /// Accesses until the command ends as if it was killed.
    left: Option<usize>,
}

impl Machine {
    /// Lets the past of the chip happen again to one after reset, and imposes conditions.
    ///
    /// # Errors
    /// If the past is that of another chip or damaged, or a condition is not known.
    pub fn open(
        folder: &Path,
        chip: &Chip,
        sim: Box<dyn SimulatedChip>,
        conditions: &[String],
    ) -> Result<Machine> {
        let made = private().recursive(true).create(folder);
        made.with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(EVENTS);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        ensure!(
            is_ours(&file),
            "another process uses the simulated chip in {}",
            folder.display()
        );
        let past = past(&path)?;
        // A line that a kill has cut did not happen.
        let whole = past.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64)?;
        let mut machine = Machine {
            sim,
            file,
            recording: None,
            left: None,
        };
        let name = &chip.topology.name;
        let mut lines = past[..whole].lines();
        match lines.next() {
            None => writeln!(machine.file, "{name}")?,
            Some(of) => ensure!(
                of == name,
                "the simulated chip in {} is a {of}: use another --session, or delete it",
                folder.display()
            ),
        }
        for (number, line) in (2..).zip(lines) {
            let event: Result<Event, _> = line.parse();
            let happened = match event {
                Ok(event) => machine.happen(&chip.topology, &event),
                Err(_) => bail!(
                    "{}: line {number} is damaged: delete the file",
                    path.display()
                ),
            };
            happened.with_context(|| format!("{}: line {number}", path.display()))?;
        }
        // What the commands before have read does not count for this one, and what they broke was said.
        let world = machine.sim.world_mut();
        world.forget();
        world.findings = Findings::default();
        for condition in conditions {
            match condition.strip_prefix(KILLED) {
                Some(count) => {
                    let count = count.parse();
                    machine.left = Some(count.context("killed@ is followed by a number")?);
                }
                None => {
                    let event = Event::Condition(condition.clone());
                    machine.happen(&chip.topology, &event)?;
                    machine.keep(&event)?;
                }
            }
        }
        Ok(machine)
    }

    fn happen(&mut self, topology: &Topology, event: &Event) -> Result<()> {
        if let Event::Condition(condition) = event
            && let Some(path) = condition.strip_prefix(TRACE)
        {
            let recording = Recording::open(Path::new(path))?;
            self.sim.world_mut().play(&recording.bytes);
            self.recording = Some(recording);
            return Ok(());
        }
        let happened = event.happen(topology, &mut *self.sim);
        happened.map_err(anyhow::Error::msg)
    }

    fn keep(&mut self, event: &Event) -> std::io::Result<()> {
        self.file.write_all(format!("{event}\n").as_bytes())
    }

    /// Lets time pass.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn pass(&mut self, time: Duration) -> Result<()> {
        let ticks = (time.as_secs_f64() * SECOND) as usize;
        self.keep(&Event::Time(ticks))?;
        self.sim.pass(ticks);
        Ok(())
    }

    /// What a sink has received: frames of a memory, or the bytes at the pins of a port.
    pub fn received(&self, sink: Index) -> &[u8] {
        self.sim.world().received(sink)
    }

    /// Warns of what the simulator found in this command: where trace was lost and why, and accesses that break a rule.
    pub fn warn(&self) {
        let findings = &self.sim.world().findings;
        for (lost, bytes) in &findings.lost {
            say(&format!(
                "warning: {bytes} bytes of trace are lost: it {lost}"
            ));
        }
        for violation in &findings.violations {
            say(&format!("warning: {violation}"));
        }
    }

    fn access(&mut self, event: Event) -> Result<(), BusError> {
        if let Some(left) = &mut self.left {
            if *left == 0 {
                exit(KILLED_CODE);
            }
            *left -= 1;
        }
        let kept = self.keep(&event);
        kept.map_err(|error| BusError::Refused(format!("the chip cannot be kept: {error}")))
    }
}

impl Bus for Machine {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        // A read of memory changes nothing.
        if !self.sim.world().is_memory(address) {
            self.access(Event::Read(address))?;
        }
        self.sim.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.access(Event::Write(address, value))?;
        self.sim.write32(address, value)
    }
}

/// Locks a file. A process that ends may have it a moment longer.
fn is_ours(file: &File) -> bool {
    (0..20).any(|_| {
        let is_locked = FileExt::try_lock(file).is_ok();
        if !is_locked {
            sleep(Duration::from_millis(10));
        }
        is_locked
    })
}

/// The text of a file with events.
fn past(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let bytes = fs::metadata(path).with_context(cannot)?.len();
    ensure!(
        bytes <= LIMIT,
        "{} has more than {LIMIT} bytes: delete it",
        path.display()
    );
    fs::read_to_string(path).with_context(cannot)
}
