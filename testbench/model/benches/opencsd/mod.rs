// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD's packet processor through its C API, if the library is on this machine.
//!
//! The library is opened at run time, so that nothing has to be there to build this. The
//! declarations are those of `opencsd/c_api/opencsd_c_api.h` and the headers that it includes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::null;

use anyhow::{Context, Result, ensure};
use etm4_protocol::{Profile, Registers};

const LIBRARY: &CStr = c"libopencsd_c_api.so.1";
/// The packet processor of an ETE takes no monitor through the C API of version 1.3.
const DECODER: &CStr = c"ETMV4I";

const RTLD_NOW: c_int = 2;
const TRC_SRC_SINGLE: u32 = 1;
const CREATE_PACKET_PROC: c_int = 1;
const CB_PKT_MON: u32 = 1;
const OP_DATA: u32 = 0;
const OP_EOT: u32 = 1;
const OP_RESET: u32 = 3;
const PKT_NOTSYNC: u32 = 0x200;
/// The first response that says that decoding cannot go on.
const RESP_WAIT: u32 = 4;

type Tree = *mut c_void;
type Monitor = extern "C" fn(*mut u64, u32, u32, *const u32, u32, *const u8);

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `ocsd_etmv4_cfg`.
#[repr(C)]
struct Etm4Config {
    idr0: u32,
    idr1: u32,
    idr2: u32,
    idr8_to_13: [u32; 6],
    configr: u32,
    traceidr: u32,
    arch: u32,
    profile: u32,
}

type CreateTree = unsafe extern "C" fn(u32, u32) -> Tree;
type DestroyTree = unsafe extern "C" fn(Tree);
type CreateDecoder =
    unsafe extern "C" fn(Tree, *const c_char, c_int, *const c_void, *mut u8) -> c_int;
type Attach = unsafe extern "C" fn(Tree, u8, u32, Monitor, *mut u64) -> c_int;
type Process = unsafe extern "C" fn(Tree, u32, u32, u32, *const u8, *mut u32) -> u32;

/// The functions of the library that are needed here.
#[derive(Clone, Copy)]
pub struct OpenCsd {
    create_tree: CreateTree,
    destroy_tree: DestroyTree,
    create_decoder: CreateDecoder,
    attach: Attach,
    process: Process,
}

impl OpenCsd {
    /// Opens the library; `None` if it is not installed.
    pub fn open() -> Option<OpenCsd> {
        // SAFETY: both names are strings that end in 0, and the pointers returned are checked.
        // The types are those of the functions in version 1 of the library, as its name demands.
        unsafe {
            let library = dlopen(LIBRARY.as_ptr(), RTLD_NOW);
            if library.is_null() {
                return None;
            }
            let find = |name: &CStr| {
                let function = dlsym(library, name.as_ptr());
                (!function.is_null()).then_some(function)
            };
            Some(OpenCsd {
                create_tree: transmute::<*mut c_void, CreateTree>(find(c"ocsd_create_dcd_tree")?),
                destroy_tree: transmute::<*mut c_void, DestroyTree>(find(
                    c"ocsd_destroy_dcd_tree",
                )?),
                create_decoder: transmute::<*mut c_void, CreateDecoder>(find(
                    c"ocsd_dt_create_decoder",
                )?),
                attach: transmute::<*mut c_void, Attach>(find(c"ocsd_dt_attach_packet_callback")?),
                process: transmute::<*mut c_void, Process>(find(c"ocsd_dt_process_data")?),
            })
        }
    }
}

/// A packet processor for one source.
pub struct PacketProcessor {
    library: OpenCsd,
    tree: Tree,
    /// Counted up by the library's callback, so it has to stay where it is.
    packets: Box<u64>,
}

impl PacketProcessor {
    /// A packet processor for an ETMv4 with these registers.
    ///
    /// # Errors
    /// If the library refuses the registers.
    pub fn new(library: OpenCsd, profile: Profile, r: &Registers) -> Result<PacketProcessor> {
        let (arch, profile) = match profile {
            Profile::A => (0x864, 3),
            Profile::M7 => (0x700, 1),
            Profile::M8 => (0x800, 1),
        };
        let config = Etm4Config {
            idr0: r.trcidr0,
            idr1: r.trcidr1,
            idr2: r.trcidr2,
            idr8_to_13: [r.trcidr8, 0, 0, 0, 0, 0],
            configr: r.trcconfigr,
            traceidr: 0x10,
            arch,
            profile,
        };
        // SAFETY: the function takes any values.
        let tree = unsafe { (library.create_tree)(TRC_SRC_SINGLE, 0) };
        ensure!(!tree.is_null(), "OpenCSD makes no decode tree");
        let mut processor = PacketProcessor {
            library,
            tree,
            packets: Box::new(0),
        };
        let (mut id, config) = (0, (&raw const config).cast());
        // SAFETY: the tree is alive, the name ends in 0, `config` is the structure that goes with
        // the name and is copied by the library, and `packets` lives as long as the tree.
        let errors = unsafe {
            let made = (library.create_decoder)(
                tree,
                DECODER.as_ptr(),
                CREATE_PACKET_PROC,
                config,
                &mut id,
            );
            let attached = (library.attach)(tree, id, CB_PKT_MON, count, &mut *processor.packets);
            (made, attached)
        };
        ensure!(
            errors == (0, 0),
            "OpenCSD makes no decoder: errors {errors:?}"
        );
        Ok(processor)
    }

    /// Processes a whole stream; returns the number of packets, stretches out of synchronisation
    /// not counted.
    ///
    /// # Errors
    /// If the library stops in the middle, or the stream has more bytes than it can count.
    pub fn run(&mut self, stream: &[u8]) -> Result<u64> {
        let len = u32::try_from(stream.len()).context("the stream is too long for OpenCSD")?;
        *self.packets = 0;
        let mut done = 0;
        // SAFETY: the tree is alive, and the pointer and length are those of one slice.
        let responses = unsafe {
            [
                (self.library.process)(self.tree, OP_RESET, 0, 0, null(), &mut 0),
                (self.library.process)(self.tree, OP_DATA, 0, len, stream.as_ptr(), &mut done),
                (self.library.process)(self.tree, OP_EOT, 0, 0, null(), &mut 0),
            ]
        };
        ensure!(
            done == len && responses.iter().all(|&response| response < RESP_WAIT),
            "OpenCSD stopped after {done} of {len} bytes: {responses:?}"
        );
        Ok(*self.packets)
    }
}

impl Drop for PacketProcessor {
    fn drop(&mut self) {
        // SAFETY: the tree is alive and nobody else has it.
        unsafe { (self.library.destroy_tree)(self.tree) };
    }
}

/// The monitor: the library calls it for every packet. A packet begins with its type.
extern "C" fn count(packets: *mut u64, op: u32, _: u32, packet: *const u32, _: u32, _: *const u8) {
    // SAFETY: `packets` is the box of the processor, which nothing else uses meanwhile; `packet`
    // is a packet if the operation is data.
    unsafe {
        if op == OP_DATA && *packet != PKT_NOTSYNC {
            *packets += 1;
        }
    }
}
