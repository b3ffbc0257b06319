// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported Verilog of encoders and compressors, in Verilator, writes what the model writes.
//!
//! | module | what it holds |
//! |---|---|
//! | `branches` | random branches |
//! | `event_ports` | the ports that take them |
//! | `programs` | programs for compressors: what comes in, and when |
//! | `comparison` | the blocks of a program, those of the model and those that were sent |
//! | `compressor` | a compressor that runs programs |
//! | `compressors` | the compressors, word by word |
//! | `written` | what an encoder wrote, against the model |
//! | `history` | the X encoders, bit by bit |
//! | `elements` | the XE encoder, bit by bit |
//! | `stream_cache` | the rBASE encoder, bit by bit, for the traces of programs |

mod branches;
mod comparison;
mod compressor;
mod compressors;
mod elements;
mod event_ports;
mod history;
mod programs;
mod stream_cache;
mod written;

/// The seed of all random input of these tests.
const SEED: u64 = 0x0E7A_4C05;
