// SPDX-License-Identifier: MIT OR Apache-2.0
//! The unit with loaded tables, and its hops as events of the model.

use crate::program::{FRAME_W, SITE_W};
use coretrace_abi::flow_table::{ExitWord, LostReason, RowWord, SETS};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_hdl_flow::{FlowUnit, Hop, Item, ItemKind};
use coretrace_sites::{Event, FlowItem, FlowTable};
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 6;
pub type Unit = FlowUnit<{ SITE_W as usize }, { FRAME_W as usize }, 8, PLACES_W>;

/// What the unit says of the walk; pairs and cycles are not its matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    Enter(u32),
    Taken(u32),
    Leave(u32),
    Lost(LostReason),
    Found,
    ReadOut,
}

impl Reported {
    /// Of an event of the model.
    pub fn of(event: &Event) -> Option<Reported> {
        Some(match *event {
            Event::Enter { site } => Reported::Enter(site),
            Event::Taken { site } => Reported::Taken(site),
            Event::Leave { site } => Reported::Leave(site),
            Event::Lost { reason, .. } => Reported::Lost(reason),
            Event::Found { .. } => Reported::Found,
            Event::ReadOut => Reported::ReadOut,
            _ => return None,
        })
    }
}

/// The unit and what it has said.
pub struct Bench {
    pub uut: Unit,
    pub reported: Vec<Reported>,
    /// Hops with an E.
    pub hops: usize,
    /// Atoms before the last hop, and those of them that were skipped.
    pub atoms: (u64, u64),
    /// Code of the instruction set and address space of addresses.
    isa: u64,
    space: u64,
}

impl Bench {
    pub fn new(table: &FlowTable, returns: bool) -> Bench {
        let mut uut = Unit::default();
        uut.connect_all();
        let mut bench = Bench {
            uut,
            reported: Vec::new(),
            hops: 0,
            atoms: (0, 0),
            isa: 0,
            space: 0,
        };
        bench.uut.returns.next = returns;
        bench.uut.reset.next = true;
        bench.load(table);
        bench.uut.reset.next = false;
        bench
    }

    fn clock(&mut self) {
        cycle(&mut self.uut, |u, c| u.clock.next = c);
    }

    fn load(&mut self, table: &FlowTable) {
        let widths = table.widths();
        for (index, &page) in table
            .pages()
            .iter()
            .enumerate()
            .filter(|(_, page)| **page != 0)
        {
            self.uut.page_write.next = (1_u64 << (index / SETS)).into();
            self.uut.page_set.next = ((index % SETS) as u64).into();
            self.uut.page_word.next = page.into();
            self.clock();
        }
        self.uut.page_write.next = 0.into();
        self.uut.row_write.next = true;
        for (row, &word) in table.rows().iter().enumerate() {
            let RowWord { base, bitmap } = RowWord::unpack(word, widths);
            self.uut.row.next = (row as u64).into();
            self.uut.row_bitmap.next = u64::from(bitmap).into();
            self.uut.row_base.next = u64::from(base).into();
            self.clock();
        }
        self.uut.row_write.next = false;
        self.uut.exit_write.next = true;
        self.uut.run_write.next = true;
        for site in 0..widths.sites() {
            let ExitWord {
                exit,
                link,
                indirect,
                outside,
            } = table.exit(site as u32);
            self.uut.write_site.next = (site as u64).into();
            self.uut.write_exit.next = u64::from(exit).into();
            let flags = u64::from(link) | u64::from(indirect) << 1 | u64::from(outside) << 2;
            self.uut.write_flags.next = flags.into();
            self.uut.write_run.next = u64::from(table.run(site as u32)).into();
            self.clock();
        }
        self.uut.exit_write.next = false;
        self.uut.run_write.next = false;
    }

    /// A cycle with an item, if there is one for the unit. Returns whether there was a hop at the
    /// output.
    pub fn item(&mut self, item: Option<FlowItem>) -> bool {
        let mut word = Item::of(ItemKind::Nothing);
        match item {
            Some(FlowItem::Context { space, a64 }) => {
                (self.isa, self.space) = (a64.into(), space.into());
                return false;
            }
            Some(FlowItem::Atoms { bits, count }) => {
                word = Item::atoms(bits, count.into()).expect("atoms of a packet");
            }
            Some(FlowItem::Address { address, .. }) => {
                word = Item::of(ItemKind::Address);
                let mut wide = Wide::default();
                wide.or_field(0, 64, address);
                self.uut.address.next = Bus(wide);
                self.uut.isa.next = self.isa.into();
                self.uut.space.next = self.space.into();
            }
            Some(FlowItem::Exception { is_target, .. }) => {
                word = Item::of(if is_target {
                    ItemKind::ExceptionAtTarget
                } else {
                    ItemKind::Exception
                });
            }
            Some(FlowItem::Q { .. }) => word = Item::of(ItemKind::Q),
            Some(FlowItem::Jump { .. }) => word = Item::of(ItemKind::Jump),
            Some(FlowItem::TraceInfo { .. }) => word = Item::of(ItemKind::TraceInfo),
            Some(FlowItem::Gap(reason)) => word = Item::gap(reason as u8),
            Some(FlowItem::ReadOut) => word = Item::of(ItemKind::ReadOut),
            Some(item) => panic!("{item:?} is not for the unit"),
            None => {}
        }
        self.uut.item.next = Bus(word.wide());
        self.clock();
        self.hear()
    }

    /// Until all items have been walked.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        while quiet < 60 {
            quiet = if self.item(None) { 0 } else { quiet + 1 };
        }
    }

    /// The events of the hop at the output, if there is one.
    fn hear(&mut self) -> bool {
        let wide = self.uut.hop.val().to_wide();
        let field = |wanted: &str| {
            let field = Hop::FIELDS.iter().find(|(name, ..)| *name == wanted);
            let &(_, low, width) = field.expect("a field");
            wide.field(low, width)
        };
        if field("valid") == 0 {
            return false;
        }
        self.atoms = (
            self.uut.atoms.val().to_u64(),
            self.uut.skipped.val().to_u64(),
        );
        let at = self.uut.hop_at.val().to_u64() as u32;
        let base = self.uut.hop_base.val().to_u64() as u32;
        let left_at = self.uut.hop_left_at.val().to_u64() as u32;
        let ended_at = self.uut.hop_ended_at.val().to_u64() as u32;
        self.hops += usize::from(field("taken") == 1);
        let reported = [
            (field("left") == 1).then_some(Reported::Leave(left_at)),
            (field("differs") == 1).then_some(Reported::Lost(LostReason::OtherAddress)),
            (field("found") == 1).then_some(Reported::Found),
            (field("enters") == 1).then_some(Reported::Enter(base)),
            (field("taken") == 1).then_some(Reported::Taken(at)),
            (field("leaves") == 1).then_some(Reported::Leave(ended_at)),
            LostReason::from_code(field("reason") as u8).map(Reported::Lost),
            LostReason::from_code(field("gap") as u8).map(Reported::Lost),
            (field("reads_out") == 1).then_some(Reported::ReadOut),
        ];
        self.reported.extend(reported.into_iter().flatten());
        true
    }

    /// Reads the sums of a site: taken, entered, left.
    pub fn read(&mut self, site: u32) -> [u64; 3] {
        self.uut.read.next = true;
        self.uut.read_site.next = u64::from(site).into();
        coretrace_hdl_dataflow::sim::settle(&mut self.uut);
        while !self.uut.read_ready.val() {
            self.item(None);
        }
        self.item(None);
        self.uut.read.next = false;
        while !self.uut.read_valid.val() {
            self.item(None);
        }
        let sums = [
            &self.uut.read_taken,
            &self.uut.read_entered,
            &self.uut.read_left,
        ];
        sums.map(|sum| sum.val().to_wide().field(0, 33))
    }
}
