// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD, if it is on this machine: its packet processors of ETMv4 and STM and its full decoder through the C API,
//! and its packet lister with the list as rows.
//!
//! The library is opened at run time, so that nothing is needed to build this. The
//! declarations are those of version 1.3: `opencsd/c_api/opencsd_c_api.h` and the headers that it
//! includes.

mod config;
mod full;
mod library;
mod lister;
pub mod listing;
mod packet;
mod processor;
mod stm;
mod stm_row;
mod trace_element;
mod tree;

pub use full::{Elements, FullDecoder};
pub use library::{OpenCsd, skip_or_fail};
pub use lister::Lister;
pub use packet::{Address, Atoms, CondInstr, CondResult, Context, Packet, Q, Timestamp};
pub use processor::{Monitor, PacketProcessor};
pub use stm::{StmMonitor, StmPacket, StmProcessor};
pub use stm_row::StmRow;
pub use trace_element::{PeContext, TraceElement};
