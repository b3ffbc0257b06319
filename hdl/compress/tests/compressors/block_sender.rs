// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reset in any cycle leaves nothing behind: the next block is whole, and its checksum right.

use coretrace_abi::compressed::block::Header;
use coretrace_hdl_compress::{BLOCK_ROW_W, BlockSender};
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use coretrace_replay::Blocks;
use rust_hdl::prelude::*;

type Sender = BlockSender<9>;

/// Words of 64 bits of a block.
const WORDS: usize = 1 << 9;

/// A block without records.
fn rows() -> Vec<Bus<BLOCK_ROW_W>> {
    let words = Header::default().words();
    let pairs = words.chunks_exact(2);
    let header = pairs.map(|pair| (u64::from(pair[0]) | u64::from(pair[1]) << 32, 0));
    let rows = header.chain([(0, 1)]).map(|(word, is_count)| {
        let mut row = Wide::default();
        row.or_field(0, 64, word);
        row.or_field(64, 1, is_count);
        Bus::from_wide(&row)
    });
    rows.collect()
}

/// Sends the rows in so many cycles at most; what comes out.
fn send(sender: &mut Sender, cycles: usize) -> Vec<u8> {
    let mut memory = vec![];
    let mut rows = rows().into_iter().peekable();
    for _ in 0..cycles {
        sender.row_valid.next = rows.peek().is_some();
        sender.row.next = rows.peek().copied().unwrap_or_default();
        sender.m_axis_tready.next = true;
        settle(sender);
        if sender.row_ready.val() {
            rows.next();
        }
        if sender.m_axis_tvalid.val() {
            let word = sender.m_axis_tdata.val().to_wide().field(0, 64);
            memory.extend(word.to_le_bytes());
        }
        cycle(sender, |uut, clock| uut.clock.next = clock);
    }
    memory
}

#[test]
fn a_block_behind_a_reset_has_its_own_checksum() {
    for reset in (0..8).chain(WORDS - 4..WORDS + 24) {
        let mut sender = Sender::default();
        sender.connect_all();
        sender.last_place.next = (WORDS as u64 - 2).into();
        send(&mut sender, reset);
        sender.reset.next = true;
        send(&mut sender, 1);
        sender.reset.next = false;
        let memory = send(&mut sender, WORDS + 40);
        assert_eq!(memory.len(), 8 * WORDS, "reset in cycle {reset}");
        let blocks: Vec<_> = Blocks::new(&memory).collect();
        assert_eq!(blocks.len(), 1, "reset in cycle {reset}");
    }
}
