// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet processor for one source.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use coretrace_etm::{ArchProfile, Protocol, Registers};

use crate::library::Tree;
use crate::{OpenCsd, Packet};

/// The C API takes no monitor for a decoder of the name `ETE`: it returns error 9, no protocol.
/// Both names stand for one packet processor, which knows an ETE by the version alone.
pub(crate) const DECODER: &CStr = c"ETMV4I";
/// Major version of an ETE, where TRCIDR1 has that of an ETMv4.
const ETE_VERSION: u32 = 5;

pub(crate) const TRC_SRC_SINGLE: u32 = 1;
const CREATE_PACKET_PROC: c_int = 1;
const CB_PKT_MON: u32 = 1;
const OP_DATA: u32 = 0;
const OP_EOT: u32 = 1;
const OP_RESET: u32 = 3;
/// The first response that says that decoding cannot go on.
const RESP_WAIT: u32 = 3;

/// The library keeps its trees in lists without a lock.
pub(crate) static TREES: Mutex<()> = Mutex::new(());

/// `ocsd_etmv4_cfg`.
#[repr(C)]
pub(crate) struct Etm4Config {
    idr0: u32,
    idr1: u32,
    idr2: u32,
    idr8_to_13: [u32; 6],
    configr: u32,
    traceidr: u32,
    arch: u32,
    profile: u32,
}

impl Etm4Config {
    pub(crate) fn new(protocol: Protocol, profile: ArchProfile, r: &Registers) -> Etm4Config {
        let (arch, profile) = match profile {
            ArchProfile::A => (0x864, 3),
            ArchProfile::M7 => (0x700, 1),
            ArchProfile::M8 => (0x800, 1),
        };
        let idr1 = match protocol {
            Protocol::Etm4 => r.trcidr1,
            Protocol::Ete => ETE_VERSION << 8 | (r.trcdevarch >> 16 & 0xF) << 4,
        };
        Etm4Config {
            idr0: r.trcidr0,
            idr1,
            idr2: r.trcidr2,
            idr8_to_13: [r.trcidr8, 0, 0, 0, 0, 0],
            configr: r.trcconfigr,
            traceidr: 0x10,
            arch,
            profile,
        }
    }
}

/// Who gets the packets.
pub trait Monitor {
    /// A packet, or a stretch that is not synchronised: the offset of its first byte, and its
    /// bytes.
    fn packet(&mut self, offset: u32, bytes: &[u8], packet: &Packet);
}

/// A packet processor for one source.
pub struct PacketProcessor<M: Monitor> {
    library: OpenCsd,
    tree: Tree,
    /// Of a box. The library's callback writes to it, so it must stay where it is.
    monitor: *mut M,
}

impl<M: Monitor> PacketProcessor<M> {
    /// A packet processor for a trace unit with these registers.
    ///
    /// # Errors
    /// If the library refuses the registers.
    pub fn new(
        library: OpenCsd,
        protocol: Protocol,
        profile: ArchProfile,
        registers: &Registers,
        monitor: M,
    ) -> Result<PacketProcessor<M>> {
        let config = Etm4Config::new(protocol, profile, registers);
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the function takes any values.
        let tree = unsafe { (library.create_tree)(TRC_SRC_SINGLE, 0) };
        ensure!(!tree.is_null(), "OpenCSD makes no decode tree");
        let monitor = Box::into_raw(Box::new(monitor));
        let (mut id, config) = (0, (&raw const config).cast());
        // SAFETY: the tree is alive, the name ends in 0, `config` is the structure that goes with
        // the name and is copied by the library, `seen` has the type of a packet monitor, and
        // `monitor` lives as long as the tree.
        let errors = unsafe {
            let made = (library.create_decoder)(
                tree,
                DECODER.as_ptr(),
                CREATE_PACKET_PROC,
                config,
                &mut id,
            );
            let callback = seen::<M> as *const c_void;
            let attached = (library.attach)(tree, id, CB_PKT_MON, callback, monitor.cast());
            (made, attached)
        };
        drop(_lock);
        let processor = PacketProcessor {
            library,
            tree,
            monitor,
        };
        ensure!(
            errors == (0, 0),
            "OpenCSD makes no decoder: errors {errors:?}"
        );
        Ok(processor)
    }

    /// Who gets the packets.
    pub fn monitor(&mut self) -> &mut M {
        // SAFETY: the monitor lives as long as the processor, and the library uses it in `run`
        // alone.
        unsafe { &mut *self.monitor }
    }

    /// Processes a whole stream.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<()> {
        run(&self.library, self.tree, stream)
    }
}

/// Sends a whole stream through the decoder of a tree.
pub(crate) fn run(library: &OpenCsd, tree: Tree, stream: &[u8]) -> Result<()> {
    let len = u32::try_from(stream.len()).context("the stream is too long for OpenCSD")?;
    let mut done = 0;
    // SAFETY: the tree is alive, and the pointer and length are those of one slice.
    let responses = unsafe {
        [
            (library.process)(tree, OP_RESET, 0, 0, null(), &mut 0),
            (library.process)(tree, OP_DATA, 0, len, stream.as_ptr(), &mut done),
            (library.process)(tree, OP_EOT, 0, 0, null(), &mut 0),
        ]
    };
    ensure!(
        done == len && responses.iter().all(|&response| response < RESP_WAIT),
        "OpenCSD stopped after {done} of {len} bytes: {responses:?}"
    );
    Ok(())
}

impl<M: Monitor> Drop for PacketProcessor<M> {
    fn drop(&mut self) {
        let _lock = TREES.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the tree is alive and nobody else has it; the monitor is that of a box, and
        // nobody has it once the tree is gone.
        unsafe {
            (self.library.destroy_tree)(self.tree);
            drop(Box::from_raw(self.monitor));
        }
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
