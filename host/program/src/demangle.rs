// SPDX-License-Identifier: MIT OR Apache-2.0
//! Demangled names of symbols.

use std::fmt;

use addr2line::gimli::DW_LANG_Rust;
use cpp_demangle::{DemangleOptions, Symbol};

/// The most bytes of a C++ name. A mangled name of a few hundred bytes can expand until memory is
/// full.
const MAX_BYTES: usize = 4096;

/// The name in Rust or C++, or the name itself if it is neither, or too long.
pub fn demangle(name: &str) -> String {
    addr2line::demangle(name, DW_LANG_Rust)
        .or_else(|| cpp(name))
        .unwrap_or_else(|| name.to_owned())
}

fn cpp(name: &str) -> Option<String> {
    let mut out = Limited(String::new());
    let symbol = Symbol::new(name).ok()?;
    symbol
        .structured_demangle(&mut out, &DemangleOptions::new())
        .ok()?;
    Some(out.0)
}

/// Text that cannot be longer than [`MAX_BYTES`].
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_languages_are_read_and_others_are_left() {
        for (name, want) in [
            (
                "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE",
                "core::fmt::Formatter::pad",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            ("main", "main"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(demangle(name), want);
        }
    }

    #[test]
    fn a_name_that_would_fill_the_memory_is_left() {
        // f(A<int, int>, A<the first, the first>, A<the second, the second>, ...)
        let arguments = |count: u8| -> String {
            let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".chars();
            let doubled = digits.take(count.into()).map(|n| format!("S_IS{n}_S{n}_E"));
            doubled.collect()
        };
        let name = |count| format!("_Z1f1AIiiE{}", arguments(count));
        assert!(demangle(&name(2)).starts_with("f(A<int, int>, A<A<int, int>"));
        assert_eq!(demangle(&name(36)), name(36));
    }
}
