// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables themselves, and what no disassembler of the witnesses knows.

use coretrace_isa::{Class, Encoding, Isa, Offset, Return, decode};

const SETS: [Isa; 3] = [Isa::A64, Isa::A32, Isa::T32];

#[test]
fn values_are_within_their_masks() {
    for isa in SETS {
        for encoding in isa.encodings() {
            assert_eq!(
                encoding.value & !encoding.mask,
                0,
                "{isa:?} {encoding:08x?}"
            );
        }
    }
}

/// Whether all instructions of `one` are of `other`.
fn is_part(one: &Encoding, other: &Encoding) -> bool {
    one.mask & other.mask == other.mask && one.value & other.mask == other.value
}

#[test]
fn no_encoding_is_hidden_by_one_before_it() {
    for isa in SETS {
        let all = isa.encodings();
        for (number, encoding) in all.iter().enumerate() {
            let hides = all[..number].iter().find(|other| is_part(encoding, other));
            assert_eq!(hides, None, "{isa:?} {encoding:08x?}");
        }
    }
}

#[test]
fn direct_branches_have_targets_and_no_others() {
    for isa in SETS {
        for encoding in isa.encodings() {
            let has_offset = encoding.offset != Offset::None;
            assert_eq!(
                has_offset,
                encoding.class == Class::Direct,
                "{encoding:08x?}"
            );
            let returns = encoding.returns != Return::None;
            assert!(
                !returns || encoding.class == Class::Indirect,
                "{encoding:08x?}"
            );
        }
    }
}

/// Target of a direct branch at 0x1000.
fn target(isa: Isa, word: u32) -> Option<(Isa, u64)> {
    decode(isa, word, 0x1000).target
}

#[test]
fn comparisons_with_a_branch_of_armv9_6() {
    // cbgt x1, x2, .+8; cblt w3, #5, .-16; cbhne w0, w1, .+4
    for (word, address) in [
        (0xF402_0041, 0x1008),
        (0x7522_BF83, 0xFF0),
        (0x74C1_C020, 0x1004),
    ] {
        let instruction = decode(Isa::A64, word, 0x1000);
        assert_eq!(instruction.class, Class::Direct, "{word:08x}");
        assert!(instruction.is_conditional, "{word:08x}");
        assert_eq!(instruction.target, Some((Isa::A64, address)), "{word:08x}");
    }
}

#[test]
fn loops_of_armv8_1_m() {
    // le lr, .-28; wls lr, r0, .+20
    assert_eq!(target(Isa::T32, 0xF00F_C011), Some((Isa::T32, 0xFE4)));
    assert_eq!(target(Isa::T32, 0xF040_C009), Some((Isa::T32, 0x1014)));
    // dls lr, r0 does not branch.
    assert_eq!(decode(Isa::T32, 0xF040_E001, 0).class, Class::Other);
}

#[test]
fn addresses_of_aarch32_have_32_bits() {
    // b .+0x2000004, from the last page; b .
    assert_eq!(
        decode(Isa::A32, 0xEA7F_FFFF, 0xFFFF_F000).target,
        Some((Isa::A32, 0x01FF_F004))
    );
    assert_eq!(
        decode(Isa::T32, 0xE7FE_0000, 0xFFFF_FFFE).target,
        Some((Isa::T32, 0xFFFF_FFFE))
    );
}

#[test]
fn a_branch_to_the_other_set_says_so() {
    // blx with H, from A32; blx from T32 at a halfword: it counts from a word.
    assert_eq!(target(Isa::A32, 0xFB00_0000), Some((Isa::T32, 0x100A)));
    let blx = decode(Isa::T32, 0xF000_E800, 0x1002);
    assert_eq!((blx.target, blx.is_link), (Some((Isa::A32, 0x1004)), true));
}

#[test]
fn a_condition_makes_a_branch_of_a32_conditional() {
    assert!(decode(Isa::A32, 0x0A00_0000, 0).is_conditional);
    assert!(!decode(Isa::A32, 0xEA00_0000, 0).is_conditional);
    assert!(!decode(Isa::A32, 0xFA00_0000, 0).is_conditional);
}

#[test]
fn sizes_of_t32_follow_the_first_halfword() {
    for (word, size) in [
        (0xE7FE_0000, 2),
        (0xE800_0000, 4),
        (0xF000_0000, 4),
        (0xDFFF_FFFF, 2),
    ] {
        assert_eq!(Isa::T32.size(word), size, "{word:08x}");
    }
}
