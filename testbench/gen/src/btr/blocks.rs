// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the blocks that an emulator executed to a branch trace.

use super::{BranchTrace, BranchTraceBuilder, INSTRUCTION_BYTES, Site, SiteKind};
use coretrace_isa::{Class, Isa, Return, decode};

/// Instructions one after the other, without a branch before the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedBlock {
    /// Address of the first instruction.
    pub address: u64,
    /// Instructions.
    pub count: u64,
}

impl ExecutedBlock {
    fn end(&self) -> u64 {
        self.address
            .wrapping_add(self.count.wrapping_mul(INSTRUCTION_BYTES))
    }
}

impl BranchTrace {
    /// The trace of blocks in the order of their execution. `word` has the instructions. What follows
    /// the last branch is left out, since nobody knows how it ended.
    ///
    /// Returns `None` if there is no instruction at the end of a block, or a block is empty.
    pub fn of_blocks(
        isa: Isa,
        blocks: impl IntoIterator<Item = ExecutedBlock>,
        word: impl Fn(u64) -> Option<u32>,
    ) -> Option<BranchTrace> {
        let mut blocks = blocks.into_iter();
        let mut block = blocks.next()?;
        let mut builder = BranchTraceBuilder::new(isa, block.address);
        let mut instructions = 0u64;
        for next in blocks {
            instructions = instructions.saturating_add(block.count);
            let last = block.end().wrapping_sub(INSTRUCTION_BYTES);
            let site = site(isa, word(last)?, last);
            let taken = is_taken(&site, block.end(), next.address);
            // An emulator may end a block anywhere.
            if let Some(site) = site.filter(|_| block.count > 0) {
                builder.push(site, taken, instructions, next.address);
                instructions = 0;
            } else if taken {
                let here = Site {
                    address: last,
                    target: 0,
                    kind: SiteKind::DISCONTINUITY,
                };
                builder.push(here, true, instructions, next.address);
                instructions = 0;
            }
            block = next;
        }
        Some(builder.finish())
    }
}

fn is_taken(site: &Option<Site>, behind: u64, next: u64) -> bool {
    // A branch to the next instruction may be taken: nobody can see that.
    let always = site.is_some_and(|site| !site.kind.is(SiteKind::CONDITIONAL));
    always || next != behind
}

/// The site of an instruction, if it is one.
fn site(isa: Isa, word: u32, address: u64) -> Option<Site> {
    let found = decode(isa, word, address);
    let supervisor_call = match isa {
        Isa::A64 => word & 0xFFE0_001F == 0xD400_0001,
        _ => word & 0x0F00_0000 == 0x0F00_0000 && word >> 28 < 0xF,
    };
    let kind = match found.class {
        Class::Direct => SiteKind::BRANCH,
        Class::Indirect => SiteKind::BRANCH.and(SiteKind::INDIRECT),
        Class::Barrier => SiteKind::BARRIER,
        _ if supervisor_call => SiteKind::SUPERVISOR_CALL,
        _ => return None,
    };
    let with = |is: bool, kind: SiteKind| if is { kind } else { SiteKind(0) };
    Some(Site {
        address,
        target: found.target.map_or(0, |(_, target)| target),
        kind: kind
            .and(with(found.is_conditional, SiteKind::CONDITIONAL))
            .and(with(found.is_link, SiteKind::LINK))
            .and(with(found.returns != Return::None, SiteKind::RETURN)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_end_anywhere_give_the_records_of_their_branches() {
        // nop, b.ne #-4, bl #0x100; at 0x1108: nop, ret; a system call at 0x100c.
        let words = [
            (0x1004, 0x54FF_FFE1),
            (0x1008, 0x9400_0040),
            (0x110C, 0xD65F_03C0),
            (0x100C, 0xD400_0001),
        ];
        let word = |address| {
            let known = words.iter().find(|known| known.0 == address);
            Some(known.map_or(0xD503_201F, |known| known.1))
        };
        let block = |address, count| ExecutedBlock { address, count };
        let blocks = [
            block(0x1000, 2),
            block(0x1000, 1),
            block(0x1004, 1),
            block(0x1008, 1),
            block(0x1108, 2),
            block(0x100C, 1),
            block(0x1010, 1),
        ];
        let trace = BranchTrace::of_blocks(Isa::A64, blocks, word).expect("a trace");
        let records: Vec<_> = trace
            .records()
            .map(|it| (trace.sites[it.site].address, it.taken, it.instructions))
            .collect();
        let want = [
            (0x1004, true, 2),
            (0x1004, false, 2),
            (0x1008, true, 1),
            (0x110C, true, 2),
            (0x100C, true, 1),
        ];
        assert_eq!(records, want);
        assert_eq!(BranchTrace::read(&trace.write()), Ok(trace));
    }
}
