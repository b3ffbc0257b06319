// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the fields of a packet do to the state of the stream.

use anyhow::{Result, bail};

/// An effect. Those with a name take the value of the field of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `reset`: keys, addresses, transfer index and timestamp are 0.
    Reset,
    /// `mark`: an unnumbered data synchronization mark.
    Pin,
    /// `mark FIELD`: a numbered data synchronization mark.
    Mark(String),
    /// `addr.replace_low`: the value of `addr` replaces as many low bits of address register 0.
    AddressReplaceLow,
    /// `addr.add`: the address is the last one and the value of `addr`.
    AddressAdd,
    /// `addr.sub`: the address is the last one less the value of `addr`.
    AddressSubtract,
    /// `addr.pick FIELD`: the address is that of a register.
    AddressPick(String),
    /// `addr.push`: the address goes into register 0, and the registers move up.
    AddressPush,
    /// `p0key.set`: the parent of the address has the value of `key` as its key.
    ParentSet,
    /// `p0key.next`: the parent is the one behind the last.
    ParentNext,
    /// `p1key.next`: an address with the next key.
    AddressKeyNext,
    /// `p1key.special FIELD`: an address with one of the special keys.
    AddressKeySpecial(String),
    /// `p1key.set`: a value of the address whose key is the value of `key`.
    ValueOf,
    /// `index.set FIELD`: the transfer index.
    IndexSet(String),
    /// `index.next`: the transfer index is one more.
    IndexNext,
    /// `value.set`, `value.zero_extend`: the value is that of `value`.
    Value,
    /// `value.sign_extend`: the value is that of `value`, whose top bit fills what is above it.
    ValueSigned,
    /// `ts.replace_low`: the value of `ts` replaces as many low bits of the timestamp.
    TimestampReplaceLow,
}

impl Effect {
    /// Reads an effect.
    ///
    /// # Errors
    /// If there is no such effect.
    pub fn new(text: &str) -> Result<Effect> {
        let (name, field) = text.split_once(' ').unwrap_or((text, ""));
        let field = field.trim();
        let effect = match (name, field.is_empty()) {
            ("mark", false) => Effect::Mark(field.into()),
            ("addr.pick", false) => Effect::AddressPick(field.into()),
            ("p1key.special", false) => Effect::AddressKeySpecial(field.into()),
            ("index.set", false) => Effect::IndexSet(field.into()),
            ("addr.replace_low", true) => Effect::AddressReplaceLow,
            ("addr.add", true) => Effect::AddressAdd,
            ("addr.sub", true) => Effect::AddressSubtract,
            ("mark", true) => Effect::Pin,
            ("reset", true) => Effect::Reset,
            ("addr.push", true) => Effect::AddressPush,
            ("p0key.set", true) => Effect::ParentSet,
            ("p0key.next", true) => Effect::ParentNext,
            ("p1key.next", true) => Effect::AddressKeyNext,
            ("p1key.set", true) => Effect::ValueOf,
            ("index.next", true) => Effect::IndexNext,
            ("value.set" | "value.zero_extend", true) => Effect::Value,
            ("value.sign_extend", true) => Effect::ValueSigned,
            ("ts.replace_low", true) => Effect::TimestampReplaceLow,
            _ => bail!("{text:?} is no effect"),
        };
        Ok(effect)
    }

    /// The field that it takes.
    pub fn field(&self) -> Option<&str> {
        match self {
            Effect::Mark(field)
            | Effect::AddressPick(field)
            | Effect::AddressKeySpecial(field)
            | Effect::IndexSet(field) => Some(field),
            Effect::AddressReplaceLow | Effect::AddressAdd | Effect::AddressSubtract => {
                Some("addr")
            }
            Effect::ParentSet | Effect::ValueOf => Some("key"),
            Effect::Value | Effect::ValueSigned => Some("value"),
            Effect::TimestampReplaceLow => Some("ts"),
            Effect::Reset
            | Effect::Pin
            | Effect::AddressPush
            | Effect::ParentNext
            | Effect::AddressKeyNext
            | Effect::IndexNext => None,
        }
    }
}
