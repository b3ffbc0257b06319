// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks that follow a program, and what they say in the words of the model.

use coretrace_abi::flow_table::{LostReason, SPACE_RULES, SpaceRule, Widths};
use coretrace_etm::{Context, SourceConfig};
use coretrace_flow::{Images, Reported as Traced};
use coretrace_hdl_dataflow::Wide;
use coretrace_hdl_flow::Hop;
use coretrace_isa::Isa;
use coretrace_sites::{AddressSpaces, Compiler, Event, FlowTable};

/// All contexts are one address space.
pub const ONE_SPACE: [Option<SpaceRule>; SPACE_RULES] = {
    let mut rules = [None; SPACE_RULES];
    rules[0] = Some(SpaceRule {
        level: None,
        vmid: None,
        cid: None,
    });
    rules
};

/// A table of images in one address space; none if they do not fit.
pub fn flow_table(
    widths: Widths,
    source: &SourceConfig,
    isa: Isa,
    images: &Images,
) -> Option<FlowTable> {
    let spaces = AddressSpaces::new(images.clone(), [Context::default()]);
    let mut compiler = Compiler::new(widths, Traced::new(source));
    // The handlers of exceptions may be A64 code.
    let mut isas = vec![isa, Isa::A64];
    isas.dedup();
    compiler.add_all(&spaces.modules(&isas)).ok()?;
    let fits = compiler.report().left_out.is_empty();
    fits.then(|| compiler.table().clone())
}

/// What the hardware says of a walk; pairs and cycles are not its matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
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
}

/// A field of a hop.
pub fn hop_field(hop: &Wide, name: &str) -> u64 {
    let field = Hop::FIELDS.iter().find(|(field, ..)| *field == name);
    let &(_, low, width) = field.expect("a field");
    hop.field(low, width)
}

/// What a hop says, in order.
pub fn hop_events(hop: &Wide, sites: HopSites) -> impl Iterator<Item = Reported> {
    let is = |name| hop_field(hop, name) == 1;
    let lost = |name| LostReason::from_code(hop_field(hop, name) as u8).map(Reported::Lost);
    let reported = [
        is("left").then_some(Reported::Leave(sites.left_at)),
        lost("end_reason"),
        is("found").then_some(Reported::Found),
        is("enters").then_some(Reported::Enter(sites.base)),
        is("taken").then_some(Reported::Taken(sites.at)),
        is("leaves").then_some(Reported::Leave(sites.ended_at)),
        lost("reason"),
        lost("gap"),
        is("reads_out").then_some(Reported::ReadOut),
    ];
    let reported = reported.map(|event| event.filter(|_| is("valid")));
    reported.into_iter().flatten()
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
        }
    };
}

/// Writes a flow table to the ports of a block whose memories are 0, a word in each cycle; `$clock` is
/// a function that gives the block a cycle.
#[macro_export]
macro_rules! load_flow_table {
    ($uut:expr, $table:expr, $clock:expr) => {{
        use coretrace_abi::flow_table::SETS;
        let widths = $table.widths();
        let site = 1_u64 << widths.site;
        for (index, &page) in $table
            .pages()
            .iter()
            .enumerate()
            .filter(|(_, page)| **page != 0)
        {
            $uut.page_write.next = (1_u64 << (index / SETS)).into();
            $uut.page_set.next = ((index % SETS) as u64).into();
            $uut.page_word.next = page.into();
            $clock($uut);
        }
        $uut.page_write.next = 0.into();
        $uut.row_write.next = true;
        for (row, &word) in $table
            .rows()
            .iter()
            .enumerate()
            .filter(|(_, row)| **row != 0)
        {
            $uut.row.next = (row as u64).into();
            $uut.row_bitmap.next = (word >> widths.site).into();
            $uut.row_base.next = (word & (site - 1)).into();
            $clock($uut);
        }
        $uut.row_write.next = false;
        $uut.exit_write.next = true;
        $uut.run_write.next = true;
        let words = $table.exits().iter().zip($table.runs());
        for (number, (&exit, &run)) in words.enumerate().filter(|(_, it)| *it != (&0, &0)) {
            let exit = u64::from(exit);
            $uut.write_site.next = (number as u64).into();
            $uut.write_exit.next = (exit & (site - 1)).into();
            $uut.write_flags.next = (exit >> widths.site).into();
            $uut.write_run.next = u64::from(run).into();
            $clock($uut);
        }
        $uut.exit_write.next = false;
        $uut.run_write.next = false;
    }};
}
