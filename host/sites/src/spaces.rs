// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address spaces: who sees what in memory, and the rules by which a core knows them.

use std::collections::BTreeSet;
use std::fmt;

use coretrace_abi::flow_table::{
    LEVEL_MASK, LEVELS, NO_SPACE, SPACE_RULES, SpaceRule, SpaceRules, level_bits,
};
use coretrace_etm::Context;
use coretrace_flow::{ImageSet, Images};

/// The images need more rules than a core has: so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySpaces(pub usize);

impl fmt::Display for TooManySpaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooManySpaces(rules) = self;
        write!(
            f,
            "the memory images need {rules} rules of address spaces, and a core has {SPACE_RULES}"
        )
    }
}

impl std::error::Error for TooManySpaces {}

/// The address spaces of the contexts of a program.
#[derive(Clone, Debug)]
pub struct AddressSpaces {
    pub(crate) images: Images,
    pub(crate) sets: Vec<ImageSet>,
}

impl AddressSpaces {
    /// Those of these contexts: contexts that have the same in memory have one address space. There are
    /// at most 15; contexts beyond see what all of them see.
    pub fn new(images: Images, contexts: impl IntoIterator<Item = Context>) -> AddressSpaces {
        let mut spaces = AddressSpaces {
            images,
            sets: Vec::new(),
        };
        for context in contexts {
            let set = spaces.images.set(&context);
            if !spaces.sets.contains(&set) && spaces.sets.len() < usize::from(NO_SPACE) {
                spaces.sets.push(set);
            }
        }
        spaces
    }

    /// The address spaces of any contexts, and the rules by which a core knows them: a space has the number
    /// of its rule. A context that sees nothing has none.
    ///
    /// # Errors
    /// If a core has fewer rules.
    pub fn with_rules(images: Images) -> Result<(AddressSpaces, SpaceRules), TooManySpaces> {
        let vmids = numbers(images.all().iter().map(|image| image.vmid));
        let cids = numbers(images.all().iter().map(|image| image.cid));
        let mut spaces = AddressSpaces {
            images,
            sets: Vec::new(),
        };
        // The rule for numbers that no image has is behind all others, and so comes first here.
        let mut rules = Vec::new();
        for &vmid in &vmids {
            for &cid in &cids {
                let (current_vmid, current_cid) = (one_of(vmid, &vmids), one_of(cid, &cids));
                let of_level = |level| Context {
                    info: info(level),
                    vmid: current_vmid,
                    cid: current_cid,
                };
                for (set, levels) in spaces.sets_of(of_level) {
                    let is_wrong = |level| !spaces.is_known(set, &rules, &of_level(level));
                    if (0..LEVELS).any(|level| levels >> level & 1 == 1 && is_wrong(level)) {
                        rules.insert(0, SpaceRule { levels, vmid, cid });
                        spaces.sets.insert(0, set);
                    }
                }
            }
        }
        let mut held = SpaceRules::default();
        if rules.len() > held.len() {
            return Err(TooManySpaces(rules.len()));
        }
        for (held, rule) in held.iter_mut().zip(rules) {
            *held = Some(rule);
        }
        Ok((spaces, held))
    }

    /// What a context sees at each level, if that is something: the levels, a bit each.
    fn sets_of(&mut self, of_level: impl Fn(u32) -> Context) -> Vec<(ImageSet, u16)> {
        let mut sets: Vec<(ImageSet, u16)> = Vec::new();
        for level in 0..LEVELS {
            let set = self.images.set(&of_level(level));
            match sets.iter_mut().find(|(known, _)| *known == set) {
                Some((_, levels)) => *levels |= 1 << level,
                None => sets.push((set, 1 << level)),
            }
        }
        sets
    }

    /// Whether the rules say that a context sees this; if none of them holds it sees nothing.
    fn is_known(&self, set: ImageSet, rules: &[SpaceRule], context: &Context) -> bool {
        let rule = rules.iter().position(|rule| rule.holds(context));
        match rule {
            Some(rule) => self.sets[rule] == set,
            None => self.images.parts(set).next().is_none(),
        }
    }

    /// The address space of a context.
    pub fn of(&mut self, context: &Context) -> u8 {
        let set = self.images.set(context);
        let number = self.sets.iter().position(|known| *known == set);
        number.map_or(NO_SPACE, |number| number as u8)
    }
}

/// Any number, and those that images have.
fn numbers(of_images: impl Iterator<Item = Option<u32>>) -> BTreeSet<Option<u32>> {
    of_images.chain([None]).collect()
}

/// A number, or one that no image has.
fn one_of(number: Option<u32>, all: &BTreeSet<Option<u32>>) -> u32 {
    let mut others = (0..=u32::MAX).filter(|&other| !all.contains(&Some(other)));
    number.or_else(|| others.next()).unwrap_or_default()
}

/// The context information byte of a level.
fn info(level: u32) -> u8 {
    let mut infos = (0..=u8::MAX).filter(|info| info & !LEVEL_MASK == 0);
    let info = infos.find(|info| u32::from(level_bits(*info)) == level);
    info.unwrap_or_default()
}
