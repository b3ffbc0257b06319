// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet processor for an STM.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};

use anyhow::Result;

use crate::OpenCsd;
use crate::processor::{CB_PKT_MON, CREATE_PACKET_PROC, OP_DATA};
use crate::tree::{DecodeTree, DecoderConfig};

/// `ocsd_stm_pkt`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StmPacket {
    /// `ocsd_stm_pkt_type`.
    pub kind: u32,
    /// The current master.
    pub master: u8,
    /// The current channel.
    pub channel: u16,
    /// The latest timestamp.
    pub timestamp: u64,
    /// Bits of the timestamp that this packet has.
    pub timestamp_bits: u8,
    has_timestamp: u8,
    coding: u32,
    has_marker: u8,
    payload: u64,
    error_kind: u32,
}

const _: () = assert!(size_of::<StmPacket>() == 48, "as the C compiler has it");

impl StmPacket {
    /// Whether it has a timestamp.
    pub fn is_stamped(&self) -> bool {
        self.has_timestamp != 0
    }

    /// Whether it is marked.
    pub fn is_marked(&self) -> bool {
        self.has_marker != 0
    }

    /// The low bits of its data; only those that its kind has are set.
    pub fn data(&self, bits: u32) -> u64 {
        self.payload & !u64::MAX.checked_shl(bits).unwrap_or(0)
    }
}

/// `ocsd_stm_cfg`.
#[repr(C)]
#[derive(Default)]
struct StmConfig {
    tcsr: u32,
    feat3r: u32,
    devid: u32,
    feat1r: u32,
    hwev_mast: u32,
    hw_event: u32,
}

// SAFETY: it is `ocsd_stm_cfg`, which the library copies.
unsafe impl DecoderConfig for StmConfig {
    const NAME: &CStr = c"STM";
}

/// The trace ID, which a stream of one source does not have, in TRACEID of STMTCSR.
const TRACE_ID: u32 = 0x10 << 16;

/// Who gets the packets of an STM.
pub trait StmMonitor {
    /// A packet, or a stretch that is not synchronised: the offset of its first byte that has no nibble of
    /// the packet before.
    fn packet(&mut self, offset: u32, packet: &StmPacket);
}

/// A packet processor for an STM.
pub struct StmProcessor<M: StmMonitor> {
    tree: DecodeTree<M>,
}

impl<M: StmMonitor> StmProcessor<M> {
    /// A packet processor.
    ///
    /// # Errors
    /// If the library makes none.
    pub fn new(library: OpenCsd, monitor: M) -> Result<StmProcessor<M>> {
        let attach = |tree, id, monitor: *mut M| {
            let callback = seen::<M> as *const c_void;
            // SAFETY: the tree is alive, `seen` has the type of a packet monitor, and `monitor` lives
            // as long as the tree.
            unsafe { (library.attach)(tree, id, CB_PKT_MON, callback, monitor.cast()) }
        };
        let config = StmConfig {
            tcsr: TRACE_ID,
            ..StmConfig::default()
        };
        let tree = DecodeTree::new(library, &config, CREATE_PACKET_PROC, monitor, attach)?;
        Ok(StmProcessor { tree })
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
extern "C" fn seen<M: StmMonitor>(
    monitor: *mut M,
    op: u32,
    offset: u32,
    packet: *const StmPacket,
    _len: u32,
    _bytes: *const u8,
) {
    if op == OP_DATA {
        // SAFETY: `monitor` is that of the processor, which nothing else uses meanwhile. With data comes a
        // packet.
        unsafe { (*monitor).packet(offset, &*packet) }
    }
}
