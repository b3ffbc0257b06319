// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that follow a program, and what they say in the words of the model.

use coretrace_abi::flow_table::{LostReason, SpaceRules, TableKind, Trigger, Widths};
use coretrace_etm::SourceConfig;
use coretrace_flow::{Images, Reported as Traced};
use coretrace_hdl_dataflow::Wide;
use coretrace_hdl_flow::{Hop, IndirectBranch};
use coretrace_isa::Isa;
use coretrace_sites::{AddressSpaces, Compiler, Event, FlowTable, Module};
use rand::RngExt;
use std::ops::Range;

/// What is compiled of images.
pub struct FlowTables {
    /// The table, and where its sites are.
    pub compiler: Compiler,
    /// The code that is loaded.
    pub modules: Vec<Module>,
    /// The rules of the address spaces.
    pub rules: SpaceRules,
}

/// Compiles images; none if they do not fit.
pub fn flow_tables(
    widths: Widths,
    source: &SourceConfig,
    isas: &[Isa],
    images: &Images,
) -> Option<FlowTables> {
    let (spaces, rules) = AddressSpaces::with_rules(images.clone()).ok()?;
    let mut compiler = Compiler::new(widths, Traced::new(source));
    // The handlers of exceptions may be A64 code.
    let mut isas = isas.to_vec();
    if !isas.contains(&Isa::A64) {
        isas.push(Isa::A64);
    }
    let modules = spaces.modules(&isas);
    compiler.add_all(&modules).ok()?;
    let fits = compiler.report().left_out.is_empty();
    fits.then_some(FlowTables {
        compiler,
        modules,
        rules,
    })
}

/// A table of images, and the rules of their address spaces; none if they do not fit.
pub fn flow_table(
    widths: Widths,
    source: &SourceConfig,
    isas: &[Isa],
    images: &Images,
) -> Option<(FlowTable, SpaceRules)> {
    let tables = flow_tables(widths, source, isas, images)?;
    Some((tables.compiler.table().clone(), tables.rules))
}

/// The words of a table for a core whose memories are 0: those of sites behind the end of the program stay
/// so.
pub fn used_words(table: &FlowTable) -> impl Iterator<Item = (TableKind, u32, u64)> {
    let end = table.used_sites();
    let is_used = move |kind, index| kind != TableKind::Exits || index as usize <= end;
    let words = table.words();
    words.filter(move |&(kind, index, word)| word != 0 && is_used(kind, index))
}

/// Puts triggers at a part of these sites, and behind a part of their branches.
pub fn random_triggers(
    table: &mut FlowTable,
    sites: Range<u32>,
    rate: f64,
    random: &mut impl RngExt,
) {
    let mut trigger = || {
        let any = Trigger::ALL[random.random_range(0..Trigger::ALL.len())];
        random.random_bool(rate).then_some(any)
    };
    for site in sites {
        table.set_trigger_at(site, trigger());
        table.set_trigger_behind(site, trigger());
    }
}

/// What the hardware says of a walk; cycles are in its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reported {
    /// As [`Event::Indirect`].
    Indirect(u32, u32),
    /// As [`Event::Enter`].
    Enter(u32),
    /// As [`Event::Taken`].
    Taken(u32),
    /// As [`Event::Leave`].
    Leave(u32),
    /// As [`Event::Lost`].
    Lost(LostReason),
    /// As [`Event::Found`].
    Found,
    /// As [`Event::ReadOut`].
    ReadOut,
}

impl Reported {
    /// Of an event of the model.
    pub fn of(event: &Event) -> Option<Reported> {
        Some(match *event {
            Event::Indirect { site, target } => Reported::Indirect(site, target),
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

/// The sites of a hop.
#[derive(Clone, Copy, Debug)]
pub struct HopSites {
    /// `hop_at`
    pub at: u32,
    /// `hop_base`
    pub base: u32,
    /// `hop_left_at`
    pub left_at: u32,
    /// `hop_ended_at`
    pub ended_at: u32,
    /// `indirect`: the branch and where it led.
    pub indirect: Option<(u32, u32)>,
}

/// The branch and where it led, if there is one.
pub fn indirect(branch: &Wide) -> Option<(u32, u32)> {
    let branch = IndirectBranch::of_wide(branch);
    (branch.valid == 1).then_some((branch.site as u32, branch.target as u32))
}

/// The lowest bit and the width of a field of a hop.
pub fn hop_place(name: &str) -> (u32, u32) {
    let field = Hop::FIELDS.iter().find(|(field, ..)| *field == name);
    let &(_, low, width) = field.expect("a field");
    (low, width)
}

/// A field of a hop.
pub fn hop_field(hop: &Wide, name: &str) -> u64 {
    let (low, width) = hop_place(name);
    hop.field(low, width)
}

/// What a hop says, in order.
pub fn hop_events(hop: &Wide, sites: HopSites) -> impl Iterator<Item = Reported> {
    let is = |name| hop_field(hop, name) == 1;
    let lost = |name| LostReason::from_code(hop_field(hop, name) as u8).map(Reported::Lost);
    let indirect = sites
        .indirect
        .map(|(site, target)| Reported::Indirect(site, target));
    let reported = is("valid").then(|| {
        [
            indirect,
            is("left").then_some(Reported::Leave(sites.left_at)),
            lost("end_reason"),
            is("found").then_some(Reported::Found),
            is("enters").then_some(Reported::Enter(sites.base)),
            is("taken").then_some(Reported::Taken(sites.at)),
            is("leaves").then_some(Reported::Leave(sites.ended_at)),
            lost("reason"),
            lost("gap"),
            is("reads_out").then_some(Reported::ReadOut),
        ]
    });
    reported.into_iter().flatten().flatten()
}

/// The sites of the hop at the outputs of a block; last comes the index of a walker, if it has several.
#[macro_export]
macro_rules! hop_sites {
    ($uut:expr $(, $($index:tt)*)?) => {
        $crate::flow::HopSites {
            at: $uut.hop_at$($($index)*)?.val().to_u64() as u32,
            base: $uut.hop_base$($($index)*)?.val().to_u64() as u32,
            left_at: $uut.hop_left_at$($($index)*)?.val().to_u64() as u32,
            ended_at: $uut.hop_ended_at$($($index)*)?.val().to_u64() as u32,
            indirect: $crate::flow::indirect(&$uut.indirect$($($index)*)?.val().to_wide()),
        }
    };
}

macro_rules! table_ports {
    ($($port:ident),*) => {
        /// What the ports of a block have in a cycle that writes to its tables.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct TableWrite {
            $(#[doc = concat!("`", stringify!($port), "`")] pub $port: u64,)*
        }

        impl TableWrite {
            /// Names of the ports, and their values.
            pub fn ports(self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($port), self.$port)),*].into_iter()
            }
        }
    };
}

table_ports!(
    page_write,
    page_slot,
    page_word,
    row_write,
    row,
    row_bitmap,
    row_base,
    exit_write,
    run_write,
    write_site,
    write_exit,
    write_flags,
    write_run
);

/// The writes of a table to a block whose memories are 0, and a cycle without any.
pub fn table_writes(table: &FlowTable) -> Vec<TableWrite> {
    let site = 1_u64 << table.widths().site;
    let used = |words: &[u64]| -> Vec<(u64, u64)> {
        let words = (0..).zip(words.iter().copied());
        words.filter(|(_, word)| *word != 0).collect()
    };
    let page = |(index, word): (u64, u64)| TableWrite {
        page_write: 1,
        page_slot: index,
        page_word: word,
        ..TableWrite::default()
    };
    let bucket = |(index, word): (u64, u64)| TableWrite {
        page_write: 2,
        ..page((index, word))
    };
    let row = |(row, word): (u64, u64)| TableWrite {
        row_write: 1,
        row,
        row_bitmap: word >> table.widths().site,
        row_base: word & (site - 1),
        ..TableWrite::default()
    };
    let of_site = |(number, (&exit, &run)): (u64, (&u32, &_))| TableWrite {
        exit_write: 1,
        run_write: 1,
        write_site: number,
        write_exit: u64::from(exit) & (site - 1),
        write_flags: u64::from(exit) >> table.widths().site,
        write_run: u64::from(run),
        ..TableWrite::default()
    };
    let words = (0..).zip(table.exits().iter().zip(table.runs()));
    let sites = words.filter(|(_, words)| *words != (&0, &0));
    let pages = used(table.pages()).into_iter().map(page);
    let buckets: Vec<u64> = table.buckets().iter().map(|&word| word.into()).collect();
    let buckets = used(&buckets).into_iter().map(bucket);
    let rows = used(table.rows()).into_iter().map(row);
    let writes = pages.chain(buckets).chain(rows).chain(sites.map(of_site));
    writes.chain([TableWrite::default()]).collect()
}

/// Sets the ports of a block for a [`TableWrite`].
#[macro_export]
macro_rules! write_flow_table {
    ($uut:expr, $write:expr) => {{
        let write = $write;
        $uut.page_write.next = write.page_write.into();
        $uut.page_slot.next = write.page_slot.into();
        $uut.page_word.next = write.page_word.into();
        $uut.row_write.next = write.row_write == 1;
        $uut.row.next = write.row.into();
        $uut.row_bitmap.next = write.row_bitmap.into();
        $uut.row_base.next = write.row_base.into();
        $uut.exit_write.next = write.exit_write == 1;
        $uut.run_write.next = write.run_write == 1;
        $uut.write_site.next = write.write_site.into();
        $uut.write_exit.next = write.write_exit.into();
        $uut.write_flags.next = write.write_flags.into();
        $uut.write_run.next = write.write_run.into();
    }};
}

/// Writes a branch table to a block with the ports of a `BranchUnit`, `$clock` after each word.
#[macro_export]
macro_rules! write_branch_table {
    ($uut:expr, $branches:expr, $clock:expr) => {{
        for (site, word) in (0_u64..).zip($branches.words()) {
            $uut.branch_write.next = true;
            $uut.write_site.next = site.into();
            $uut.write_branch.next = word.pack().into();
            $clock;
        }
        $uut.branch_write.next = false;
        for (row, calls) in (0_u64..).zip($branches.calls()) {
            $uut.calls_write.next = true;
            $uut.row.next = row.into();
            $uut.write_calls.next = u64::from(*calls).into();
            $clock;
        }
        $uut.calls_write.next = false;
    }};
}
