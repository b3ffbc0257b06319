// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three disassemblers as witnesses: on random words each says the same as the tables, where it
//! knows the word. Where they differ the difference has a name.

mod differences;
mod said;

use capstone::Capstone;
use capstone::arch::arm::{ArchExtraMode, ArchMode as ArmMode};
use capstone::arch::arm64::ArchMode as Arm64Mode;
use capstone::arch::{BuildsCapstone, BuildsCapstoneExtraMode};
use coretrace_isa::{Class, Isa, decode};
use differences::is_named;
use disarm64::{InsnDisplay, InsnOpcode};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use said::Said;
use yaxpeax_arm::{armv7, armv8};

/// Words of each instruction set, half of them made to look like an encoding of the tables.
const WORDS: usize = 200_000;
const ADDRESS: u64 = 0x4000_1000;

/// Random words; every second one has the fixed bits of an encoding, but for one of them at times.
fn words(isa: Isa) -> impl Iterator<Item = u32> {
    let mut random = ChaCha8Rng::seed_from_u64(isa as u64);
    (0..WORDS).map(move |number| {
        let word: u32 = random.random();
        if number % 2 == 0 {
            return word;
        }
        let all = isa.encodings();
        let encoding = all[random.random_range(0..all.len())];
        let near = word & !encoding.mask | encoding.value;
        let damaged = near ^ 1 << random.random_range(0..32);
        if number % 8 == 1 { damaged } else { near }
    })
}

/// Bytes of an instruction in memory.
fn bytes(isa: Isa, word: u32) -> Vec<u8> {
    if isa == Isa::T32 {
        let halves = [(word >> 16) as u16, word as u16];
        halves.iter().flat_map(|half| half.to_le_bytes()).collect()
    } else {
        word.to_le_bytes().into()
    }
}

/// Compares what a witness says with the tables; `None` if it does not know the word.
fn compare(isa: Isa, witness: &str, say: impl Fn(&[u8], u32) -> Option<Said>) {
    let (mut known, mut differences) = (0, Vec::new());
    for word in words(isa) {
        let ours = decode(isa, word, ADDRESS);
        let bytes = bytes(isa, word);
        let Some(said) = say(&bytes[..ours.size.into()], word) else {
            continue;
        };
        known += 1;
        let target = ours.target.map(|(_, target)| target);
        let is_target =
            said.target.is_none() || said.class != Class::Direct || said.target == target;
        if (said.class == ours.class && is_target) || is_named(isa, witness, word) {
            continue;
        }
        differences.push(format!("{word:08x}: {ours:x?}, {said:x?}"));
    }
    let some: Vec<_> = differences.iter().take(10).collect();
    assert!(
        differences.is_empty(),
        "{witness}, {isa:?}: {} of {known} differ\n{some:#?}",
        differences.len()
    );
    // A witness that knows nothing says nothing.
    assert!(known > WORDS / 4, "{witness}, {isa:?}: {known} words known");
}

fn capstone_says(isa: Isa) -> impl Fn(&[u8], u32) -> Option<Said> {
    let engine = match isa {
        Isa::A64 => Capstone::new().arm64().mode(Arm64Mode::Arm).build(),
        Isa::A32 => Capstone::new()
            .arm()
            .mode(ArmMode::Arm)
            .extra_mode([ArchExtraMode::V8].into_iter())
            .build(),
        Isa::T32 => Capstone::new()
            .arm()
            .mode(ArmMode::Thumb)
            .extra_mode([ArchExtraMode::V8].into_iter())
            .build(),
    };
    let engine = engine.expect("an engine");
    move |bytes, _| {
        let all = engine.disasm_count(bytes, ADDRESS, 1).ok()?;
        let one = all.iter().next()?;
        let line = format!("{} {}", one.mnemonic()?, one.op_str()?);
        (one.bytes().len() == bytes.len()).then(|| Said::of_line(&line, ADDRESS))
    }
}

#[test]
fn a64_is_what_capstone_says() {
    compare(Isa::A64, "capstone", capstone_says(Isa::A64));
}

#[test]
fn a32_is_what_capstone_says() {
    compare(Isa::A32, "capstone", capstone_says(Isa::A32));
}

#[test]
fn t32_is_what_capstone_says() {
    compare(Isa::T32, "capstone", capstone_says(Isa::T32));
}

#[test]
fn a64_is_what_disarm64_says() {
    compare(Isa::A64, "disarm64", |_, word| {
        let opcode = disarm64::decoder::decode(word)?;
        let definition = opcode.definition();
        // It panics when it prints shifts of vectors that do not exist.
        let is_vector = format!("{:?}", definition.class).starts_with("ASI");
        let line = if is_vector {
            definition.mnemonic.to_owned()
        } else {
            opcode.display_at(ADDRESS).to_string()
        };
        Some(Said::of_line(&line, ADDRESS))
    });
}

#[test]
fn a64_is_what_yaxpeax_says() {
    use yaxpeax_arch::{Decoder, U8Reader};
    let decoder = armv8::a64::InstDecoder::default();
    compare(Isa::A64, "yaxpeax", |bytes, _| {
        let one = decoder.decode(&mut U8Reader::new(bytes)).ok()?;
        Some(Said::of_line(&one.to_string(), ADDRESS))
    });
}

/// Its offsets count from different places: the second argument says from which, by the word.
fn yaxpeax_says(
    decoder: armv7::InstDecoder,
    base: impl Fn(u32) -> u64,
) -> impl Fn(&[u8], u32) -> Option<Said> {
    use yaxpeax_arch::{Decoder, U8Reader};
    move |bytes, word| {
        let one = decoder.decode(&mut U8Reader::new(bytes)).ok()?;
        let said = Said::of_line(&one.to_string(), ADDRESS + base(word));
        (!said.line.starts_with("invalid")).then_some(said)
    }
}

#[test]
fn a32_is_what_yaxpeax_says() {
    let is_blx = |word: u32| word >> 28 == 0b1111;
    let base = |word| if is_blx(word) { 8 } else { 0 };
    compare(
        Isa::A32,
        "yaxpeax",
        yaxpeax_says(armv7::InstDecoder::armv7ve(), base),
    );
}

#[test]
fn t32_is_what_yaxpeax_says() {
    let is_narrow_conditional = |word: u32| matches!(word >> 28, 0b1011 | 0b1101);
    let base = |word| if is_narrow_conditional(word) { 2 } else { 4 };
    compare(
        Isa::T32,
        "yaxpeax",
        yaxpeax_says(armv7::InstDecoder::default_thumb(), base),
    );
}
