// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why code does not fit into a flow table.

use std::fmt;

/// Why a module cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoesNotFit {
    /// So many sites are needed in all.
    Sites(usize),
    /// So many frames are needed in all.
    Frames(usize),
    /// A page of it is loaded already: compile both modules as one.
    PageTaken {
        /// The number of the page.
        number: u64,
    },
    /// Its sections overlap, or are not in the order of their addresses.
    Disorder {
        /// Where one begins.
        address: u64,
    },
}

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DoesNotFit::Sites(count) => write!(f, "the table has no room for {count} sites"),
            DoesNotFit::Frames(count) => write!(f, "the table has no room for {count} pages"),
            DoesNotFit::PageTaken { number } => {
                write!(
                    f,
                    "page {number:#x} is loaded: compile what is in it together"
                )
            }
            DoesNotFit::Disorder { address } => {
                write!(
                    f,
                    "the code at {address:#x} is not behind the code before it"
                )
            }
        }
    }
}

impl std::error::Error for DoesNotFit {}
