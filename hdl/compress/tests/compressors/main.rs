// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compressors in the rust-hdl simulation write what the model writes.
//!
//! | module | what it holds |
//! |---|---|
//! | `bench` | a compressor in simulation |
//! | `block_sender` | words to blocks, behind a reset in any cycle |
//! | `blocks` | blocks without losses, byte by byte |
//! | `compressor` | the compressors under test |
//! | `events` | random events |
//! | `element_bench` | the XE encoder that takes elements and bytes |
//! | `element_blocks` | blocks of XE, byte by byte |
//! | `elements` | the XE encoder, bit by bit |
//! | `history_bench` | an X encoder that takes events |
//! | `history_events` | events that meet in the tables of an X encoder |
//! | `history` | the X encoders, bit by bit |
//! | `ingress` | the blocks of a RISC-V hart to events |
//! | `losses` | what is lost is counted, and the rest is replayed |
//! | `program` | a random program |
//! | `raptor` | the T-raptor encoders, bit by bit |
//! | `stream_cache` | rBASE, bit by bit |

mod bench;
mod block_sender;
mod blocks;
mod compressor;
mod element_bench;
mod element_blocks;
mod elements;
mod events;
mod history;
mod history_bench;
mod history_events;
mod ingress;
mod losses;
mod program;
mod raptor;
mod stream_cache;
