// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a witness says something else than the tables, and why.

use coretrace_isa::Isa;

/// A difference with a name.
struct Difference {
    isa: Isa,
    /// The witness; empty if it is more than one.
    witness: &'static str,
    mask: u32,
    value: u32,
    /// Why the tables are right.
    _why: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        isa: Isa::A64,
        witness: "yaxpeax",
        mask: 0xFFFF_F01F,
        value: 0xD503_201F,
        _why: "hints other than WFE and WFI differ in CRm",
    },
    Difference {
        isa: Isa::A32,
        witness: "yaxpeax",
        mask: 0x0FB0_F000,
        value: 0x0300_F000,
        _why: "MOVW and MOVT to the PC are unpredictable",
    },
    Difference {
        isa: Isa::T32,
        witness: "",
        mask: 0xFE00_0F00,
        value: 0xEA00_0F00,
        _why: "an operation on registers with the PC as its result is unpredictable",
    },
    Difference {
        isa: Isa::T32,
        witness: "",
        mask: 0xF800_8F00,
        value: 0xF000_0F00,
        _why: "an operation on an immediate value with the PC as its result is unpredictable",
    },
    Difference {
        isa: Isa::T32,
        witness: "yaxpeax",
        mask: 0xFF80_0F00,
        value: 0xFA00_0F00,
        _why: "a shift with the PC as its result is unpredictable",
    },
    Difference {
        isa: Isa::T32,
        witness: "yaxpeax",
        mask: 0xFFF0_D0F0,
        value: 0xF3B0_8060,
        _why: "ISB with reserved bits",
    },
    Difference {
        isa: Isa::T32,
        witness: "yaxpeax",
        mask: 0xFFF0_D0FE,
        value: 0xF3A0_8002,
        _why: "WFE and WFI with reserved bits",
    },
    Difference {
        isa: Isa::T32,
        witness: "yaxpeax",
        mask: 0xFFF0_00E0,
        value: 0xE8D0_0000,
        _why: "TBB and TBH with reserved bits",
    },
    Difference {
        isa: Isa::T32,
        witness: "capstone",
        mask: 0xFFD0_0000,
        value: 0xE810_0000,
        _why: "RFE with reserved bits",
    },
];

/// Whether a difference in this word has a name.
pub fn is_named(isa: Isa, witness: &str, word: u32) -> bool {
    DIFFERENCES.iter().any(|one| {
        one.isa == isa && ["", witness].contains(&one.witness) && word & one.mask == one.value
    })
}
