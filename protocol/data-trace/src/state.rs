// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of a stream, and the effects of packets on it.

use anyhow::{Result, ensure};

use crate::effect::Effect;
use crate::element::{Address, Element};
use crate::grammar::{ASYNC, Grammar};
use crate::record::{Kind, Record};

/// Address registers.
const REGISTERS: usize = 3;

/// How many keys there are, of TRCIDR9 to TRCIDR11 (NUMP0KEY, NUMP1KEY, NUMP1SPC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Keys of P0 elements.
    pub parents: u64,
    /// Keys of P1 elements, with the special ones.
    pub addresses: u64,
    /// Special keys of P1 elements: the last ones.
    pub special: u64,
}

impl Keys {
    /// The most keys of a kind that are followed.
    pub const MOST: u64 = 1 << 16;

    /// Whether a trace unit can have so many.
    ///
    /// # Errors
    /// If there are none of a kind, more than [`Keys::MOST`], or none but special ones.
    pub fn check(&self) -> Result<()> {
        let Keys {
            parents,
            addresses,
            special,
        } = *self;
        ensure!(
            (1..=Keys::MOST).contains(&parents),
            "{parents} keys of P0 elements"
        );
        ensure!(
            (1..=Keys::MOST).contains(&addresses),
            "{addresses} keys of P1 elements"
        );
        ensure!(
            special < addresses,
            "{special} of {addresses} keys of P1 elements are special"
        );
        Ok(())
    }

    /// The special key with this number.
    fn special_key(&self, number: u64) -> u64 {
        self.in_turn() + number % self.special.max(1)
    }

    fn in_turn(&self) -> u64 {
        self.addresses.saturating_sub(self.special).max(1)
    }
}

/// What packets change.
#[derive(Clone, Debug)]
pub struct State {
    keys: Keys,
    registers: [u64; REGISTERS],
    address: u64,
    parent: u64,
    next_key: u64,
    index: u64,
    timestamp: u64,
}

impl State {
    /// The state in front of a stream.
    pub fn new(keys: Keys) -> State {
        State {
            keys,
            registers: [0; REGISTERS],
            address: 0,
            parent: 0,
            next_key: 0,
            index: 0,
            timestamp: 0,
        }
    }

    /// Does what a record does, and returns its element, if it has one.
    pub fn apply(&mut self, grammar: &Grammar, record: &Record) -> Option<Element> {
        let Kind::Packet(index) = record.kind else {
            return Some(Element::Lost);
        };
        let is_async = Some(index) == grammar.extension(ASYNC);
        let mut element = is_async.then_some(Element::Sync);
        let (mut has_address, mut is_transfer) = (false, None);
        let (mut value_of, mut value) = (None, 0);
        for effect in &grammar.packets()[index].effects {
            let field = effect.field().and_then(|field| record.field(field));
            let (operand, bits) = field.map_or((0, 0), |field| (field.value, field.bits));
            match effect {
                Effect::Reset => *self = State::new(self.keys),
                Effect::Pin => element = Some(Element::Pin),
                Effect::Mark(_) => element = Some(Element::Mark(operand)),
                Effect::AddressReplaceLow => {
                    self.address = replace_low(self.registers[0], operand, bits);
                    has_address = true;
                }
                Effect::AddressAdd => {
                    self.address = self.address.wrapping_add(operand);
                    has_address = true;
                }
                Effect::AddressSubtract => {
                    self.address = self.address.wrapping_sub(operand);
                    has_address = true;
                }
                Effect::AddressPick(_) => {
                    self.address = self.registers[operand as usize % REGISTERS];
                    has_address = true;
                }
                Effect::AddressPush => {
                    self.registers.rotate_right(1);
                    self.registers[0] = self.address;
                }
                Effect::ParentSet => self.parent = operand % self.keys.parents.max(1),
                Effect::ParentNext => self.parent = (self.parent + 1) % self.keys.parents.max(1),
                Effect::AddressKeyNext => {
                    is_transfer = Some(self.next_key);
                    self.next_key = (self.next_key + 1) % self.keys.in_turn();
                }
                Effect::AddressKeySpecial(_) => {
                    is_transfer = Some(self.keys.special_key(operand));
                }
                Effect::ValueOf => value_of = Some(operand),
                Effect::IndexSet(_) => self.index = operand,
                Effect::IndexNext => self.index = self.index.wrapping_add(1),
                Effect::Value => value = operand,
                Effect::ValueSigned => value = sign_extend(operand, bits),
                Effect::TimestampReplaceLow => {
                    self.timestamp = replace_low(self.timestamp, operand, bits);
                    element = Some(Element::Timestamp(self.timestamp));
                }
            }
        }
        if let Some(key) = is_transfer {
            element = Some(Element::Address(Address {
                parent: self.parent,
                key,
                index: self.index,
                address: has_address.then_some(self.address),
            }));
        }
        value_of
            .map(|key| Element::Value { key, value })
            .or(element)
    }
}

/// `value` with its low bits replaced.
fn replace_low(value: u64, low: u64, bits: u32) -> u64 {
    let mask = u64::MAX.checked_shl(bits).unwrap_or(0);
    value & mask | low & !mask
}

/// `value` with the bits above its `bits` like the top one of these.
fn sign_extend(value: u64, bits: u32) -> u64 {
    let above = u64::BITS.saturating_sub(bits).min(u64::BITS - 1);
    (((value << above) as i64) >> above) as u64
}
