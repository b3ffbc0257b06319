// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodings of A64.

use crate::encoding::{Encoding, Return};
use crate::offset::Offset;

pub const ENCODINGS: &[Encoding] = &[
    // B, BL.
    Encoding::direct(0xFC00_0000, 0x1400_0000, Offset::Imm26),
    Encoding::direct(0xFC00_0000, 0x9400_0000, Offset::Imm26).link(),
    // B.cond and BC.cond; CBZ and CBNZ; TBZ and TBNZ.
    Encoding::direct(0xFF00_0000, 0x5400_0000, Offset::Imm19).conditional(),
    Encoding::direct(0x7E00_0000, 0x3400_0000, Offset::Imm19).conditional(),
    Encoding::direct(0x7E00_0000, 0x3600_0000, Offset::Imm14).conditional(),
    // CB<cc> of registers, of bytes, of halfwords, and of an immediate value; the conditions are
    // 000 to 011, 110 and 111.
    Encoding::direct(0x7F80_C000, 0x7400_0000, Offset::Imm9).conditional(),
    Encoding::direct(0x7FC0_C000, 0x74C0_0000, Offset::Imm9).conditional(),
    Encoding::direct(0xFF80_8000, 0x7400_8000, Offset::Imm9).conditional(),
    Encoding::direct(0xFFC0_8000, 0x74C0_8000, Offset::Imm9).conditional(),
    Encoding::direct(0x7F80_4000, 0x7500_0000, Offset::Imm9).conditional(),
    Encoding::direct(0x7FC0_4000, 0x75C0_0000, Offset::Imm9).conditional(),
    // BR, BLR, and with pointer authentication.
    Encoding::indirect(0xFFFF_FC1F, 0xD61F_0000),
    Encoding::indirect(0xFFFF_FC1F, 0xD63F_0000).link(),
    Encoding::indirect(0xFFFF_F81F, 0xD61F_081F),
    Encoding::indirect(0xFFFF_F81F, 0xD63F_081F).link(),
    Encoding::indirect(0xFFFF_F800, 0xD71F_0800),
    Encoding::indirect(0xFFFF_F800, 0xD73F_0800).link(),
    // RET, RETAA and RETAB, RETAASPPCR and RETABSPPCR, RETAASPPC and RETABSPPC.
    Encoding::indirect(0xFFFF_FC1F, 0xD65F_0000).returns(Return::Function),
    Encoding::indirect(0xFFFF_FBE0, 0xD65F_0BE0).returns(Return::Function),
    Encoding::indirect(0xFFC0_001F, 0x5500_001F).returns(Return::Function),
    // ERET, ERETAA and ERETAB.
    Encoding::indirect(0xFFFF_FFFF, 0xD69F_03E0).returns(Return::Exception),
    Encoding::indirect(0xFFFF_FBFF, 0xD69F_0BFF).returns(Return::Exception),
    Encoding::barrier(0xFFFF_F0FF, 0xD503_30DF),
    // WFE and WFI, WFET and WFIT.
    Encoding::wait(0xFFFF_FFDF, 0xD503_205F),
    Encoding::wait(0xFFFF_FFC0, 0xD503_1000),
    Encoding::transaction_start(0xFFFF_FFE0, 0xD523_3060),
];
