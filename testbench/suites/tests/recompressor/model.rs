// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the models say of the trace of a program: its events, and their blocks.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::flow_table::{LostReason, space};
use coretrace_compress::{BlockSettings, BlockWriter};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Context};
use coretrace_isa::Isa;
use coretrace_replay::ImageCode;
use coretrace_sites::{BranchStep, BranchUnit, FlowItem, Items};
use coretrace_test_simulate::branch_case::BranchCase;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 4096;

/// The code of a program, as a reader of blocks takes it.
pub fn code(case: &BranchCase) -> ImageCode {
    ImageCode::new(case.images.clone(), case.isa)
}

/// Where a program begins, if it does, and its events.
pub fn events(case: &BranchCase) -> (Option<u64>, Vec<Event>) {
    let mut unit = BranchUnit::new(&case.source);
    let items = Items::new(&case.source);
    let mut start = None;
    let mut events = Vec::new();
    let mut item = |item| {
        unit.item(item, &case.table, &case.branches, &mut |step| match step {
            BranchStep::Start(address) => start = Some(address),
            BranchStep::Event(event) => events.push(event),
        });
    };
    item(FlowItem::Gap(LostReason::BadPacket));
    let registers = &case.source.registers;
    let config = Config::new(case.source.protocol, case.source.profile, registers);
    let mut decoder = Decoder::new(config, Policy::Resync);
    let of = |context: &Context| space(&case.rules, context);
    decoder.feed(&case.bytes, |record| items.record(record, of, &mut item));
    // What waits for the next packet goes out.
    item(FlowItem::ReadOut);
    (start, events)
}

/// The blocks of events.
fn blocks(start: u64, events: &[Event], trace_id: u8, isa: Isa) -> Vec<u8> {
    let encoder = Encoder::named("X2").expect("an encoder");
    let mut settings = BlockSettings::new(encoder, trace_id, isa == Isa::A32);
    settings.size = BLOCK_BYTES;
    let mut memory = Vec::new();
    let mut writer = BlockWriter::new(settings, start);
    let mut put = |block: &[u8]| memory.extend_from_slice(block);
    for event in events {
        writer.event(event, &mut put);
    }
    writer.flush(&mut put);
    memory
}

/// Demands that the blocks of a program have been sent, if it has begun; returns the number of its events.
pub fn is_sent(memory: &[u8], case: &BranchCase, trace_id: u8, name: &str) -> usize {
    let (start, events) = events(case);
    let model = start.map_or(Vec::new(), |start| {
        blocks(start, &events, trace_id, case.isa)
    });
    let mut bytes = memory.iter().zip(&model);
    let difference = bytes.position(|(ours, model)| ours != model);
    assert_eq!(difference, None, "{name}: a byte");
    assert_eq!(memory.len(), model.len(), "{name}");
    events.len()
}
