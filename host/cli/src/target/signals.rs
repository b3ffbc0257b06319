// SPDX-License-Identifier: MIT OR Apache-2.0
//! SIGINT, SIGTERM and SIGHUP: a session ends in order, and is not cut.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// Whether a signal has come.
static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on signals are noted, and end nothing by themselves. A command calls it once.
///
/// # Errors
/// If the system does not let a program do that.
pub fn note() -> Result<()> {
    let noted = ctrlc::set_handler(|| ASKED.store(true, Ordering::Relaxed));
    noted.context("cannot wait for signals")
}

/// Whether somebody asked for the end by a signal.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
