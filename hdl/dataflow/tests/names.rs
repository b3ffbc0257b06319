// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of printed kernels have the names of the Rust source.

use coretrace_hdl_dataflow::{Word, clocked_block, layout, named};
use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;

layout! {
    /// A port.
    struct Input {
        key: 8,
        is_last: 1,
    }
}

clocked_block! {
    /// Registers of every kind.
    pub struct Example;
    inputs ExampleInputs { input: Bits<9>, }
    lane_inputs { octet: Bits<8>, }
    outputs ExampleOutputs { sum: Bits<8>, found: Bit, late: Bits<8>, }
    lane_outputs {}
    pair_outputs {}
    kernel example;
}

/// The words of the last two cycles.
#[named]
fn earlier<T: Word>(word: T) -> [T; 2] {
    let mut last = word;
    std::array::from_fn(|_| {
        let (before, held) = T::register(word.width(), word.stage());
        T::set_next(held, last);
        last = before;
        before
    })
}

#[named]
fn example<T: Word, const N: usize, const P: usize>(
    i: ExampleInputs<T::Port, N>,
) -> ExampleOutputs<T, N, P> {
    let input = Input::<T>::unpack(&i.input).map(T::reg);
    let octets = i.octet.map(|port| T::field(&port, 0, 8).reg());
    // The same name once more.
    let octets = octets.map(|octet| octet.add(input.key).reg());
    let (keys, flags) = (earlier(input.key), earlier(input.is_last));
    let is_same = |key: T| key.eq(keys[1]).reg();
    let found = is_same(keys[0]).and(flags[0]);
    let sum = octets[0].add(octets[1]).kept();
    ExampleOutputs {
        sum: vec![sum.and(keys[0])],
        found: vec![found],
        late: vec![octets[1].reg()],
    }
}

fn text() -> String {
    let Verilog::Custom(text) = Example::<2, 1>::default().hdl() else {
        panic!("text");
    };
    text
}

/// Registers of the example in the order of the text.
fn registers() -> Vec<String> {
    let name = |line: &str| {
        let (_, rest) = line.split_once("reg [")?;
        rest.split(' ').nth(1).map(str::to_owned)
    };
    text().lines().filter_map(name).collect()
}

#[test]
fn a_register_has_the_name_that_the_source_gives_to_its_word() {
    let expected = [
        // The fields of a bus, and the elements of an array.
        "input_key_s1 input_is_last_s1 octets_0_s1 octets_1_s1",
        // Other words of the same name.
        "octets_0_1_s2 octets_1_1_s2",
        // Made in a function and named by what calls it.
        "keys_0_s1 keys_1_s1 flags_0_s1",
        // Made in a closure.
        "is_same_s2",
        // Delays, so that the operands of an operation are of one stage.
        "flags_0_s2 keys_0_s2",
        // Made for an output.
        "late_0_s3 sum_0_s3 found_s3",
    ];
    assert_eq!(registers().join(" "), expected.join(" "));
}

#[test]
fn a_kept_word_is_a_wire_that_synthesis_keeps() {
    let text = text();
    let kept: Vec<&str> = text
        .lines()
        .filter(|it| it.contains("(* keep = \"true\" *) wire"))
        .collect();
    let [line] = kept[..] else {
        panic!("{text}");
    };
    let sum = line.split(' ').nth(7).expect("a wire");
    assert!(text.contains(&format!("{sum} & ")), "{text}");
}
