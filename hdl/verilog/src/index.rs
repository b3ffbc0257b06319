// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constant arithmetic: array indices such as `lane[2 * i + 1]`, which rust-hdl hands over as
//! text, and the literals of kernels.

/// Resolves every `[index]` of a path to `$number`.
///
/// # Errors
/// The text of an index that is not arithmetic over numbers and loop variables.
pub(super) fn resolve(path: &str, loops: &[(String, usize)]) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        let (index, tail) = after.split_once(']').ok_or_else(|| after.to_string())?;
        let value = evaluate(index, loops).ok_or_else(|| index.to_string())?;
        out.push_str(before);
        out.push_str(&format!("${value}"));
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// Value of a sum of products over numbers and loop variables, if it is one.
pub(super) fn evaluate(text: &str, loops: &[(String, usize)]) -> Option<u128> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parser = Parser { rest: &text, loops };
    let value = parser.sum()?;
    if parser.rest.is_empty() {
        Some(value)
    } else {
        None
    }
}

/// Value of an unsigned Rust literal such as `0x1F`, `1_000`, `7u8` or `true`.
pub(super) fn literal(text: &str) -> Option<u128> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    match digits {
        "true" => Some(1),
        "false" => Some(0),
        _ => {
            let end = if radix == 16 {
                None
            } else {
                digits.find(['u', 'i'])
            };
            u128::from_str_radix(&digits[..end.unwrap_or(digits.len())], radix).ok()
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    loops: &'a [(String, usize)],
}

impl Parser<'_> {
    fn take(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<u128> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product()?)?;
            } else if self.take('-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<u128> {
        let mut value = self.term()?;
        while self.take('*') {
            value = value.checked_mul(self.term()?)?;
        }
        Some(value)
    }

    fn term(&mut self) -> Option<u128> {
        if self.take('(') {
            let value = self.sum()?;
            return self.take(')').then_some(value);
        }
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match self.loops.iter().rev().find(|(name, _)| name == word) {
            Some((_, value)) => Some(*value as u128),
            None => literal(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loops() -> Vec<(String, usize)> {
        vec![("i".to_string(), 5), ("j".to_string(), 2)]
    }

    #[test]
    fn every_index_of_a_path_is_resolved() {
        let path = "row[i-1]$cell[2*(j+1)]$d";
        assert_eq!(resolve(path, &loops()), Ok("row$4$cell$6$d".to_string()));
    }

    #[test]
    fn an_unknown_name_in_an_index_is_reported() {
        assert_eq!(resolve("row[N-1]", &loops()), Err("N-1".to_string()));
    }

    #[test]
    fn negative_and_torn_indices_have_no_value() {
        assert_eq!(evaluate("j-i", &loops()), None);
        assert_eq!(evaluate("(i", &loops()), None);
        assert_eq!(evaluate("", &loops()), None);
    }

    #[test]
    fn literals_of_rust_are_read_in_all_their_forms() {
        for (text, value) in [("0x1F", 31), ("0b1_01", 5), ("1_000u32", 1000), ("true", 1)] {
            assert_eq!(literal(text), Some(value), "{text}");
        }
        assert_eq!(literal("idle"), None);
    }
}
