// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the recorder in `testbench/pgo/recorder.c` writes, as a branch trace.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_isa::Isa;
use coretrace_program::Program;
use coretrace_test_gen::btr::{BranchTrace, ExecutedBlock};

const RECORD_BYTES: usize = 16;
/// A record with this bit is a block of code.
const IS_BLOCK: u32 = 1 << 31;

/// The branch trace of a recording of a program.
///
/// # Errors
/// If the recording or the program cannot be read, or do not belong together.
pub fn read(recording: &Path, elf: &Path) -> Result<BranchTrace> {
    let bytes = fs::read(recording).context("the recorder has written nothing")?;
    let blocks = executed(&bytes)?;
    let mut program = Program::default();
    program.add_file(elf, None)?;
    let word = |address: u64| {
        let mut images = program.images();
        images.find_map(|image| {
            let offset = usize::try_from(address.checked_sub(image.address)?).ok()?;
            let word = image.bytes().get(offset..)?.first_chunk()?;
            Some(u32::from_le_bytes(*word))
        })
    };
    let trace = BranchTrace::of_blocks(Isa::A64, blocks, word);
    trace.with_context(|| format!("{} has not what was executed", elf.display()))
}

/// The blocks in the order of their execution.
fn executed(bytes: &[u8]) -> Result<Vec<ExecutedBlock>> {
    let (records, rest) = bytes.as_chunks::<RECORD_BYTES>();
    ensure!(rest.is_empty(), "the recording is cut");
    let mut blocks = Vec::new();
    let mut executed = Vec::new();
    for record in records {
        let word = |index: usize| {
            let bytes = record[4 * index..].first_chunk().copied();
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let words = [word(1), word(2), word(3)];
        if word(0) & IS_BLOCK != 0 {
            ensure!(
                (word(0) & !IS_BLOCK) as usize == blocks.len(),
                "a block of the recording is missing"
            );
            blocks.push(ExecutedBlock {
                address: u64::from(words[1]) | u64::from(words[2]) << 32,
                count: words[0].into(),
            });
            continue;
        }
        for number in words.iter().take(word(0) as usize) {
            let block = blocks.get(*number as usize);
            executed.push(*block.context("the recording executes a block that it does not have")?);
        }
    }
    Ok(executed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_executed_in_their_order() {
        let record = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
        let file = [
            record([IS_BLOCK, 3, 0x1000, 1]),
            record([IS_BLOCK | 1, 1, 0x2000, 0]),
            record([3, 1, 0, 0]),
            record([1, 1, 77, 77]),
        ]
        .concat();
        let [first, second] = [(0x1_0000_1000, 3), (0x2000, 1)]
            .map(|(address, count)| ExecutedBlock { address, count });
        assert_eq!(
            executed(&file).expect("a recording"),
            [second, first, first, second]
        );
        assert!(executed(&file[..40]).is_err());
        assert!(executed(&record([1, 0, 0, 0])).is_err());
        assert!(executed(&record([IS_BLOCK | 1, 0, 0, 0])).is_err());
    }
}
