// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library and the functions of it that are needed.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;

const LIBRARY: &CStr = c"libopencsd_c_api.so.1";
/// Major and minor version whose structures are declared here.
const VERSION: u32 = 0x0103;

const RTLD_NOW: c_int = 2;
const SEVERITY_NONE: c_int = 0;

pub(crate) type Tree = *mut c_void;
type CreateTree = unsafe extern "C" fn(u32, u32) -> Tree;
type DestroyTree = unsafe extern "C" fn(Tree);
type CreateDecoder =
    unsafe extern "C" fn(Tree, *const c_char, c_int, *const c_void, *mut u8) -> c_int;
type Attach = unsafe extern "C" fn(Tree, u8, u32, *const c_void, *const c_void) -> c_int;
type Process = unsafe extern "C" fn(Tree, u32, u32, u32, *const u8, *mut u32) -> u32;
type GetVersion = unsafe extern "C" fn() -> u32;
type InitLog = unsafe extern "C" fn(c_int, c_int) -> c_int;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The library.
#[derive(Clone, Copy)]
pub struct OpenCsd {
    pub(crate) create_tree: CreateTree,
    pub(crate) destroy_tree: DestroyTree,
    pub(crate) create_decoder: CreateDecoder,
    pub(crate) attach: Attach,
    pub(crate) process: Process,
}

impl OpenCsd {
    /// Opens the library; `None` if it is not installed in version 1.3.
    pub fn open() -> Option<OpenCsd> {
        // SAFETY: all names are strings that end in 0, and the pointers returned are checked. The
        // types are those of the functions in version 1 of the library, as its name demands.
        unsafe {
            let library = dlopen(LIBRARY.as_ptr(), RTLD_NOW);
            if library.is_null() {
                return None;
            }
            let find = |name: &CStr| {
                let function = dlsym(library, name.as_ptr());
                (!function.is_null()).then_some(function)
            };
            let version: GetVersion = transmute(find(c"ocsd_get_version")?);
            if version() >> 8 != VERSION {
                return None;
            }
            // All threads share one log of errors, without a lock: it has to stay unused.
            let init_log: InitLog = transmute(find(c"ocsd_def_errlog_init")?);
            init_log(SEVERITY_NONE, 0);
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
