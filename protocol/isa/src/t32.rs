// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encodings of T32. The first halfword is in the upper half of the word.

use crate::encoding::{Encoding, Return};
use crate::offset::Offset;

pub const ENCODINGS: &[Encoding] = &[
    // Conditions 1110 and 1111 are UDF and SVC.
    Encoding::other(0xFE00_0000, 0xDE00_0000),
    Encoding::direct(0xF000_0000, 0xD000_0000, Offset::Imm8).conditional(),
    Encoding::direct(0xF800_0000, 0xE000_0000, Offset::Imm11),
    Encoding::direct(0xF500_0000, 0xB100_0000, Offset::Imm5).conditional(),
    // ISB; MCR p15, 0, Rt, c7, c5, 4 was the barrier before Armv7.
    Encoding::barrier(0xFFFF_FFF0, 0xF3BF_8F60),
    Encoding::barrier(0xFFFF_0FFF, 0xEE07_0F95),
    // WFE and WFI, of two and of four bytes.
    Encoding::wait(0xFFEF_0000, 0xBF20_0000),
    Encoding::wait(0xFFFF_FFFE, 0xF3AF_8002),
    // SUBS PC, LR and ERET; BXJ.
    Encoding::indirect(0xFFF0_D000, 0xF3D0_8000),
    Encoding::indirect(0xFFF0_D000, 0xF3C0_8000),
    // Armv8.1-M: LE and LETP, WLS, WLSTP.
    Encoding::direct(0xFFCF_F001, 0xF00F_C001, Offset::LoopEnd).conditional(),
    Encoding::direct(0xFFF0_F001, 0xF040_C001, Offset::LoopStart).conditional(),
    Encoding::direct(0xFFC0_F001, 0xF000_C001, Offset::LoopStart).conditional(),
    // Conditions 1110 and 1111 are other instructions.
    Encoding::other(0xFB80_D000, 0xF380_8000),
    Encoding::direct(0xF800_D000, 0xF000_8000, Offset::Imm6Imm11).conditional(),
    // B, BL, BLX.
    Encoding::direct(0xF800_D000, 0xF000_9000, Offset::Imm10Imm11),
    Encoding::direct(0xF800_D000, 0xF000_D000, Offset::Imm10Imm11).link(),
    Encoding::direct(0xF800_D001, 0xF000_C000, Offset::Imm10HImm10L).link(),
    // BX LR; BX, BLX.
    Encoding::indirect(0xFFF8_0000, 0x4770_0000).returns(Return::Implied),
    Encoding::indirect(0xFF80_0000, 0x4700_0000),
    Encoding::indirect(0xFF80_0000, 0x4780_0000).link(),
    // POP; MOV PC, LR; MOV and ADD.
    Encoding::indirect(0xFF00_0000, 0xBD00_0000).returns(Return::Implied),
    Encoding::indirect(0xFFFF_0000, 0x46F7_0000).returns(Return::Implied),
    Encoding::indirect(0xFD87_0000, 0x4487_0000),
    // TBB and TBH; RFE.
    Encoding::indirect(0xFFF0_FFE0, 0xE8D0_F000),
    Encoding::indirect(0xFFD0_0000, 0xE810_0000),
    Encoding::indirect(0xFFD0_0000, 0xE990_0000),
    // LDR PC: with an immediate value, of a literal, from the stack, with an index, with a register.
    Encoding::indirect(0xFFF0_F000, 0xF8D0_F000),
    Encoding::indirect(0xFF7F_F000, 0xF85F_F000),
    Encoding::indirect(0xFFFF_FF00, 0xF85D_FB00).returns(Return::Implied),
    Encoding::indirect(0xFFF0_F800, 0xF850_F800),
    Encoding::indirect(0xFFF0_FFC0, 0xF850_F000),
    // LDMIA SP!; LDM.
    Encoding::indirect(0xFFFF_8000, 0xE8BD_8000).returns(Return::Implied),
    Encoding::indirect(0xFE50_8000, 0xE810_8000),
];
