// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodings of A32. A condition of 1111 makes other instructions of the same bits, so those come first.

use crate::encoding::{Encoding, Return};
use crate::offset::Offset;

pub const ENCODINGS: &[Encoding] = &[
    // Condition 1111: BLX with an immediate value, RFE, ISB, and nothing else.
    Encoding::direct(0xFE00_0000, 0xFA00_0000, Offset::Imm24H).link(),
    Encoding::indirect(0xFE50_0000, 0xF810_0000),
    Encoding::barrier(0xFFF0_00F0, 0xF570_0060),
    Encoding::other(0xF000_0000, 0xF000_0000),
    // MCR p15, 0, Rt, c7, c5, 4 was the barrier before Armv7.
    Encoding::barrier(0x0FFF_0FFF, 0x0E07_0F95),
    // B, BL.
    Encoding::direct(0x0F00_0000, 0x0A00_0000, Offset::Imm24),
    Encoding::direct(0x0F00_0000, 0x0B00_0000, Offset::Imm24).link(),
    // BX LR; BX, BLX, BXJ.
    Encoding::indirect(0x0FF0_00FF, 0x0120_001E).returns(Return::Implied),
    Encoding::indirect(0x0FF0_00F0, 0x0120_0010),
    Encoding::indirect(0x0FF0_00F0, 0x0120_0030).link(),
    Encoding::indirect(0x0FF0_00F0, 0x0120_0020),
    // LDMIA SP!, as POP is; LDM.
    Encoding::indirect(0x0FFF_A000, 0x08BD_8000).returns(Return::Implied),
    Encoding::indirect(0x0E10_8000, 0x0810_8000),
    // LDR PC, [SP], #imm; LDR PC with an immediate value, with a register.
    Encoding::indirect(0x0FFF_F000, 0x049D_F000).returns(Return::Implied),
    Encoding::indirect(0x0E50_F000, 0x0410_F000),
    Encoding::indirect(0x0E50_F010, 0x0610_F000),
    // MOV PC, LR.
    Encoding::indirect(0x0FF0_FFFF, 0x01A0_F00E).returns(Return::Implied),
    Encoding::wait(0x0FFF_FFFE, 0x0320_F002),
    // Multiplications, loads and stores of other sizes; miscellaneous, moves of halves and MSR;
    // comparisons: whatever is where a result would be, it is none.
    Encoding::other(0x0E00_0090, 0x0000_0090),
    Encoding::other(0x0D90_0000, 0x0100_0000),
    Encoding::other(0x0D90_0000, 0x0110_0000),
    // Other operations on data whose result is the PC.
    Encoding::indirect(0x0C00_F000, 0x0000_F000),
];
