// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories of exported text, reduced to one place.
//!
//! A solver cannot handle every bit of a memory. `one_place.v` is a memory that keeps the word of
//! any one place and returns any word for the others. It can behave like the real memory, so a
//! claim proven with it about that place is true for every place of the real one.
//! `memory_is_one_place.v` states this; it is proven for a small memory.

/// The text with memories that keep the word of one place.
pub fn with_one_place(text: &str) -> String {
    with_memories(text, include_str!("one_place.v"))
}

/// The text with memories that return any word, which is an even weaker assumption.
pub fn with_any_words(text: &str) -> String {
    with_memories(text, include_str!("any_word.v"))
}

/// The text with tables that are never written, and hold any words: the wire `all` has them.
pub fn with_any_tables(text: &str) -> String {
    let modules = text.split_inclusive("endmodule\n");
    let modules = modules.map(|module| table(module).unwrap_or_else(|| module.to_owned()));
    modules.collect()
}

fn table(module: &str) -> Option<String> {
    if !module.contains(" words_0 [") {
        return None;
    }
    let (ports, _) = module.split_once(");\n")?;
    let bits = |port: &str| {
        let line = ports.lines().find(|line| line.contains(port))?;
        let (_, range) = line.split_once('[')?;
        let high: u32 = range.split_once(':')?.0.parse().ok()?;
        Some(high + 1)
    };
    let (word_w, place_w) = (bits("read_data")?, bits("read_address")?);
    let all_w = word_w << place_w;
    Some(format!(
        "{ports});\n  reg [{}:0] all;\n  always @(posedge clock) begin\n    all <= all;\n    \
           if (read_enable) read_data <= all[read_address * {word_w} +: {word_w}];\n  end\nendmodule\n",
        all_w - 1
    ))
}

fn with_memories(text: &str, body: &str) -> String {
    let modules = text.split_inclusive("endmodule\n");
    let modules = modules.map(|module| memory(module, body).unwrap_or_else(|| module.to_owned()));
    modules.collect()
}

/// The module with a new body, if it is a memory.
fn memory(module: &str, body: &str) -> Option<String> {
    if !module.contains(" mem[") {
        return None;
    }
    let (ports, _) = module.split_once(");\n")?;
    let range = |port: &str| {
        let line = ports.lines().find(|line| line.contains(port))?;
        line.split(' ').find(|word| word.starts_with('['))
    };
    let word = range("write_data").unwrap_or_default();
    let place = range("write_address").unwrap_or_default();
    Some(format!(
        "`define WORD {word}\n`define PLACE {place}\n{ports});\n{body}endmodule\n"
    ))
}
