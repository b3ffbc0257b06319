// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace unit, as the library wants it.

#![allow(unsafe_code)]

use std::ffi::CStr;

use coretrace_etm::{ArchProfile, Protocol, SourceConfig};

use crate::tree::DecoderConfig;

/// Major version of an ETE, where TRCIDR1 has that of an ETMv4.
const ETE_VERSION: u32 = 5;

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

// SAFETY: it is `ocsd_etmv4_cfg`, which the library copies. The C API takes no monitor for a decoder of the
// name `ETE`: it returns error 9, no protocol. Both names stand for one packet processor, which knows an ETE
// by the version alone.
unsafe impl DecoderConfig for Etm4Config {
    const NAME: &CStr = c"ETMV4I";
}

impl Etm4Config {
    pub(crate) fn new(source: &SourceConfig) -> Etm4Config {
        let r = &source.registers;
        let (arch, profile) = match source.profile {
            ArchProfile::A => (0x864, 3),
            ArchProfile::M7 => (0x700, 1),
            ArchProfile::M8 => (0x800, 1),
        };
        let idr1 = match source.protocol {
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
