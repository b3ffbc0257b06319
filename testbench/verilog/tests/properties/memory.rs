// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memories of exported text, with one place in the stead of all.
//!
//! A solver that has to do with every bit of a memory comes to no end. `one_place.v` is a memory
//! that keeps the word of one place, whichever, and says anything of all others. It can do whatever
//! the real one can, so that what is proven with it, of that place, is true with the real one, of
//! every place; `memory_is_one_place.v` has the claim, which is proven of a small memory.

/// The text with memories that keep the word of one place.
pub fn with_one_place(text: &str) -> String {
    with_memories(text, include_str!("one_place.v"))
}

/// The text with memories that say anything, which is more still than they can do.
pub fn with_any_words(text: &str) -> String {
    with_memories(text, include_str!("any_word.v"))
}

fn with_memories(text: &str, body: &str) -> String {
    let modules = text.split_inclusive("endmodule\n");
    let modules = modules.map(|module| memory(module, body).unwrap_or_else(|| module.to_owned()));
    modules.collect()
}

/// The module with another body, if it is a memory.
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
