// SPDX-License-Identifier: MIT OR Apache-2.0
//! Items of the model as the units take them.

use coretrace_hdl_dataflow::Wide;
use coretrace_hdl_flow::{Item, ItemKind};
use coretrace_sites::FlowItem;

/// An item with the address, if it has one.
pub struct UnitItem {
    pub item: Wide,
    pub address: Option<u64>,
    pub isa: u64,
    pub space: u64,
    /// The counters are read here.
    pub reads_out: bool,
}

/// The instruction set and the address space of addresses: their codes.
#[derive(Default)]
pub struct Items {
    isa: u64,
    space: u64,
}

impl Items {
    /// An item, or a cycle without one. None of a context, which is no item of its own.
    pub fn item(&mut self, item: Option<FlowItem>) -> Option<UnitItem> {
        let mut word = Item::of(ItemKind::Nothing);
        let mut of_address = None;
        match item {
            Some(FlowItem::Context { space, a64 }) => {
                (self.isa, self.space) = (a64.into(), space.into());
                return None;
            }
            Some(FlowItem::Atoms { bits, count }) => {
                word = Item::atoms(bits, count.into()).expect("atoms of a packet");
            }
            Some(FlowItem::Address { address, .. }) => {
                word = Item::of(ItemKind::Address);
                of_address = Some(address);
            }
            Some(FlowItem::Source { address, .. }) => {
                word = Item::source();
                of_address = Some(address);
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
            Some(FlowItem::Cycles(count)) => {
                word = Item::of(ItemKind::Cycles);
                of_address = Some(count.into());
            }
            Some(FlowItem::ReadOut) => word = Item::of(ItemKind::ReadOut),
            Some(item) => panic!("{item:?} is not for the unit"),
            None => {}
        }
        Some(UnitItem {
            item: word.wide(),
            address: of_address,
            isa: self.isa,
            space: self.space,
            reads_out: item == Some(FlowItem::ReadOut),
        })
    }
}
