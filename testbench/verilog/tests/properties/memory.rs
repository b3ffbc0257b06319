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
