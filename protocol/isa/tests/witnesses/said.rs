// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the line of a disassembler says about an instruction.

use coretrace_isa::Class;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub line: String,
    pub class: Class,
    /// Where a direct branch goes, if the line has an address.
    pub target: Option<u64>,
}

const CONDITIONS: [&str; 16] = [
    "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
];

const INDIRECT: [&str; 27] = [
    "br",
    "blr",
    "braa",
    "braaz",
    "brab",
    "brabz",
    "blraa",
    "blraaz",
    "blrab",
    "blrabz",
    "ret",
    "retaa",
    "retab",
    "retaasppc",
    "retabsppc",
    "retaasppcr",
    "retabsppcr",
    "eret",
    "eretaa",
    "eretab",
    "bx",
    "bxj",
    "bxns",
    "blxns",
    "tbb",
    "tbh",
    "rfe",
];

const DIRECT: [&str; 12] = [
    "b", "bl", "cbz", "cbnz", "tbz", "tbnz", "bc", "wls", "wlstp", "le", "letp", "cb",
];

/// Operations whose first operand is their result.
const RESULTS: [&str; 21] = [
    "and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "orr", "mov", "bic", "mvn", "lsl",
    "lsr", "asr", "ror", "rrx", "ldr", "ldrt", "adr", "orn",
];

/// The mnemonic without width, condition and S, if it is one of these.
fn is_one_of(mnemonic: &str, all: &[&str]) -> bool {
    let narrow = mnemonic.trim_end_matches(".w").trim_end_matches(".n");
    let is = |name: &str| all.contains(&name);
    let base = CONDITIONS
        .iter()
        .find_map(|condition| narrow.strip_suffix(condition))
        .unwrap_or(narrow);
    let base = base.trim_end_matches('.');
    [narrow, base]
        .iter()
        .any(|name| is(name) || name.strip_suffix('s').is_some_and(is))
}

/// A number as disassemblers write it.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches('#');
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.trim_start_matches('+')),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let value = value as i64;
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

impl Said {
    /// Reads a line. A target that begins with `$` is an offset from `base`.
    pub fn of_line(line: &str, base: u64) -> Said {
        let lower = line.trim().to_lowercase();
        let (mnemonic, rest) = lower
            .split_once(char::is_whitespace)
            .unwrap_or((&lower, ""));
        let operands: Vec<&str> = rest.split(',').map(str::trim).collect();
        let last = operands.last().copied().unwrap_or_default();
        let target = match last.strip_prefix('$') {
            Some(offset) => number(offset).map(|offset| base.wrapping_add_signed(offset)),
            None => number(last).map(|address| address as u64),
        };
        let is = |all: &[&str]| is_one_of(mnemonic, all);
        let writes_pc = operands[0] == "pc" && is(&RESULTS);
        let loads_pc = (mnemonic.starts_with("ldm") || mnemonic.starts_with("pop"))
            && rest
                .split_once('{')
                .is_some_and(|(_, list)| list.contains("pc"));
        // The barrier before Armv7.
        let is_cp15 = is_one_of(mnemonic, &["mcr"])
            && rest.starts_with("p15")
            && operands[1].trim_start_matches('#') == "0"
            && rest.replace('#', "").ends_with("c7, c5, 4");
        let is_compare = mnemonic.starts_with("cb") && target.is_some() && operands.len() >= 2;
        let class = if is(&["isb"]) || is_cp15 {
            Class::Barrier
        } else if is(&["wfe", "wfi", "wfet", "wfit"]) {
            Class::Wait
        } else if is(&["tstart"]) {
            Class::TransactionStart
        } else if is(&["blx"]) {
            if target.is_some() {
                Class::Direct
            } else {
                Class::Indirect
            }
        } else if mnemonic.starts_with("b.")
            || mnemonic.starts_with("bc.")
            || is_compare
            || is(&DIRECT)
        {
            Class::Direct
        } else if writes_pc || loads_pc || is(&INDIRECT) || mnemonic.starts_with("rfe") {
            Class::Indirect
        } else {
            Class::Other
        };
        Said {
            line: lower,
            class,
            target: target.filter(|_| class == Class::Direct),
        }
    }
}
