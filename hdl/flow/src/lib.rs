// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]

mod address_space;
mod count_events;
mod delay;
mod flow_path;
mod flow_stream;
mod flow_unit;
mod item;
mod item_fifo;
mod item_sequencer;
mod mark_row;
mod merge;
mod packet_items;
mod parity;
mod rank;
mod return_stack;
mod run_check;
mod serializer;
mod site_counters;
mod site_sums;
mod table_memory;
mod walk_report;
mod walker;

pub use address_space::{HeldRule, RULES_W, held_rules};
pub use count_events::CountEvents;
pub use delay::Delay;
pub use flow_path::FlowPath;
pub use flow_stream::{BeatStep, FLOW_BEAT_W, FlowStream, StoredBeat};
pub use flow_unit::FlowUnit;
pub use item::*;
pub use item_fifo::{ITEM_ROW_W, ItemFifo, JoinRow, ROW_ITEMS, RowAtoms, RowEnds};
pub use item_sequencer::{ItemSequencer, ItemStep};
pub use mark_row::{MARK_ROW_W, MarkRow, MarkRows};
pub use merge::Merge;
pub use packet_items::{PACKET_ITEM_W, PacketItem, PacketItems};
pub use rank::{BITMAP_W, PageKey, PageLookup, PageMatch, PageTag, RANK_LATENCY, Rank, RowRank};
pub use return_stack::{LutMemory, ReturnStack};
pub use run_check::RunCheck;
pub use serializer::{Rest, Serializer, TOKEN_W, Token, TokenStep};
pub use site_counters::{CountStep, SUM_W, SiteCounters};
pub use site_sums::SiteSums;
pub use table_memory::TableMemory;
pub use walk_report::{HOP_W, Hop, WalkReport};
pub use walker::{FlagWord, STEP_W, Step, WalkStep, Walker};
