// SPDX-License-Identifier: MIT OR Apache-2.0
//! Repairs hand-written Verilog text, above all that of rust-hdl's own flip-flops and memories:
//! enum values as 64-bit literals, memory words and read registers without initial value, which
//! Rust simulates as zero and Verilog as `x`.

use super::design::Module;
use super::names;

/// The repaired text of a `Verilog::Custom` block.
pub(super) fn repair(module: &Module, text: &str) -> String {
    let text = names::mangle(text.trim());
    let memory = Memory::find(&text);
    let width_of = |name: &str| {
        let port = module
            .ports()
            .find(|port| names::mangle(&port.name) == name);
        let word = memory.as_ref().filter(|memory| memory.name == name);
        port.map(|port| port.width).or(word.map(|word| word.width))
    };
    let mut lines: Vec<String> = text
        .lines()
        .map(|line| resize_literal(line.trim_end(), &width_of))
        .collect();
    if let Some(memory) = &memory {
        memory.initialise(module, &text, &mut lines);
    }
    lines.join("\n")
}

/// Gives the literal in `name = 64'h1;` or `3: name = 64'h1;` the width of `name`.
fn resize_literal(line: &str, width_of: &impl Fn(&str) -> Option<usize>) -> String {
    let resized = || {
        let (left, right) = line.rsplit_once("= ")?;
        let value = right.strip_suffix(';')?;
        let (width, digits) = value.split_once('\'')?;
        let target = left
            .trim_end_matches(['<', ' '])
            .rsplit([' ', ':'])
            .next()?;
        let target = target.split('[').next()?;
        let needed = width_of(target)?;
        let radix = if digits.starts_with('h') { 16 } else { 2 };
        let number = u128::from_str_radix(digits.get(1..)?, radix).ok()?;
        let is_wrong = width.parse::<usize>().ok()? != needed;
        let fits = needed >= 128 || number >> needed == 0;
        (is_wrong && fits).then(|| format!("{left}= {needed}'h{number:x};"))
    };
    resized().unwrap_or_else(|| line.to_string())
}

/// The memory of rust-hdl's `RAM` or `SyncROM`: `reg[7:0] mem[15:0];`.
struct Memory {
    name: &'static str,
    width: usize,
    depth: usize,
}

impl Memory {
    fn find(text: &str) -> Option<Memory> {
        let (high, rest) = text.strip_prefix("reg[")?.split_once(":0] mem")?;
        let (last, _) = rest.trim_start().strip_prefix('[')?.split_once(":0];")?;
        Some(Memory {
            name: "mem",
            width: high.parse::<usize>().ok()? + 1,
            depth: last.parse::<usize>().ok()? + 1,
        })
    }

    /// Zeroes every word before the given ones, and the read register.
    fn initialise(&self, module: &Module, text: &str, lines: &mut Vec<String>) {
        let mut zero = vec![];
        let given = lines.iter().filter(|line| line.starts_with("mem[")).count();
        if given < self.depth {
            lines.insert(0, "integer i;".to_string());
            let (depth, width) = (self.depth, self.width);
            zero.push(format!(
                "for (i = 0; i < {depth}; i = i + 1) mem[i] = {width}'d0;"
            ));
        }
        for port in module
            .ports()
            .filter(|port| text.contains(&format!("{} <=", port.name)))
        {
            zero.push(format!("{} = {}'d0;", port.name, port.width));
        }
        let is_initial = |line: &String| line == "initial begin";
        let at = match lines.iter().position(is_initial) {
            Some(initial) => initial + 1,
            None => {
                let end = lines.len();
                lines.extend(["initial begin".to_string(), "end".to_string()]);
                end + 1
            }
        };
        lines.splice(at..at, zero);
    }
}
