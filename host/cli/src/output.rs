// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results to standard output.

use std::io::{ErrorKind, Result, StdoutLock, Write, stdout};
use std::process::exit;

use crate::error;

/// Text that is gathered before it is written.
const BUFFER_BYTES: usize = 1 << 16;

/// Standard output with a buffer for text. Call [`Output::finish`] at the end.
///
/// The program ends where nothing more can be written: quietly if whoever reads the results has
/// seen enough, and as a failure otherwise. So a decoder need not be told to stop.
pub struct Output {
    stdout: StdoutLock<'static>,
    /// Text that is due; append to it and call [`Output::flush_full`] now and then.
    pub text: String,
}

impl Output {
    /// Takes standard output.
    pub fn new() -> Output {
        Output {
            stdout: stdout().lock(),
            text: String::with_capacity(BUFFER_BYTES + 1024),
        }
    }

    /// Writes the text if there is enough of it.
    pub fn flush_full(&mut self) {
        if self.text.len() >= BUFFER_BYTES {
            self.flush_text();
        }
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        checked(self.stdout.write_all(bytes));
    }

    /// Writes what is left.
    pub fn finish(mut self) {
        self.flush_text();
        checked(self.stdout.flush());
    }

    fn flush_text(&mut self) {
        checked(self.stdout.write_all(self.text.as_bytes()));
        self.text.clear();
    }
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
