// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target` on the simulated chip, run as a user runs it.
//!
//! | module | what it holds |
//! |---|---|
//! | `chip` | a simulated chip in a folder of its own |
//! | `plans` | a start makes the accesses that its plan prints |
//! | `discoveries` | components by ROM tables |
//! | `device_trees` | the device tree of a chip as its topology |
//! | `endings` | exit codes, and what is said |
//! | `kills` | commands that are killed at every access |
//! | `owners` | one process at a time, commands that are traced, signals |
//! | `linux` | a Linux whose files are ordinary ones |
//! | `patterns` | test patterns of the trace port |
//! | `captures` | captures give the golden results |
//! | `stm` | the system trace of software |
//! | `service` | the commands of the unit of systemd |
//! | `first_board` | the script for the first steps on a board |

mod captures;
mod chip;
#[path = "../common/mod.rs"]
mod common;
mod device_trees;
mod discoveries;
mod endings;
#[cfg(unix)]
mod first_board;
mod kills;
#[cfg(unix)]
mod linux;
mod owners;
mod patterns;
mod plans;
mod service;
mod stm;
