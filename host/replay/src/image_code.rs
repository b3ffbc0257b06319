// SPDX-License-Identifier: MIT OR Apache-2.0
//! The branches in images of a program.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::exception_call::is_exception_call;
use coretrace_abi::compressed::item::Note;
use coretrace_etm::Context;
use coretrace_flow::{ImageSet, Images};
use coretrace_isa::{Class, Instruction, Isa, Return, decode};

use crate::code::{Code, INSTRUCTION_BYTES, Site};

/// Instructions without a branch, at most: more are no program.
const MOST: u64 = 1 << 20;

/// The code that the contexts of a trace see.
#[derive(Debug)]
pub struct ImageCode {
    images: RefCell<Images>,
    /// What the context sees that the trace is in.
    set: Cell<ImageSet>,
    context: Cell<Context>,
    isa: Isa,
    /// Branches that have been looked for.
    known: RefCell<HashMap<(ImageSet, u64), Site>>,
}

impl ImageCode {
    /// A64 or A32 code in these images.
    pub fn new(images: Images, isa: Isa) -> ImageCode {
        let code = ImageCode {
            images: RefCell::new(images),
            set: Cell::default(),
            context: Cell::default(),
            isa,
            known: RefCell::default(),
        };
        code.enter(Context::default());
        code
    }

    /// The program is in a context.
    fn enter(&self, context: Context) {
        self.context.set(context);
        self.set.set(self.images.borrow_mut().set(&context));
    }

    fn site_at(&self, address: u64) -> Option<Option<Site>> {
        let images = self.images.borrow();
        let bytes = images.at(self.set.get(), address).first_chunk()?;
        let word = u32::from_le_bytes(*bytes);
        if is_exception_call(self.isa, word) {
            return Some(Some(Site {
                address,
                kind: BranchKind::EXCEPTION,
                target: 0,
            }));
        }
        let instruction = decode(self.isa, word, address);
        let is_branch = matches!(instruction.class, Class::Direct | Class::Indirect);
        Some(is_branch.then(|| Site {
            address,
            kind: kind(&instruction),
            target: instruction.target.map_or(0, |(_, target)| target),
        }))
    }

    fn look_for(&self, start: u64) -> Option<Site> {
        let mut address = start;
        for _ in 0..MOST {
            if let Some(site) = self.site_at(address)? {
                return Some(site);
            }
            address = address.checked_add(INSTRUCTION_BYTES)?;
        }
        None
    }
}

impl Code for ImageCode {
    fn branch_from(&self, address: u64) -> Option<Site> {
        let key = (self.set.get(), address);
        if let Some(known) = self.known.borrow().get(&key) {
            return Some(*known);
        }
        // What is outside the images is not kept: a damaged block may name any address.
        let site = self.look_for(address)?;
        self.known.borrow_mut().insert(key, site);
        Some(site)
    }

    fn note(&self, note: &Note) {
        match *note {
            Note::Context(word) => self.enter(Note::context(word)),
            Note::Identifiers { vmid, cid } => self.enter(Context {
                vmid,
                cid,
                ..self.context.get()
            }),
            Note::Timestamp(_) | Note::Bytes(_) => {}
        }
    }
}

fn kind(instruction: &Instruction) -> BranchKind {
    let is_return = matches!(instruction.returns, Return::Function | Return::Implied);
    let kinds = [
        (instruction.is_conditional, BranchKind::CONDITIONAL),
        (instruction.class == Class::Indirect, BranchKind::INDIRECT),
        (instruction.is_link, BranchKind::LINK),
        (is_return, BranchKind::RETURN),
    ];
    let has = kinds.into_iter().filter(|(has, _)| *has);
    has.fold(BranchKind::default(), |all, (_, kind)| all.and(kind))
}
