// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compiler of flow tables: code in, the words of a table out.
//!
//! The sites of a module have numbers in the order of their addresses. Where code ends inside a row,
//! the last unit in front of the next code is a site that no atom belongs to, and so is one behind
//! the last site of a row with nothing behind it: a program that leaves its code does not go unnoticed.

mod numbering;
mod places;

use std::ops::Range;

use coretrace_abi::flow_table::{
    ExitWord, FRAME_ROWS, LONGEST_RUN, NO_SPACE, PageWord, RunWord, Widths, isa_code,
};
use coretrace_flow::Reported;
use coretrace_isa::Isa;

use crate::fit::DoesNotFit;
use crate::module::{Module, SpaceMask};
use crate::section::{Exit, Site};
use crate::shadow::Used;
use crate::table::FlowTable;
use numbering::Numbering;
use places::Places;

/// What is in a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Numbers of sites in use, with that of nowhere.
    pub sites: usize,
    /// Frames in use.
    pub frames: usize,
    /// Direct branches to code that is not loaded.
    pub outside: usize,
    /// Pages for which there is no slot: no address of them is known.
    pub left_out: Vec<u64>,
}

/// A site of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedSite {
    /// Its number.
    pub number: u32,
    /// The instruction.
    pub site: Site,
    /// The instruction set.
    pub isa: Isa,
    /// The address spaces that have it.
    pub spaces: SpaceMask,
}

/// Loads modules one after the other.
#[derive(Clone, Debug)]
pub struct Compiler {
    reported: Reported,
    table: FlowTable,
    places: Places,
    sites: Vec<NumberedSite>,
    /// The address spaces that there are.
    spaces: u16,
    /// The numbers that sites and frames can have.
    room: Used,
    next_site: usize,
    next_frame: usize,
    left_out: Vec<u64>,
}

impl Compiler {
    /// No modules yet, for a trace unit that reports these instructions.
    pub fn new(widths: Widths, reported: Reported) -> Compiler {
        // The first site is nowhere.
        let room = Used {
            sites: 1..widths.sites(),
            frames: 0..widths.frames(),
        };
        Compiler::within(room, widths, reported)
    }

    /// The same for the shadow copy of a table.
    pub fn shadow(active: &FlowTable, reported: Reported) -> Compiler {
        let widths = active.widths();
        let room = active.used().free(widths.sites(), widths.frames());
        Compiler::within(room, widths, reported)
    }

    fn within(room: Used, widths: Widths, reported: Reported) -> Compiler {
        Compiler {
            reported,
            table: FlowTable::new(widths),
            places: Places::new(),
            sites: Vec::new(),
            spaces: 0,
            next_site: room.sites.start,
            next_frame: room.frames.start,
            room,
            left_out: Vec::new(),
        }
    }

    /// The table.
    pub fn table(&self) -> &FlowTable {
        &self.table
    }

    /// The sites, in the order of their numbers.
    pub fn sites(&self) -> &[NumberedSite] {
        &self.sites
    }

    /// The numbers of its sites, ends of code included.
    pub fn numbers(&self) -> Range<usize> {
        self.room.sites.start..self.next_site
    }

    /// What is in the table.
    pub fn report(&self) -> Report {
        let is_outside = |site: &&NumberedSite| {
            let exit = self.table.exit(site.number);
            exit.outside && !exit.indirect
        };
        Report {
            sites: self.next_site - self.room.sites.start + 1,
            frames: self.next_frame - self.room.frames.start,
            outside: self.sites.iter().filter(is_outside).count(),
            left_out: self.left_out.clone(),
        }
    }

    /// Loads a module. Branches to it from modules that are loaded lead there from now on.
    ///
    /// # Errors
    /// If it does not fit; then nothing has changed.
    pub fn add(&mut self, module: &Module) -> Result<(), DoesNotFit> {
        self.add_all(std::slice::from_ref(module))
    }

    /// Loads modules that may lead to each other.
    ///
    /// # Errors
    /// If one does not fit; then nothing has changed.
    pub fn add_all(&mut self, modules: &[Module]) -> Result<(), DoesNotFit> {
        let mut with = self.clone();
        for module in modules {
            with.number(module)?;
        }
        with.link();
        *self = with;
        Ok(())
    }

    /// Gives numbers to the sites of a module.
    fn number(&mut self, module: &Module) -> Result<(), DoesNotFit> {
        let numbering = Numbering::of(module, self.reported, self.next_site)?;
        let widths = self.table.widths();
        if numbering.end > self.room.sites.end {
            let sites = numbering.end - self.room.sites.start + 1;
            return Err(DoesNotFit::Sites(sites));
        }
        let frames = self.next_frame + numbering.pages.len();
        if frames > self.room.frames.end {
            return Err(DoesNotFit::Frames(frames - self.room.frames.start));
        }
        if module.spaces != SpaceMask::ANY {
            self.spaces |= module.spaces.0;
        }
        for (&number, rows) in &numbering.pages {
            let frame = self.next_frame;
            self.next_frame += 1;
            let words = self.table.rows_mut()[frame * FRAME_ROWS..].iter_mut();
            for (word, row) in words.zip(rows) {
                *word = row.pack(widths);
            }
            self.load_page(number, frame as u32, module)?;
        }
        let numbered = numbering.sites.iter().map(|&(number, site)| NumberedSite {
            number,
            site,
            isa: module.isa,
            spaces: module.spaces,
        });
        self.sites.extend(numbered);
        self.count_runs(self.next_site..numbering.end);
        self.next_site = numbering.end;
        Ok(())
    }

    /// Gives a page its slots.
    fn load_page(&mut self, number: u64, frame: u32, module: &Module) -> Result<(), DoesNotFit> {
        let any_space = module.spaces == SpaceMask::ANY;
        let spaces: Vec<u8> = if any_space {
            vec![NO_SPACE]
        } else {
            module.spaces.spaces().collect()
        };
        for space in spaces {
            let page = PageWord {
                frame,
                number,
                isa: isa_code(module.isa),
                space,
                any_space,
                valid: true,
            };
            if self.places.has(&page) {
                return Err(DoesNotFit::PageTaken { number });
            }
            if !self.places.add(page, &mut self.table) {
                self.left_out.push(number);
            }
        }
        Ok(())
    }

    /// The runs of new sites.
    fn count_runs(&mut self, numbers: Range<usize>) {
        let first = self
            .sites
            .partition_point(|it| (it.number as usize) < numbers.start);
        let runs = self.table.runs_mut();
        for it in self.sites[first..].iter().rev() {
            let number = it.number as usize;
            let behind = runs.get(number + 1).copied().unwrap_or_default();
            let behind = RunWord::unpack(behind).run;
            if it.site.is_conditional {
                let run = RunWord {
                    run: (behind + 1).min(LONGEST_RUN),
                    trigger: None,
                };
                runs[number] = run.pack();
            }
        }
    }

    /// Where all sites lead.
    fn link(&mut self) {
        let widths = self.table.widths();
        for index in 0..self.sites.len() {
            let it = self.sites[index];
            let mut word = ExitWord {
                exit: 0,
                link: it.site.instruction.is_link,
                indirect: it.site.exit == Exit::Indirect,
                outside: false,
                trigger: self.table.trigger_behind(it.number),
            };
            match it.site.exit {
                // The walk takes what the call has put on the stack.
                Exit::Indirect if it.site.instruction.is_link => word.exit = it.number + 1,
                Exit::Indirect => {}
                Exit::Next => word.exit = it.number + 1,
                Exit::Direct(isa, target) => match self.target(isa, target, it.spaces) {
                    Some(exit) => word.exit = exit,
                    None => word.outside = true,
                },
            }
            self.table.exits_mut()[it.number as usize] = word.pack(widths);
        }
    }

    /// The site of a target, if it is the same in all address spaces.
    fn target(&self, isa: Isa, target: u64, spaces: SpaceMask) -> Option<u32> {
        let is_any = spaces == SpaceMask::ANY;
        let all = SpaceMask(if is_any { self.spaces } else { spaces.0 });
        let places = all.spaces().chain(is_any.then_some(NO_SPACE));
        let mut sites = places.map(|space| self.table.rank(isa, space, target).ok());
        let first = sites.next()??;
        let is_same = sites.all(|site| site == Some(first));
        // The end of a stretch has an exit of its own.
        let is_end = self
            .sites
            .binary_search_by_key(&first, |it| it.number)
            .is_err();
        (is_same && !is_end).then_some(first)
    }
}
