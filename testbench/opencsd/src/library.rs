// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library and the functions of it that are needed.
#![allow(unsafe_code)]

use libloading::Library;
use std::ffi::{c_char, c_int, c_void};

const LIBRARY: &str = "libopencsd_c_api.so.1";
/// Major and minor version whose structures are declared here.
const VERSION: u32 = 0x0103;

const SEVERITY_NONE: c_int = 0;

pub(crate) type Tree = *mut c_void;
type CreateTree = unsafe extern "C" fn(u32, u32) -> Tree;
type DestroyTree = unsafe extern "C" fn(Tree);
type CreateDecoder =
    unsafe extern "C" fn(Tree, *const c_char, c_int, *const c_void, *mut u8) -> c_int;
type Attach = unsafe extern "C" fn(Tree, u8, u32, *const c_void, *const c_void) -> c_int;
type Process = unsafe extern "C" fn(Tree, u32, u32, u32, *const u8, *mut u32) -> u32;
type SetElements = unsafe extern "C" fn(Tree, *const c_void, *const c_void) -> c_int;
type AddImage = unsafe extern "C" fn(Tree, u64, u32, *const u8, u32) -> c_int;
type GetVersion = unsafe extern "C" fn() -> u32;
type InitLog = unsafe extern "C" fn(c_int, c_int) -> c_int;

/// The library.
#[derive(Clone, Copy)]
pub struct OpenCsd {
    pub(crate) create_tree: CreateTree,
    pub(crate) destroy_tree: DestroyTree,
    pub(crate) create_decoder: CreateDecoder,
    pub(crate) attach: Attach,
    pub(crate) process: Process,
    pub(crate) set_elements: SetElements,
    pub(crate) add_image: AddImage,
}

impl OpenCsd {
    /// Opens the library; `None` if it is not installed in version 1.3.
    pub fn open() -> Option<OpenCsd> {
        // SAFETY: the types are those of the functions in version 1 of the library, as its file name
        // demands, and loading it runs nothing that other threads could notice.
        unsafe {
            // The functions are used until the program ends, so the library stays loaded.
            let library: &'static Library = Box::leak(Box::new(Library::new(LIBRARY).ok()?));
            let version = library.get::<GetVersion>(b"ocsd_get_version").ok()?;
            if version() >> 8 != VERSION {
                return None;
            }
            // All threads share one log of errors, without a lock: it must stay unused.
            let init_log = library.get::<InitLog>(b"ocsd_def_errlog_init").ok()?;
            init_log(SEVERITY_NONE, 0);
            Some(OpenCsd {
                create_tree: *library.get(b"ocsd_create_dcd_tree").ok()?,
                destroy_tree: *library.get(b"ocsd_destroy_dcd_tree").ok()?,
                create_decoder: *library.get(b"ocsd_dt_create_decoder").ok()?,
                attach: *library.get(b"ocsd_dt_attach_packet_callback").ok()?,
                process: *library.get(b"ocsd_dt_process_data").ok()?,
                set_elements: *library.get(b"ocsd_dt_set_gen_elem_outfn").ok()?,
                add_image: *library.get(b"ocsd_dt_add_buffer_mem_acc").ok()?,
            })
        }
    }
}

/// For the head of a test: the library, or `None` to leave because it is missing.
///
/// # Panics
/// If the library is missing and the environment says `ETM4_REQUIRE_TOOLS=1`.
#[must_use]
pub fn skip_or_fail() -> Option<OpenCsd> {
    let library = OpenCsd::open();
    if library.is_none() {
        assert!(
            std::env::var("ETM4_REQUIRE_TOOLS").as_deref() != Ok("1"),
            "OpenCSD 1.3 not found, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
        println!("SKIPPED: OpenCSD 1.3 not found");
    }
    library
}
