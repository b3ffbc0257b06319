// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet processor for one source.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use anyhow::Result;
use coretrace_etm::SourceConfig;

use crate::config::Etm4Config;
use crate::tree::DecodeTree;
use crate::{OpenCsd, Packet};

pub(crate) const CREATE_PACKET_PROC: c_int = 1;
pub(crate) const CB_PKT_MON: u32 = 1;
pub(crate) const OP_DATA: u32 = 0;

/// Who gets the packets.
pub trait Monitor {
    /// A packet, or a stretch that is not synchronised: the offset of its first byte, and its
    /// bytes.
    fn packet(&mut self, offset: u32, bytes: &[u8], packet: &Packet);
}

/// A packet processor for one source.
pub struct PacketProcessor<M: Monitor> {
    tree: DecodeTree<M>,
}

impl<M: Monitor> PacketProcessor<M> {
    /// A packet processor for a trace unit.
    ///
    /// # Errors
    /// If the library refuses the registers.
    pub fn new(library: OpenCsd, source: &SourceConfig, monitor: M) -> Result<PacketProcessor<M>> {
        let attach = |tree, id, monitor: *mut M| {
            let callback = seen::<M> as *const c_void;
            // SAFETY: the tree is alive, `seen` has the type of a packet monitor, and `monitor` lives
            // as long as the tree.
            unsafe { (library.attach)(tree, id, CB_PKT_MON, callback, monitor.cast()) }
        };
        let tree = DecodeTree::new(
            library,
            &Etm4Config::new(source),
            CREATE_PACKET_PROC,
            monitor,
            attach,
        )?;
        Ok(PacketProcessor { tree })
    }

    /// Who gets the packets.
    pub fn monitor(&mut self) -> &mut M {
        self.tree.listener()
    }

    /// Processes a whole stream.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<()> {
        self.tree.run(stream)
    }
}

/// The library calls this for every packet.
extern "C" fn seen<M: Monitor>(
    monitor: *mut M,
    op: u32,
    offset: u32,
    packet: *const Packet,
    len: u32,
    bytes: *const u8,
) {
    if op == OP_DATA {
        // SAFETY: `monitor` is that of the processor, which nothing else uses meanwhile. With
        // data come a packet and its bytes.
        unsafe {
            let bytes = std::slice::from_raw_parts(bytes, len as usize);
            (*monitor).packet(offset, bytes, &*packet);
        }
    }
}
