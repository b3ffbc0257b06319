// SPDX-License-Identifier: MIT OR Apache-2.0
//! The items of a stream, and the bytes with which they come.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, SourceConfig};
use coretrace_sites::{FlowItem, Items};

/// What a queue must know of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueItem {
    /// Atoms of a packet.
    Atoms {
        /// E atoms.
        taken: u8,
        /// N atoms behind the last E.
        tail: u8,
        /// All of them.
        count: u8,
    },
    /// An address.
    Address,
    /// An exception.
    Exception {
        /// The next address is a target, too.
        is_target: bool,
    },
    /// A Q element.
    Q,
    /// The next address may be any.
    Jump,
    /// A Trace Info.
    TraceInfo,
    /// What follows does not belong to what came before.
    Gap,
    /// A cycle count.
    Cycles,
}

impl QueueItem {
    /// Its atoms.
    pub fn atoms(self) -> u8 {
        match self {
            QueueItem::Atoms { count, .. } => count,
            _ => 0,
        }
    }

    /// Its E atoms.
    pub fn taken(self) -> u8 {
        match self {
            QueueItem::Atoms { taken, .. } => taken,
            _ => 0,
        }
    }

    /// Of an item of an ETMv4 without speculation; none of what the hardware has no item for.
    fn of(item: FlowItem) -> Option<QueueItem> {
        Some(match item {
            FlowItem::Atoms { bits, count } => QueueItem::Atoms {
                taken: bits.count_ones() as u8,
                tail: count - (32 - bits.leading_zeros()) as u8,
                count,
            },
            FlowItem::Address { .. } => QueueItem::Address,
            FlowItem::Exception { is_target, .. } => QueueItem::Exception { is_target },
            FlowItem::Q { .. } => QueueItem::Q,
            FlowItem::Jump { .. } => QueueItem::Jump,
            FlowItem::TraceInfo { .. } => QueueItem::TraceInfo,
            FlowItem::Gap(_) => QueueItem::Gap,
            FlowItem::Cycles(_) => QueueItem::Cycles,
            _ => return None,
        })
    }
}

/// An item, and the byte that is the last of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedItem {
    /// The offset of the byte.
    pub byte: u64,
    /// The item.
    pub item: QueueItem,
}

/// The items of the stream of a source.
pub fn placed_items(source: &SourceConfig, stream: &[u8]) -> Vec<PlacedItem> {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let items = Items::new(source);
    let mut placed = Vec::new();
    Decoder::new(config, Policy::Resync).feed(stream, |record| {
        let byte = (record.offset + record.len).saturating_sub(1);
        items.record(
            record,
            |_| 0,
            |item| {
                placed.extend(QueueItem::of(item).map(|item| PlacedItem { byte, item }));
            },
        );
    });
    placed
}
