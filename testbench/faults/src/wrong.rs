// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong images, damaged traces and lost words: whether counts that they change are reported.

use anyhow::Result;
use coretrace_isa::Isa;
use coretrace_test_gen::trace_unit::Page;
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::program::Program;

/// Seed of the cases.
const SEED: u64 = 1;
/// Cases of each row.
const CASES: usize = 300;
/// Bytes of a word of the port.
const WORD: usize = 4;
/// The most words that an image is shifted by, and that are lost together.
const MOST_WORDS: usize = 64;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The image is 4 to 256 bytes away from where it was.
    Shifted,
    /// One branch that was taken is another instruction in the image: a NOP, or another branch of it.
    Patched,
    /// One bit of the trace is inverted.
    Damaged,
    /// 1 to 64 words of the trace found the FIFO full: the core says so in the stream.
    Overrun,
}

impl Wrong {
    /// Everything.
    pub const ALL: [Wrong; 4] = [
        Wrong::Shifted,
        Wrong::Patched,
        Wrong::Damaged,
        Wrong::Overrun,
    ];

    /// Name for a table.
    pub const fn name(self) -> &'static str {
        match self {
            Wrong::Shifted => "image shifted",
            Wrong::Patched => "a branch of the image patched",
            Wrong::Damaged => "a bit of the trace",
            Wrong::Overrun => "words of the trace lost",
        }
    }
}

/// The effects of cases.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effects {
    /// Cases.
    pub cases: usize,
    /// A branch has another count.
    pub changed: usize,
    /// Of these: the decoder reports an error, bytes that were not read, or a loss,
    pub by_decoder: usize,
    /// or else, the walk is lost where it was not before,
    pub by_walk: usize,
    /// or else, the sums contradict the table,
    pub by_sums: usize,
    /// or else, nothing.
    pub silent: usize,
}

/// The effects of so many cases.
///
/// # Errors
/// If a table is too large.
pub fn effects(program: &Program, wrong: Wrong, cases: usize) -> Result<Effects> {
    let mut rng = rng(SEED);
    let compiler = program.compile(&program.pages)?;
    let decoded = program.decode(&[&program.trace]);
    let right = program.walk(&decoded.items, compiler.table());
    let taken = right.taken(&compiler);
    let sites = compiler.sites().iter().map(|it| &it.site);
    let was_taken = sites.filter(|site| taken.contains_key(&site.address));
    let branches: Vec<Branch> = was_taken
        .map(|site| (site.address, site.instruction.size.into()))
        .collect();
    let mut effects = Effects {
        cases,
        ..Effects::default()
    };
    for _ in 0..cases {
        let pages = match wrong {
            Wrong::Shifted => shifted(&mut rng, &program.pages),
            Wrong::Patched => patched(&mut rng, program, &branches),
            Wrong::Damaged | Wrong::Overrun => program.pages.clone(),
        };
        let stretches = match wrong {
            Wrong::Damaged => vec![damaged(&mut rng, &program.trace)],
            Wrong::Overrun => overrun(&mut rng, &program.trace),
            Wrong::Shifted | Wrong::Patched => vec![program.trace.clone()],
        };
        let stretches: Vec<&[u8]> = stretches.iter().map(Vec::as_slice).collect();
        let compiler = program.compile(&pages)?;
        let decoded = program.decode(&stretches);
        let walked = program.walk(&decoded.items, compiler.table());
        if walked.taken(&compiler) == taken {
            continue;
        }
        effects.changed += 1;
        *if decoded.is_reported {
            &mut effects.by_decoder
        } else if walked.losses != right.losses {
            &mut effects.by_walk
        } else if walked.is_contradicted(compiler.table()) {
            &mut effects.by_sums
        } else {
            &mut effects.silent
        } += 1;
    }
    Ok(effects)
}

/// The image somewhere near.
fn shifted(rng: &mut Rng, pages: &[Page]) -> Vec<Page> {
    let distance = (WORD * rng.random_range(1..=MOST_WORDS)) as u64;
    let distance = if rng.random() {
        distance
    } else {
        distance.wrapping_neg()
    };
    let mut pages = pages.to_vec();
    for page in &mut pages {
        page.address = page.address.wrapping_add(distance);
    }
    pages
}

/// The address of a branch, and its bytes.
type Branch = (u64, usize);

/// The image with another instruction in place of one of these branches.
fn patched(rng: &mut Rng, program: &Program, branches: &[Branch]) -> Vec<Page> {
    let mut pages = program.pages.clone();
    let mut branch = || *branches.choose(rng).expect("a branch that was taken");
    let (place, other) = (branch(), branch());
    let instead = if place.1 == other.1 && rng.random() {
        instruction(&mut pages, other).to_vec()
    } else {
        nop(program.isa, place.1)
    };
    instruction(&mut pages, place).copy_from_slice(&instead);
    pages
}

/// So many bytes of instructions that do nothing.
fn nop(isa: Isa, bytes: usize) -> Vec<u8> {
    let nop = match isa {
        Isa::A64 => &[0x1F, 0x20, 0x03, 0xD5][..],
        Isa::A32 => &[0x00, 0xF0, 0x20, 0xE3],
        Isa::T32 => &[0x00, 0xBF],
    };
    nop.repeat(bytes / nop.len())
}

/// The instruction of a branch.
fn instruction(pages: &mut [Page], (address, bytes): Branch) -> &mut [u8] {
    let offset = |page: &Page| address.wrapping_sub(page.address) as usize;
    let mut pages = pages.iter_mut();
    let page = pages.find(|page| offset(page) < page.bytes.len());
    let page = page.expect("a page with the branch");
    let start = offset(page);
    &mut page.bytes[start..start + bytes]
}

/// The trace with a wrong bit.
fn damaged(rng: &mut Rng, trace: &[u8]) -> Vec<u8> {
    let mut trace = trace.to_vec();
    let place = rng.random_range(0..trace.len());
    trace[place] ^= 1 << rng.random_range(0..8);
    trace
}

/// The trace before and behind words that are missing.
fn overrun(rng: &mut Rng, trace: &[u8]) -> Vec<Vec<u8>> {
    let start = rng.random_range(0..trace.len() / WORD) * WORD;
    let end = start + WORD * rng.random_range(1..=MOST_WORDS);
    let rest = trace.get(end..).unwrap_or_default();
    vec![trace[..start].to_vec(), rest.to_vec()]
}

/// The effects as a table.
///
/// # Errors
/// If a table is too large.
pub fn document(programs: &[Program]) -> Result<String> {
    let mut text =
        "| program | wrong | cases | change a count | by the decoder | by the walk | by the sums \
        | silent |\n|---|---|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
    for program in programs {
        for wrong in Wrong::ALL {
            let it = effects(program, wrong, CASES)?;
            text += &format!(
                "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                program.name,
                wrong.name(),
                it.cases,
                it.changed,
                it.by_decoder,
                it.by_walk,
                it.by_sums,
                it.silent
            );
        }
    }
    Ok(text)
}
