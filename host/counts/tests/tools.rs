// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profiles of random paths through a program that clang compiles, in BOLT and LLVM. Without the tools
//! the tests are skipped.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_counts::{
    Counter, Counts, FileCounts, Source, write_autofdo, write_bolt, write_fdata,
};
use coretrace_etm::Registers;
use coretrace_flow::{Element, ElementSink, LastInstruction, Outcome, Range};
use coretrace_isa::{Class, Isa, Return, decode};
use coretrace_program::{Program, Symbols};
use coretrace_test_support::llvm;
use tempfile::TempDir;

/// Loops, calls, calls by address, choices.
const TEXT: &str = "
    volatile unsigned sink;
    static unsigned __attribute__((noinline)) mix(unsigned a) { return a * 31 + (a >> 3); }
    static unsigned __attribute__((noinline)) twice(unsigned a) { return mix(a) + mix(a + 1); }
    unsigned (*volatile choice[2])(unsigned) = {mix, twice};
    unsigned __attribute__((noinline)) step(unsigned kind, unsigned value) {
        switch (kind & 7) {
            case 0: return value + 1;
            case 1: return mix(value) ^ 5;
            case 2: sink = value; return value * 3;
            case 3: return choice[value & 1](value);
            case 4: return value > 9 ? twice(value) : value - 1;
            default: return value;
        }
    }
    unsigned __attribute__((noinline)) run(unsigned n) {
        unsigned value = n;
        for (unsigned i = 0; i < n; i++) {
            for (unsigned k = 0; k < (value & 3); k++) sink += k;
            if (value & 4) value = step(i, value); else value ^= twice(i);
        }
        return value;
    }
    void _start(void) { for (;;) sink = run(sink); }
";

/// Compiles the program; its file.
fn compile(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("walk.c"), folder.join("walk.elf"));
    fs::write(&source, TEXT).expect("written");
    llvm(
        "clang",
        &[
            "--target=aarch64-linux-gnu",
            "-O1",
            "-g",
            "-fdebug-info-for-profiling",
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-fuse-ld=lld-19",
            "-Wl,-q",
            source.to_str().expect("text"),
            "-o",
            program.to_str().expect("text"),
        ],
    )?;
    Some(program)
}

/// A linear congruential generator: its seed is its first state.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Walks from the entry of a program, branching at random, and counts the elements of the walk.
fn walk(program: &Program, symbols: &Symbols<'_>, seed: u64, ranges: usize) -> Counts {
    let file = &symbols.files()[0];
    let functions = file.functions();
    let function = |name: &str| {
        functions
            .iter()
            .find(|it| it.name == name)
            .expect("a symbol")
    };
    let images: Vec<(u64, &[u8])> = program
        .images()
        .map(|image| (image.address, image.bytes()))
        .collect();
    let word = |at: u64| {
        let within = |(address, bytes): &(u64, &[u8])| {
            let offset = at.checked_sub(*address)? as usize;
            Some(u32::from_le_bytes(
                bytes.get(offset..offset + 4)?.try_into().ok()?,
            ))
        };
        images.iter().find_map(within).expect("code")
    };
    let mut random = Random(seed);
    let mut counter = Counter::new(Source::default(), &Registers::default());
    let mut stack = Vec::new();
    let (mut start, mut at, mut found) = (function("_start").start, function("_start").start, 0);
    while found < ranges {
        let instruction = decode(Isa::A64, word(at), at);
        let next = at + 4;
        if !matches!(instruction.class, Class::Direct | Class::Indirect) {
            at = next;
            continue;
        }
        let is_taken = !instruction.is_conditional || random.below(3) == 0;
        let target = match (instruction.target, instruction.returns) {
            (Some((_, target)), _) => target,
            (None, Return::None) if instruction.is_link => {
                function(["mix", "twice"][random.below(2) as usize]).start
            }
            // A call at the end of a function.
            (None, Return::None) => function("mix").start,
            (None, _) => stack.pop().expect("a call"),
        };
        counter.element(
            0,
            &Element::Range(Range {
                start,
                end: next,
                count: ((next - start) / 4) as u32,
                isa: Isa::A64,
                outcome: if is_taken { Outcome::E } else { Outcome::N },
                last: LastInstruction::of(&instruction),
            }),
        );
        found += 1;
        if is_taken && instruction.is_link {
            stack.push(next);
        }
        at = if is_taken { target } else { next };
        start = at;
    }
    counter.finish()
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn bolt_and_llvm_agree_with_the_counts_of_random_paths() {
    let folder = TempDir::new().expect("a folder");
    let Some(path) = compile(folder.path()) else {
        return;
    };
    let name = path.to_str().expect("text");
    let mut program = Program::default();
    program.add_file(&path, None).expect("a program");
    let symbols = program.symbols().expect("symbols");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    for seed in 1..=3 {
        let counts = walk(&program, &symbols, seed, 20_000);
        let mut linked = FileCounts::default();
        linked.add(&counts, &symbols, 0);
        let file = &symbols.files()[0];
        let (mut bolt, mut fdata, mut autofdo) = (String::new(), String::new(), String::new());
        write_bolt(&mut bolt, &linked, file);
        write_fdata(&mut fdata, &linked, file);
        write_autofdo(&mut autofdo, &linked);

        let branches = write("branches", &bolt);
        let made = folder
            .path()
            .join("made")
            .to_str()
            .expect("text")
            .to_owned();
        let args = ["-aggregate-only", "-pa", "-p", &branches, "-o", &made, name];
        if let Some(said) = llvm("perf2bolt", &args) {
            let sound = "traces mismatching disassembled function contents: 0 (0.0%)";
            assert!(said.contains(sound), "seed {seed}: {said}");
            let made = fs::read_to_string(made).expect("written");
            assert_eq!(lines(&fdata), lines(&made), "seed {seed}");
            assert!(made.lines().count() > 30, "seed {seed}: {made}");
        }
        let data = format!("-data={}", write("fdata", &fdata));
        let out = folder.path().join("out").to_str().expect("text").to_owned();
        if let Some(said) = llvm(
            "llvm-bolt",
            &[name, &data, "-o", &out, "-reorder-blocks=ext-tsp"],
        ) {
            for word in ["stale", "invalid"] {
                assert!(!said.contains(word), "seed {seed}: {said}");
            }
        }
        let from = format!("--unsymbolized-profile={}", write("autofdo", &autofdo));
        let (binary, to) = (format!("--binary={name}"), format!("--output={out}.prof"));
        llvm("llvm-profgen", &[&from, "--use-offset=0", &binary, &to]);
    }
}
