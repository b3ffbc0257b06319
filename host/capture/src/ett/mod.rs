// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cases: small traces as texts, `.ett` files. A bug report is such a text.
//!
//! ```
//! use coretrace_capture::ett::Case;
//!
//! let case = Case::parse(
//!     "atoms",
//!     "why: The shortest trace.
//!      protocol = ETM4
//!      TRCCONFIGR = 0x1
//!      TRCIDR0 = 0x28000ea1
//!      TRCIDR1 = 0x4100f403
//!      TRCIDR2 = 0x488
//!      packets:
//!      async
//!      addr_long_64 0x400100
//!      bytes:
//!      fd # the same as `atom ENE`
//!      expect packets:
//!      0 I_ASYNC
//!      12 I_ADDR_L_64IS0 addr=0x0000000000400100 is=0
//!      21 I_ATOM_F3 atoms=ENE",
//! )
//! .unwrap();
//! assert_eq!(case.bytes.len(), 22);
//! ```
//!
//! # The text
//!
//! `#` begins a comment. The head has one line `why:` with the reason for the case, and lines
//! `name = value`: `protocol` (ETM4 or ETE), `core` if it is not an application core, and the
//! registers of the trace unit. Then follow parts, in any order and number:
//!
//! | part | its lines |
//! |---|---|
//! | `bytes:` | hexadecimal bytes |
//! | `packets:` | a packet: its name and its values, in the order in which the packet has them |
//! | `expect packets:` | offset, name and fields of a packet, as `etm4 packets` lists them |
//!
//! The name of a packet is that of its kind in `coretrace_etm::Kind`, in small letters:
//! `trace_info`, `cycle_count_f1`. Without `_is0` or `_is1` an address is IS0. `atom` takes the
//! atoms instead of a format. A kind with several headers takes the first one, or that of
//! `header=0x...`. Trace Info has the sections for which there are values. An Exception has number
//! and interpretation; context is its information byte, then VMID and context ID if that byte
//! announces them.

mod case;
mod packet;

pub use case::Case;
