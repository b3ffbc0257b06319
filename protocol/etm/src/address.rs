// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address fields and the three address registers.
//!
//! Source: Arm IHI 0064, Address instruction trace packets.

use core::hint::select_unpredictable;

use crate::header::{HEADERS, Lead};

/// How a packet names an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// The value of one of the three registers.
    Match(u8),
    /// The low bits; the rest comes from the newest register.
    Short,
    /// The low 32 bits; the rest comes from the newest register.
    Long32,
    /// All 64 bits.
    Long64,
    /// Address 0, implied: the packet has no address bytes (ETE PE Reset and Transaction Failure).
    Zero,
}

/// An address and the instruction set alignment that came with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Address {
    /// The virtual address.
    pub value: u64,
    /// Instruction set bit: `false` IS0, word aligned (A64, A32); `true` IS1, halfword aligned
    /// (T32).
    pub is1: bool,
}

impl Address {
    /// The address with the instruction set bit in bit 0, which no address needs. Our streams have
    /// it so.
    #[inline]
    pub const fn with_is1(self) -> u64 {
        self.value & !1 | self.is1 as u64
    }

    /// The address of such a value.
    #[inline]
    pub const fn of_value_with_is1(value: u64) -> Address {
        Address {
            value: value & !1,
            is1: value & 1 == 1,
        }
    }
}

/// The address form and IS bit that a header announces, if it is one of an address packet, an
/// address with context, a source address or a Q packet with an address.
pub const fn address_form(header: u8) -> Option<(AddressForm, bool)> {
    let form = match HEADERS[header as usize].lead {
        Lead::Short => AddressForm::Short,
        Lead::Long32 => AddressForm::Long32,
        Lead::Long64 => AddressForm::Long64,
        _ => match header {
            0x90..=0x92 | 0xA0..=0xA2 | 0xB0..=0xB2 => {
                return Some((AddressForm::Match(header & 3), false));
            }
            _ => return None,
        },
    };
    let is1 = matches!(
        header,
        0x83 | 0x86 | 0x96 | 0x9B | 0x9E | 0xA6 | 0xAB | 0xB5 | 0xB7 | 0xB9
    );
    Some((form, is1))
}

/// Replaces the bits that a short address holds.
#[inline]
pub const fn short(old: u64, lead: &[u8; 9], is1: bool) -> u64 {
    let shift = 2 - is1 as u32;
    // Whether there is a second byte, which is as often as not: no branch.
    let second = (lead[0] >> 7) as u64;
    let low = (lead[0] & 0x7F) as u64 | (lead[1] as u64 * second) << 7;
    let mask = (1 << (7 + 8 * second as u32 + shift)) - 1;
    (old & !mask) | low << shift
}

/// The low half of a long address. Bit 7 of the first byte, and of the second one in IS0, is
/// ignored.
#[inline]
pub const fn long_low(lead: &[u8; 9], is1: bool) -> u64 {
    let low = if is1 {
        (lead[0] as u64 & 0x7F) << 1 | (lead[1] as u64) << 8
    } else {
        (lead[0] as u64 & 0x7F) << 2 | (lead[1] as u64 & 0x7F) << 9
    };
    low | (lead[2] as u64) << 16 | (lead[3] as u64) << 24
}

/// All of a long 64-bit address.
#[inline]
pub const fn long64(lead: &[u8; 9], is1: bool) -> u64 {
    let mut value = long_low(lead, is1);
    let mut byte = 4;
    while byte < 8 {
        value |= (lead[byte] as u64) << (8 * byte);
        byte += 1;
    }
    value
}

/// The lead bytes of an address and their number, the inverse of [`short`], [`long_low`] and
/// [`long64`]. A short address of one byte has the bits up to 8 (IS0) or 7 (IS1), one of two bytes
/// those up to 16 or 15; the shorter one is taken if the others are 0.
pub const fn address_lead(form: AddressForm, is1: bool, value: u64) -> ([u8; 9], u8) {
    let mut lead = [0; 9];
    let bits = value >> if is1 { 1 } else { 2 };
    lead[0] = bits as u8 & 0x7F;
    match form {
        AddressForm::Match(_) | AddressForm::Zero => return ([0; 9], 0),
        AddressForm::Short if bits < 0x80 => return (lead, 1),
        AddressForm::Short => {
            lead[0] |= 0x80;
            lead[1] = (bits >> 7) as u8;
            return (lead, 2);
        }
        AddressForm::Long32 | AddressForm::Long64 => {}
    }
    lead[1] = (bits >> 7) as u8 & if is1 { 0xFF } else { 0x7F };
    let len = if matches!(form, AddressForm::Long32) {
        4
    } else {
        8
    };
    let mut byte = 2;
    while byte < len {
        lead[byte as usize] = (value >> (8 * byte)) as u8;
        byte += 1;
    }
    (lead, len)
}

/// The last three addresses of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressRegisters {
    /// As [`Address::with_is1`]. The first one is the newest.
    values: [u64; 3],
}

impl AddressRegisters {
    /// A register, 0 to 2: 0 is the newest.
    #[inline]
    pub fn get(&self, index: u8) -> Address {
        let [newest, second, oldest] = self.values;
        let older = select_unpredictable(index == 1, second, oldest);
        Address::of_value_with_is1(select_unpredictable(index == 0, newest, older))
    }

    /// The newest address.
    #[inline]
    pub fn newest(&self) -> Address {
        self.get(0)
    }

    /// Puts an address in front; the oldest drops out.
    #[inline]
    pub fn push(&mut self, address: Address) {
        let [newest, second, _] = self.values;
        self.values = [address.with_is1(), newest, second];
    }

    /// Puts an address in front if a packet has one. That is no branch: where packets of all kinds
    /// alternate, it would be wrong as often as right.
    #[inline]
    pub fn push_if(&mut self, has_address: bool, address: Address) {
        let before = self.values;
        self.push(address);
        for (value, before) in self.values.iter_mut().zip(before) {
            *value = select_unpredictable(has_address, *value, before);
        }
    }

    /// Replaces the newest address.
    pub fn correct(&mut self, address: Address) {
        self.values[0] = address.with_is1();
    }

    /// Resolves an address packet against the registers and pushes the result. `lead` holds the
    /// address bytes.
    #[inline]
    pub fn apply(&mut self, form: AddressForm, is1: bool, lead: &[u8; 9]) -> Address {
        let newest = self.newest().value;
        let value = match form {
            AddressForm::Match(index) => {
                let address = self.get(index);
                self.push(address);
                return address;
            }
            AddressForm::Short => short(newest, lead, is1),
            AddressForm::Long32 => newest >> 32 << 32 | long_low(lead, is1),
            AddressForm::Long64 => long64(lead, is1),
            AddressForm::Zero => 0,
        };
        let address = Address { value, is1 };
        self.push(address);
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(bytes: &[u8]) -> [u8; 9] {
        let mut lead = [0; 9];
        lead[..bytes.len()].copy_from_slice(bytes);
        lead
    }

    #[test]
    fn addresses_are_those_of_the_worked_examples() {
        let mut r = AddressRegisters::default();
        let long = lead(&[0x30, 0x25, 0x59, 0x00, 0xC0, 0xFF, 0xFF, 0xFF]);
        assert_eq!(
            r.apply(AddressForm::Long64, false, &long).value,
            0xFFFF_FFC0_0059_4AC0
        );
        let two = lead(&[0xD6, 0x95]);
        assert_eq!(
            r.apply(AddressForm::Short, false, &two).value,
            0xFFFF_FFC0_0059_2B58
        );
        let one = lead(&[0x3D]);
        assert_eq!(
            r.apply(AddressForm::Short, false, &one).value,
            0xFFFF_FFC0_0059_2AF4
        );
        assert_eq!(
            long_low(&lead(&[0x01, 0xFF, 0x22, 0x33]), true),
            0x3322_FF02
        );
        assert_eq!(long_low(&lead(&[0xFF, 0xFF, 0, 0]), false), 0xFFFC);
        assert_eq!(short(0x5A_C4C8, &lead(&[0x81, 0x12]), true), 0x5A_1202);
    }

    #[test]
    fn an_address_is_read_back_from_its_lead_bytes() {
        for (is1, align) in [(false, !3), (true, !1)] {
            for value in [0x40_0100, 0xFFFF_FFC0_0059_4AC6, 0x8000_7F06, 0x1FE, 0] {
                let value = value & align;
                let mut r = AddressRegisters::default();
                for (form, bits) in [
                    (AddressForm::Short, 16),
                    (AddressForm::Long32, 32),
                    (AddressForm::Long64, 64),
                ] {
                    let (lead, len) = address_lead(form, is1, value);
                    assert!(matches!(len, 1 | 2 | 4 | 8));
                    let mask = u64::MAX >> (64 - bits);
                    let got = r.apply(form, is1, &lead).value;
                    assert_eq!(got & mask, value & mask, "{form:?}, {value:#x}");
                }
            }
        }
    }

    #[test]
    fn every_match_pushes() {
        let mut r = AddressRegisters::default();
        for value in [0x10, 0x20, 0x30] {
            r.push(Address { value, is1: false });
        }
        let (x, y) = (0x10, 0x20);
        let seen = [2, 2, 1, 0, 1, 2].map(|i| r.apply(AddressForm::Match(i), false, &[0; 9]).value);
        assert_eq!(seen, [x, y, x, x, x, x]);
    }
}
