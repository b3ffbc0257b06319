// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a session, from which another process undoes it.
//!
//! The journal is made first and removed last, so that there is a session exactly while there is a journal.
//! One process at a time has it, by a lock.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_target::{Journal, Plan, json};

use crate::target::bus::Name;
use crate::target::chip::Chip;
use crate::target::lock::Lock;

/// What was done: [`Journal`].
const JOURNAL: &str = "journal.jsonl";

/// The description of the chip.
const TOPOLOGY: &str = "topology.toml";

/// The bus that the start was made by.
const BUS: &str = "bus";

/// The steps of the start.
pub const PLAN: &str = "plan.jsonl";

/// Bytes of a journal, at most.
const LIMIT: u64 = 1 << 24;

/// The folder of a session, which this process has for itself.
pub struct Session<'a>(&'a Path, #[expect(dead_code, reason = "it is held")] Lock);

/// What there is before a start.
pub enum Begun {
    /// A new session, with its journal.
    New(Journal),
    /// The same session, which runs already.
    Runs,
    /// Another session, or one that was killed.
    Other,
}

/// A session that was begun.
pub struct Past {
    /// The chip.
    pub chip: Chip,
    /// The bus to it, as [`Name`] writes it.
    pub bus: String,
    /// What was done.
    pub journal: Journal,
}

impl Past {
    /// Whether it is a session of a chip on a bus.
    pub fn is_on(&self, chip: &Chip, bus: &Name) -> bool {
        self.chip.topology == chip.topology && self.bus == bus.to_string()
    }
}

impl<'a> Session<'a> {
    /// Takes the session of a folder, if there is one; `None` while another process has it.
    ///
    /// # Errors
    /// If the folder cannot be locked.
    pub fn take(folder: &'a Path) -> Result<Option<Session<'a>>> {
        Ok(Lock::take(folder)?.map(|lock| Session(folder, lock)))
    }

    /// Waits for the session of a folder.
    ///
    /// # Errors
    /// If the folder cannot be locked.
    pub fn wait(folder: &'a Path) -> Result<Session<'a>> {
        Ok(Session(folder, Lock::wait(folder)?))
    }

    /// Begins a session on a bus.
    ///
    /// # Errors
    /// If its files cannot be made, and then there is no session, or if those that are there cannot be read.
    pub fn begin(&self, chip: &Chip, plan: &Plan, bus: &Name) -> Result<Begun> {
        let path = self.0.join(JOURNAL);
        let cannot = || format!("cannot write {}", path.display());
        let file = match OpenOptions::new().append(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return self.found(plan, bus);
            }
            file => file.with_context(cannot)?,
        };
        let written = self
            .write(TOPOLOGY, &chip.text)
            .and_then(|()| self.write(BUS, &bus.to_string()))
            .and_then(|()| self.write(PLAN, &json(&plan.steps)));
        self.or_end(written)?;
        let mut journal = Journal::default();
        journal.keep_in(file);
        if bus.is_deadly() {
            journal.note_touches();
        }
        Ok(Begun::New(journal))
    }

    /// The session of a folder, if it did anything; another process may go on with it.
    ///
    /// # Errors
    /// If its files cannot be read, or are damaged.
    pub fn look(folder: &Path) -> Result<Option<Past>> {
        Ok(past(folder)?.map(|(past, _)| past))
    }

    fn found(&self, plan: &Plan, bus: &Name) -> Result<Begun> {
        let runs = past(self.0)?
            .is_some_and(|(past, _)| past.journal.is_kept() && past.bus == bus.to_string());
        let is_same = read(&self.0.join(PLAN)).is_ok_and(|text| text == json(&plan.steps));
        Ok(if runs && is_same {
            Begun::Runs
        } else {
            Begun::Other
        })
    }

    /// The session that was begun, if any. Its journal goes on in the file.
    ///
    /// # Errors
    /// If its files cannot be read, or are damaged.
    pub fn resume(&self) -> Result<Option<Past>> {
        let Some((mut past, whole)) = past(self.0)? else {
            // Without a line it did nothing.
            self.end()?;
            return Ok(None);
        };
        let path = self.0.join(JOURNAL);
        let cannot = || format!("cannot write {}", path.display());
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.with_context(cannot)?;
        file.set_len(whole as u64).with_context(cannot)?;
        past.journal.keep_in(file);
        if self.bus()?.is_deadly() {
            past.journal.note_touches();
        }
        Ok(Some(past))
    }

    /// The bus that it was begun on.
    ///
    /// # Errors
    /// If its file cannot be read, or is damaged.
    pub fn bus(&self) -> Result<Name> {
        let name = read(&self.0.join(BUS))?;
        name.parse().map_err(anyhow::Error::msg)
    }

    /// Whether there is a session.
    pub fn is_begun(&self) -> bool {
        self.0.join(JOURNAL).exists()
    }

    /// What was prepared before the first access. If that failed, there is nothing to undo, and the session ends.
    ///
    /// # Errors
    /// The failure.
    pub fn or_end<T>(&self, prepared: Result<T>) -> Result<T> {
        if prepared.is_err() {
            self.end()?;
        }
        prepared
    }

    /// Removes the files: nothing of the session is left to undo.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn end(&self) -> Result<()> {
        for name in [TOPOLOGY, BUS, PLAN, JOURNAL] {
            match fs::remove_file(self.0.join(name)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => {
                    removed.with_context(|| format!("cannot remove {}", self.0.display()))?
                }
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.0.join(name);
        let written = File::create(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))
    }
}

/// The session that was begun, if it did anything, and the bytes of whole lines in its journal.
fn past(folder: &Path) -> Result<Option<(Past, usize)>> {
    let path = folder.join(JOURNAL);
    if !path.exists() {
        return Ok(None);
    }
    let text = read(&path)?;
    let Some(end) = text.rfind('\n') else {
        return Ok(None);
    };
    let chip = Chip::of_session(&folder.join(TOPOLOGY))?;
    let bus = read(&folder.join(BUS))?;
    let journal = Journal::read(&chip.topology, &text);
    let journal = journal.with_context(|| format!("{} is damaged", path.display()))?;
    Ok(Some((Past { chip, bus, journal }, end + 1)))
}

fn read(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let mut text = String::new();
    let file = File::open(path).with_context(cannot)?;
    let bytes = file.take(LIMIT + 1).read_to_string(&mut text);
    let bytes = bytes.with_context(cannot)? as u64;
    ensure!(
        bytes <= LIMIT,
        "{} has more than {LIMIT} bytes",
        path.display()
    );
    Ok(text)
}
