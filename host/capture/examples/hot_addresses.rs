// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens a capture, decodes every source, and prints the most frequent addresses.
//!
//! `cargo run -p coretrace-capture --example hot_addresses -- testbench/traces/framed`

use std::collections::HashMap;
use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use coretrace_capture::{Capture, decode_in_model, source_streams};
use coretrace_decode::Policy;
use coretrace_etm::address::address_form;

/// Addresses to print for each source.
const TOP: usize = 5;

fn main() -> Result<()> {
    let folder: PathBuf = env::args_os()
        .nth(1)
        .context("name a capture folder")?
        .into();
    let capture = Capture::open(&folder)?;
    for stream in source_streams(&capture) {
        let (mut packets, mut errors) = (0, 0);
        let mut addresses: HashMap<u64, u64> = HashMap::new();
        let progress = |_bytes| {};
        decode_in_model(&stream, Policy::Resync, progress, |record| {
            if record.kind.is_error() {
                errors += 1;
                return;
            }
            packets += 1;
            if address_form(record.header).is_some() {
                *addresses.entry(record.address.value).or_default() += 1;
            }
        });
        println!("ID {:02x}: {packets} packets, {errors} errors", stream.id);
        let mut addresses: Vec<_> = addresses.into_iter().collect();
        addresses.sort_by_key(|&(address, count)| (u64::MAX - count, address));
        for (address, count) in addresses.iter().take(TOP) {
            println!("{count:8}  {address:#018x}");
        }
    }
    Ok(())
}
