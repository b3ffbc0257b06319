// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files: one for all sources, or one for each in a folder of partitions.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{File, create_dir_all};
use std::path::{Path, PathBuf};
use std::process::exit;

use anyhow::{Context, Result, bail};
use coretrace_columns::{Elements, Packets, ParquetError};
use coretrace_etm::{Config, Record};
use coretrace_flow::Element;
use coretrace_software_trace as software_trace;

use crate::error;

/// A file of rows.
pub trait Rows: Sized {
    /// An empty one.
    ///
    /// # Errors
    /// If it cannot be written.
    fn create(file: File) -> std::result::Result<Self, ParquetError>;

    /// Writes its end.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self) -> std::result::Result<(), ParquetError>;
}

impl Rows for Elements<File> {
    fn create(file: File) -> std::result::Result<Self, ParquetError> {
        Elements::new(file)
    }

    fn finish(self) -> std::result::Result<(), ParquetError> {
        Elements::finish(self)
    }
}

impl Rows for Packets<File> {
    fn create(file: File) -> std::result::Result<Self, ParquetError> {
        Packets::new(file)
    }

    fn finish(self) -> std::result::Result<(), ParquetError> {
        Packets::finish(self)
    }
}

/// Files of elements.
pub type ElementFiles = Files<Elements<File>>;

/// Files of packets.
pub type PacketFiles = Files<Packets<File>>;

/// The Parquet files of a command. A failed write ends the program, as with standard output.
pub struct Files<R> {
    place: PathBuf,
    /// Which shard it is.
    part: u32,
    /// None for one file of all sources, which is then that of ID 0.
    is_partitioned: bool,
    files: BTreeMap<u8, R>,
}

impl<R: Rows> Files<R> {
    /// One file if the name ends with `.parquet`, else a folder with `id=10/part-0.parquet` for the
    /// source with trace ID 10 (hexadecimal) and this part.
    ///
    /// # Errors
    /// If the place is missing or cannot be written.
    pub fn new(place: Option<&Path>, part: u32) -> Result<Files<R>> {
        let Some(place) = place else {
            bail!("--format parquet needs a place: --out FILE.parquet, or --out FOLDER");
        };
        let is_file = place.extension().is_some_and(|name| name == "parquet");
        let mut files = Files {
            place: place.to_owned(),
            part,
            is_partitioned: !is_file,
            files: BTreeMap::new(),
        };
        if is_file {
            files.open(0)?;
        } else {
            let refused = || format!("cannot write {}", place.display());
            create_dir_all(place).with_context(refused)?;
        }
        Ok(files)
    }

    fn open(&mut self, id: u8) -> Result<()> {
        let mut path = self.place.clone();
        if self.is_partitioned {
            path.push(format!("id={id:02x}"));
            create_dir_all(&path).with_context(|| format!("cannot write {}", path.display()))?;
            path.push(format!("part-{}.parquet", self.part));
        }
        let refused = || format!("cannot write {}", path.display());
        let file = File::create(&path).with_context(refused)?;
        self.files.insert(id, R::create(file)?);
        Ok(())
    }

    /// A source begins: it has a file from here on, with or without rows.
    pub fn begin(&mut self, id: u8) {
        if self.is_partitioned && !self.files.contains_key(&id) {
            let opened = self.open(id);
            self.checked(opened);
        }
    }

    fn rows(&mut self, id: u8, put: impl FnOnce(&mut R) -> std::result::Result<(), ParquetError>) {
        self.begin(id);
        let key = if self.is_partitioned { id } else { 0 };
        if let Some(file) = self.files.get_mut(&key) {
            let written = put(file);
            self.checked(written);
        }
    }

    /// Writes the ends of all files.
    pub fn finish(mut self) {
        for file in std::mem::take(&mut self.files).into_values() {
            self.checked(file.finish());
        }
    }

    fn checked<E: Display>(&self, written: std::result::Result<(), E>) {
        if let Err(cause) = written {
            error::say(&format!(
                "error: cannot write {}: {cause:#}: is the disk full?",
                self.place.display()
            ));
            exit(error::EXIT_CODE.into());
        }
    }
}

impl ElementFiles {
    /// Adds elements of a source.
    pub fn elements(&mut self, id: u8, elements: &[(u64, Element)]) {
        if elements.is_empty() {
            return;
        }
        self.rows(id, |file| {
            for (offset, element) in elements {
                file.element(*offset, id, element)?;
            }
            Ok(())
        });
    }

    /// Adds an element of software trace.
    pub fn software(&mut self, offset: u64, id: u8, element: &software_trace::Element<'_>) {
        self.rows(id, |file| file.software(offset, id, element));
    }
}

impl PacketFiles {
    /// Adds a packet of a source.
    pub fn packet(&mut self, id: u8, record: &Record, config: &Config) {
        self.rows(id, |file| file.packet(id, record, config));
    }

    /// Adds a packet of software trace.
    pub fn software(&mut self, id: u8, record: &software_trace::Record) {
        self.rows(id, |file| file.software(id, record));
    }
}
