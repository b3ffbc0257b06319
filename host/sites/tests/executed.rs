// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was executed, of code that some contexts have where others have something else.

use std::collections::BTreeMap;

use coretrace_abi::flow_table::Widths;
use coretrace_flow::{Image, Images, Reported};
use coretrace_isa::Isa;
use coretrace_sites::{AddressSpaces, Balance, Compiler, Executed, SiteCounts};

/// add x0, x0, #1
const ADD: u32 = 0x9100_0400;
const RET: u32 = 0xD65F_03C0;

/// Blocks of so many instructions, additions and a return, which a context ID sees at an address.
fn image(cid: u32, address: u64, blocks: &[usize]) -> Image {
    let block = |count: &usize| [vec![ADD; *count - 1], vec![RET]].concat();
    let words = blocks.iter().flat_map(block);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    Image {
        cid: Some(cid),
        ..Image::new(address, bytes)
    }
}

#[test]
fn code_beside_that_of_another_context_has_all_its_instructions() {
    // The second one is within the first block of the first one.
    let images = vec![image(1, 0x1000, &[520, 40]), image(2, 0x1800, &[16])];
    let (spaces, _) = AddressSpaces::with_rules(Images::new(images)).expect("rules");
    let modules = spaces.modules(&[Isa::A64]);
    let widths = Widths::new(6, 3).expect("widths");
    let mut compiler = Compiler::new(widths, Reported::default());
    compiler.add_all(&modules).expect("room");

    let mut counts = SiteCounts::new(widths);
    for it in compiler.sites() {
        counts.taken[it.number as usize] = 3;
        counts.entered[it.number as usize] = 3;
    }
    let balance = Balance::new(compiler.table(), &counts);
    assert_eq!(balance.imbalances, []);
    let found = BTreeMap::new();
    let no_function = |_, _| None;
    let executed = Executed::new(
        &compiler,
        &modules,
        &counts,
        &balance,
        &found,
        false,
        no_function,
    );
    let ranges: Vec<(u64, u32, u64)> = executed
        .ranges
        .iter()
        .map(|(range, visits)| (range.end, range.count, *visits))
        .collect();
    assert_eq!(ranges, [(0x1840, 16, 3), (0x1820, 520, 3), (0x18C0, 40, 3)]);
    // Each may have begun at its return.
    let doubt = (executed.assumed, executed.doubtful);
    assert_eq!(doubt, (9, 3 * (15 + 519 + 39)));
}
