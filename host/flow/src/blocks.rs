// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: the instructions from an address to the next one that a trace reports.

use coretrace_etm::{Protocol, SourceConfig};
use coretrace_isa::{Class, Isa};
use hashbrown::HashMap;

use crate::element::{LastInstruction, Outcome, Range};
use crate::images::{ImageSet, Images};

/// The number of a block.
pub type BlockId = u32;

/// In place of a block that is not known yet.
pub const UNKNOWN: BlockId = BlockId::MAX;

/// The block without instructions that was looked up last. There is one place for all of them: a
/// trace may name any number of addresses that no image has.
pub const NOWHERE: BlockId = 0;

/// Blocks that were looked up last, one for each low part of an address. A power of two.
const RECENT: usize = 2048;

/// Instructions of a block, at most. A longer stretch without a branch is several blocks.
const MOST: u32 = 4096;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a branch to an address that is in the instruction.
    Direct(Isa, u64),
    /// With a branch to an address that is not.
    Indirect,
    /// With a barrier or a wait, or the start of a transaction: the next instruction follows.
    Next,
    /// It goes on in the block behind it.
    GoesOn,
    /// In front of an address that no image has.
    NoImage,
}

/// Instructions from an address to the next one that a trace reports, that one among them. One cache
/// line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Block {
    /// Address of the first instruction.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// Number of instructions.
    pub count: u32,
    /// The instruction set.
    pub isa: Isa,
    /// How it ends.
    pub ending: Ending,
    /// Its last instruction.
    pub last: LastInstruction,
    /// The images that it was made from.
    set: ImageSet,
    /// The blocks behind an N atom and an E atom: [`UNKNOWN`] until they have been looked up, and
    /// where they are not always the same.
    pub(crate) behind: [BlockId; 2],
}

const _: () = assert!(size_of::<Block>() == 64);

impl Block {
    /// Whether its branch is always taken, as far as the instruction alone says.
    pub(crate) fn is_always_taken(&self) -> bool {
        let is_branch = matches!(self.last.class, Class::Direct | Class::Indirect);
        is_branch && !self.last.is_conditional && self.isa != Isa::T32
    }

    /// All of it.
    #[inline]
    pub fn range(&self, taken: bool) -> Range {
        Range {
            start: self.start,
            end: self.end,
            count: self.count,
            isa: self.isa,
            outcome: [Outcome::N, Outcome::E][usize::from(taken)],
            last: self.last,
        }
    }
}

/// Which instructions a trace unit reports besides branches and barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// WFI and WFE.
    pub waits: bool,
    /// The start of a transaction.
    pub transactions: bool,
}

impl Reported {
    /// Those that the trace unit of a source reports.
    pub fn new(source: &SourceConfig) -> Reported {
        let is_ete = source.protocol == Protocol::Ete;
        let minor = source.registers.trcidr1 >> 4 & 0xF;
        Reported {
            // TRCIDR2.WFXMODE
            waits: source.registers.trcidr2 >> 31 == 1 && (is_ete || minor >= 3),
            transactions: is_ete,
        }
    }

    /// Whether it reports instructions of a class.
    pub fn has(self, class: Class) -> bool {
        match class {
            Class::Other => false,
            Class::Direct | Class::Indirect | Class::Barrier => true,
            Class::Wait => self.waits,
            Class::TransactionStart => self.transactions,
        }
    }
}

/// The blocks of a program, made when they are first reached, and never changed, but for
/// the one without instructions. 64 bytes each, and 32 for their place in the index.
#[derive(Clone, Debug)]
pub struct Blocks {
    reported: Reported,
    blocks: Vec<Block>,
    index: HashMap<(u64, Isa, ImageSet), BlockId>,
    recent: Box<[BlockId; RECENT]>,
}

impl Blocks {
    /// No blocks yet.
    pub fn new(reported: Reported) -> Blocks {
        Blocks {
            reported,
            blocks: vec![empty(ImageSet::default(), Isa::A64, 0)],
            index: HashMap::new(),
            recent: Box::new([UNKNOWN; RECENT]),
        }
    }

    /// A block.
    #[inline]
    pub fn get(&self, id: BlockId) -> &Block {
        &self.blocks[id as usize]
    }

    pub(crate) fn get_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.blocks[id as usize]
    }

    /// The block that begins at an address.
    #[inline]
    pub fn at(&mut self, images: &Images, set: ImageSet, isa: Isa, address: u64) -> BlockId {
        let place = (address >> 1 ^ address >> 12) as usize % RECENT;
        let id = self.recent[place];
        if let Some(block) = self.blocks.get(id as usize)
            && (block.start, block.isa, block.set) == (address, isa, set)
        {
            return id;
        }
        let id = self.find(images, set, isa, address);
        self.recent[place] = id;
        id
    }

    fn find(&mut self, images: &Images, set: ImageSet, isa: Isa, address: u64) -> BlockId {
        if let Some(&known) = self.index.get(&(address, isa, set)) {
            return known;
        }
        let block = block(images, set, isa, address, self.reported);
        if block.count == 0 {
            self.blocks[NOWHERE as usize] = block;
            return NOWHERE;
        }
        let id = self.blocks.len() as BlockId;
        self.blocks.push(block);
        self.index.insert((address, isa, set), id);
        id
    }
}

/// A block without instructions.
fn empty(set: ImageSet, isa: Isa, start: u64) -> Block {
    Block {
        start,
        end: start,
        count: 0,
        isa,
        ending: Ending::GoesOn,
        last: LastInstruction::default(),
        set,
        behind: [UNKNOWN; 2],
    }
}

fn block(images: &Images, set: ImageSet, isa: Isa, start: u64, reported: Reported) -> Block {
    let mut block = empty(set, isa, start);
    let mut fetch = images.fetch(set, isa, start);
    while block.count < MOST {
        let Some(found) = fetch.next() else {
            block.ending = Ending::NoImage;
            break;
        };
        block.count += 1;
        block.end = block.end.wrapping_add(found.size.into());
        block.last = LastInstruction {
            size: found.size,
            is_conditional: found.is_conditional,
            ..LastInstruction::default()
        };
        if reported.has(found.class) {
            block.last = LastInstruction::of(&found);
            block.ending = match found.target {
                Some((isa, target)) => Ending::Direct(isa, target),
                None if found.class == Class::Indirect => Ending::Indirect,
                None => Ending::Next,
            };
            break;
        }
    }
    block
}
