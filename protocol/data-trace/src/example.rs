// SPDX-License-Identifier: MIT OR Apache-2.0
//! Examples of a grammar.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::grammar::Grammar;
use crate::parser::Parser;
use crate::record::{Kind, Record};

/// Bytes, and the packets that they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    bytes: String,
    packets: Vec<String>,
}

impl Example {
    /// Parses the bytes, from a header on.
    ///
    /// # Errors
    /// If that gives other packets.
    pub fn check(&self, grammar: &Grammar) -> Result<()> {
        let digits = self.bytes.split_whitespace();
        let bytes: Vec<u8> = digits
            .map(|byte| u8::from_str_radix(byte, 16))
            .collect::<Result<_, _>>()
            .with_context(|| format!("the example {:?} is not bytes", self.bytes))?;
        let mut found = Vec::new();
        let mut parser = Parser::synced();
        let mut put = |record: &Record| {
            let mut text = match record.kind {
                Kind::Packet(index) => grammar.packets()[index].name.clone(),
                Kind::Raw(index) => format!("RAW {}", grammar.packets()[index].name),
                Kind::Reserved => "RESERVED".to_owned(),
                Kind::Incomplete => "INCOMPLETE".to_owned(),
                Kind::NotSync => "NOTSYNC".to_owned(),
            };
            for field in &record.fields {
                text.push_str(&format!(" {}={}", field.name, field.value));
            }
            found.push(text);
        };
        parser.feed(grammar, &bytes, &mut put);
        parser.finish(&mut put);
        ensure!(
            found == self.packets,
            "the example {:?} is {found:?}, not {:?}",
            self.bytes,
            self.packets
        );
        Ok(())
    }
}
