// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod balance;
pub mod branch_place;
pub mod branch_table;
pub mod branch_walk;
pub mod commit;
pub mod compile;
pub mod counts;
pub mod event;
pub mod executed;
pub mod file;
pub mod fit;
pub mod flow_reader;
pub mod flow_writer;
pub mod hop_ring;
pub mod item;
pub mod merge;
pub mod module;
pub mod paths;
pub mod section;
pub mod shadow;
pub mod spaces;
pub mod table;
pub mod unit;
pub mod walk;
pub mod window;

pub use balance::{Balance, Imbalance};
pub use branch_place::{BranchPlace, BranchStep, PlaceStep};
pub use branch_table::BranchTable;
pub use branch_walk::BranchUnit;
pub use commit::CommitQueue;
pub use compile::{Compiler, Report};
pub use counts::SiteCounts;
pub use event::Event;
pub use executed::{Began, Executed};
pub use fit::DoesNotFit;
pub use flow_reader::{FlowDamage, FlowReader, ReadAtoms, ReadOuts};
pub use flow_writer::FlowWriter;
pub use hop_ring::HopRing;
pub use item::{FlowItem, Items};
pub use merge::{Merge, Token};
pub use module::{Module, SpaceMask};
pub use paths::{Path, PathCache, PathUnit, Replacement};
pub use section::{Section, Sites};
pub use shadow::Used;
pub use spaces::{AddressSpaces, TooManySpaces};
pub use table::FlowTable;
pub use unit::FlowUnit;
pub use walk::{PathEnd, Walk, WalkSettings};
pub use window::CountWindow;
