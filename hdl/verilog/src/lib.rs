// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one path from a block to Verilog-2001 text.
//!
//! rust-hdl hands out each kernel as a syntax tree without types, and its own printer turns that
//! tree into text whose widths and precedences differ from Rust's. This module prints the tree
//! itself, with the width of every sub-expression known and spelled out, which leaves Verilog
//! nothing to extend, truncate or parse differently. What cannot be printed that way is refused
//! with a [`Finding`] that names the module and the signal.
//!
//! | file | concept |
//! |---|---|
//! | `design` | the block hierarchy as plain data |
//! | `names` | legal identifiers, keywords |
//! | `scope` | the meaning of each name in a kernel |
//! | `place`, `context` | bits of a signal; what is known while a kernel is translated |
//! | `expr` | expressions with exact widths |
//! | `index` | array indices and other constant arithmetic |
//! | `kernel` | statements, definite assignment, latches |
//! | `split` | one kernel into independent `assign`s and `always` blocks |
//! | `stock` | the text of rust-hdl's own memories and flip-flops |
//! | `print` | modules, instances, deduplication |
//! | `source` | mistakes that only the kernel's source shows |

mod context;
mod design;
mod expr;
mod index;
mod kernel;
mod names;
mod place;
mod ports;
mod print;
mod scope;
mod source;
mod split;
mod stock;
mod waivers;

use std::fmt;
use std::ops::Deref;

use rust_hdl::prelude::Block;

pub use ports::{Direction, Port, ports};
pub use source::lint_source;
pub use waivers::{waiver_file, waivers};

/// One reason why a block has no faithful Verilog.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Dotted path of the module, or `file:line` of a source finding.
    pub place: String,
    /// The signal, name or construct at fault.
    pub subject: String,
    /// What is wrong, and what to write instead where that is not obvious.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` {}", self.place, self.subject, self.message)
    }
}

/// All findings of one export, in the order of the hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding unless it is there already: an unrolled loop repeats itself.
    fn add(&mut self, place: &str, subject: impl Into<String>, message: impl Into<String>) {
        let finding = Finding {
            place: place.into(),
            subject: subject.into(),
            message: message.into(),
        };
        if !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }
}

impl Deref for Findings {
    type Target = [Finding];
    fn deref(&self) -> &[Finding] {
        &self.0
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.0.iter().enumerate() {
            write!(f, "{}{finding}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

/// Verilog-2001 text of a block and everything below it.
///
/// `uut` is a fresh instance: memories and initial values are exported as they are, so a block that
/// has been simulated is refused. The top module is called `top`; every other module is called
/// `<top>__<path>`, and modules with the same text are printed once. Equal blocks give equal bytes.
///
/// # Errors
/// The findings, if any part of the block would behave differently in Verilog.
pub fn verilog<B: Block>(uut: B, top: &str) -> Result<String, Findings> {
    let mut findings = Findings::default();
    let design = design::read(&uut, top, &mut findings);
    let text = print::design(&design, top, &mut findings);
    if findings.is_empty() {
        Ok(text)
    } else {
        Err(findings)
    }
}

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
