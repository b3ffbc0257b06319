// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in a program that the user names.

use anyhow::{Context, Result, ensure};
use coretrace_calls::Entry;
use coretrace_program::Symbols;

/// An address in any process, or a function where it is.
///
/// # Errors
/// If it is neither.
pub fn places(place: &str, symbols: &Symbols<'_>) -> Result<Vec<Entry>> {
    if let Some(digits) = place.strip_prefix("0x") {
        let address = u64::from_str_radix(digits, 16);
        let address = address.with_context(|| format!("{place} is not an address of 64 bits"))?;
        return Ok(vec![address.into()]);
    }
    let found = symbols.functions_named(place);
    ensure!(
        !found.is_empty(),
        "no function is called {place}: --elf names programs, and addresses begin with 0x"
    );
    let entry = |(process, start)| Entry { process, start };
    Ok(found.into_iter().map(entry).collect())
}
