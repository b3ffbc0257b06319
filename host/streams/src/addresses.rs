// SPDX-License-Identifier: MIT OR Apache-2.0
//! The address registers of a reader.

use coretrace_abi::record_stream::KnownAddresses;
use coretrace_etm::{Address, Protocol};

use crate::start::Start;

/// The address registers, and how many of them are known. Small enough for the registers of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub known: KnownAddresses,
    /// The newest addresses as the words of a stream have them: IS1 is in bit 0.
    registers: [u64; 3],
}

impl Addresses {
    /// Those behind a head with this newest address.
    pub fn new(start: &Start, newest: Address) -> Addresses {
        Addresses {
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            registers: [newest.with_is1(), 0, 0],
        }
    }

    /// All registers are 0.
    pub fn clear(&mut self) {
        self.registers = [0; 3];
    }

    /// Makes `address` the newest one; the others move on.
    #[inline(always)]
    pub fn push(&mut self, address: u64) {
        let [newest, second, _] = self.registers;
        self.registers = [address, newest, second];
    }

    /// Makes the address of words the newest one: the register without a word, the lower half with
    /// one, all of it with two.
    #[inline(always)]
    pub fn take(&mut self, register: u8, words: &[u32]) {
        let [newest, second, third] = self.registers;
        self.push(match (words, register) {
            ([], 0) => newest,
            ([], 1) => second,
            ([], _) => third,
            ([low], _) => newest >> 32 << 32 | u64::from(*low),
            ([low, high, ..], _) => u64::from(*high) << 32 | u64::from(*low),
        });
    }

    /// The newest address.
    #[inline(always)]
    pub fn newest(&self) -> Address {
        Address::of_value_with_is1(self.registers[0])
    }
}
