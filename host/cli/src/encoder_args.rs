// SPDX-License-Identifier: MIT OR Apache-2.0
//! Encoders of branches, by name.

use anyhow::{Context, Result};
use clap::Args;
use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::encoder::Encoder;

/// How large blocks are.
#[derive(Clone, Copy, Debug, Args)]
pub struct BlockArgs {
    /// KiB of a block, each of which is decoded alone: 4, 8, 16, 32 or 64
    #[arg(long, value_name = "KIB", default_value = "16", value_parser = block_bytes)]
    pub block: usize,
}

/// The name of the encoder that takes elements.
pub const ELEMENTS: &str = "XE";

/// What makes blocks.
#[derive(Clone, Copy, Debug)]
pub enum Chosen {
    /// Of branches.
    Branches(Encoder),
    /// Of elements: XE.
    Elements,
}

/// The encoder of this name, of branches or of elements.
///
/// # Errors
/// If there is none.
pub fn chosen(name: &str) -> Result<Chosen> {
    if name == ELEMENTS {
        return Ok(Chosen::Elements);
    }
    encoder(name).map(Chosen::Branches)
}

/// The encoder of this name.
///
/// # Errors
/// If there is none.
pub fn encoder(name: &str) -> Result<Encoder> {
    Encoder::named(name).with_context(|| {
        let names: Vec<&str> = Encoder::all().map(|(name, _)| name).collect();
        format!(
            "there are {}, and {ELEMENTS} for `etm4 compress`",
            names.join(", ")
        )
    })
}

/// The name of an encoder.
pub fn name(encoder: Encoder) -> &'static str {
    let mut all = Encoder::all();
    let named = all.find(|(_, of)| *of == encoder);
    named.map_or("", |(name, _)| name)
}

/// The bytes of a block of so many KiB.
fn block_bytes(text: &str) -> Result<usize> {
    let [least, _, most] = SIZES;
    let kib: usize = text.parse()?;
    let bytes = kib
        .checked_mul(1 << 10)
        .filter(|bytes| bytes.is_power_of_two());
    let bytes = bytes.filter(|bytes| (least..=most).contains(bytes));
    bytes.context("there are 4, 8, 16, 32 and 64")
}
