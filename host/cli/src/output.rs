// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results to standard output.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Result, StdoutLock, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::exit;

use anyhow::Context;
use coretrace_listing::Lines;

use crate::capture_args::STANDARD;
use crate::error;

/// Bytes of text to buffer before they are written.
const BUFFER_BYTES: usize = 1 << 17;

/// Standard output with a buffer for text. Call [`Output::finish`] at the end.
///
/// A failed write ends the program: quietly if the reader of the results closed the pipe, and with
/// an error otherwise. So decoders need no way to stop early.
pub struct Output {
    stdout: StdoutLock<'static>,
    /// Buffered text; append to it and call [`Output::flush_full`] now and then.
    pub text: String,
}

impl Default for Output {
    fn default() -> Output {
        Output::new()
    }
}

impl Output {
    /// Opens standard output.
    pub fn new() -> Output {
        Output {
            stdout: stdout().lock(),
            text: String::with_capacity(BUFFER_BYTES + 1024),
        }
    }

    /// Takes more text, and writes it if there is enough of it.
    pub fn text_of(&mut self, text: &str) {
        if text.len() < BUFFER_BYTES {
            self.text.push_str(text);
            self.flush_full();
        } else {
            self.flush_text();
            self.bytes(text.as_bytes());
        }
    }

    /// Writes the text if there is enough of it.
    pub fn flush_full(&mut self) {
        if self.text.len() >= BUFFER_BYTES {
            self.flush_text();
        }
    }

    /// Writes all text so far, so that a message behind it comes later.
    pub fn flush(&mut self) {
        self.flush_text();
        checked(self.stdout.flush());
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        checked(self.stdout.write_all(bytes));
    }

    /// Writes lines and throws them away, if there are enough of them.
    #[inline]
    pub fn drain_full(&mut self, lines: &mut Lines) {
        if lines.as_bytes().len() >= BUFFER_BYTES {
            self.drain(lines);
        }
    }

    /// Writes lines and throws them away.
    pub fn drain(&mut self, lines: &mut Lines) {
        self.bytes(lines.as_bytes());
        lines.clear();
    }

    /// Writes the rest.
    pub fn finish(mut self) {
        self.flush_text();
        checked(self.stdout.flush());
    }

    fn flush_text(&mut self) {
        checked(self.stdout.write_all(self.text.as_bytes()));
        self.text.clear();
    }
}

/// A file for results that come in pieces. A failed write is kept, and what comes behind it is dropped: so
/// those who give pieces need no way to stop early.
pub struct FileOutput {
    path: PathBuf,
    out: BufWriter<Box<dyn Write>>,
    /// The first failure.
    written: Result<()>,
}

impl FileOutput {
    /// Creates the file; `-` is standard output.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> anyhow::Result<FileOutput> {
        Ok(FileOutput {
            path: path.to_owned(),
            out: BufWriter::new(create(path)?),
            written: Ok(()),
        })
    }

    /// Takes the next bytes.
    pub fn put(&mut self, bytes: &[u8]) {
        if self.written.is_ok() {
            self.written = self.out.write_all(bytes);
        }
    }

    /// Writes all bytes so far, so that they are in the file if this process is killed.
    pub fn flush(&mut self) {
        if self.written.is_ok() {
            self.written = self.out.flush();
        }
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// If something could not be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.flush();
        self.written
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Creates a file for results; `-` is standard output.
///
/// # Errors
/// If it cannot be created.
pub fn create(path: &Path) -> anyhow::Result<Box<dyn Write>> {
    if path == Path::new(STANDARD) {
        return Ok(Box::new(stdout().lock()));
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Box::new(file))
}

fn checked(written: Result<()>) {
    let Err(cause) = written else {
        return;
    };
    if cause.kind() == ErrorKind::BrokenPipe {
        exit(0);
    }
    error::say(&format!(
        "error: cannot write the results: {cause}: is the disk full?"
    ));
    exit(error::EXIT_CODE.into());
}
