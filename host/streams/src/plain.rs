// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tags whose records have nothing of their own but an address, a timestamp or a context: most of a
//! stream.

use std::hint::select_unpredictable;

use coretrace_abi::record_stream::{AddressRule, Body, KnownAddresses, rules, tag};
use coretrace_etm::{Atoms, Kind, Record};

use crate::addresses::Addresses;

/// Such a tag, under a configuration.
#[derive(Clone, Copy, Debug)]
#[repr(align(8))]
pub(crate) struct Plain {
    pub kind: Kind,
    pub atoms: Atoms,
    /// The cycle count without the threshold.
    count: u8,
    /// The words of the address: two bits for each number of known registers, from 0.
    words: u8,
    /// The register of an address without words; [`NO_ADDRESS`] if there is no address.
    register: u8,
    /// There is a body.
    pub has_body: bool,
}

/// The most known registers.
const KNOWN: u8 = 3;
const NO_ADDRESS: u8 = KNOWN;

// A table of them is in a few lines of the cache, and its index a shift.
const _: () = assert!(size_of::<Option<Plain>>() == 8);

impl Plain {
    /// What a tag means; `None` if its words decide, or it is no packet. `record` is that of the tag
    /// alone.
    pub fn of_tag(tag: u8, record: &Record) -> Option<Plain> {
        let (rule, body) = rules(tag)?;
        let is_plain =
            matches!(body, Body::None | Body::Timestamp | Body::Context) && record.elements == 0;
        if !is_plain || (tag::ASYNC..=tag::END).contains(&tag) || tag == tag::NONE {
            return None;
        }
        let words = |count| {
            let known = KnownAddresses {
                count,
                ..KnownAddresses::default()
            };
            known.words(rule) as u8
        };
        Some(Plain {
            kind: record.kind,
            atoms: record.atoms,
            count: u8::try_from(record.count).ok()?,
            words: (0..=KNOWN).fold(0, |all, count| all | words(count) << (2 * count)),
            register: match rule {
                AddressRule::None => NO_ADDRESS,
                AddressRule::Match(register) => register,
                AddressRule::Low | AddressRule::All => 0,
            },
            has_body: body != Body::None,
        })
    }

    /// Whether it has an address.
    #[inline(always)]
    pub fn has_address(&self) -> bool {
        self.register != NO_ADDRESS
    }

    /// The words of its address.
    fn words(&self, known: &KnownAddresses) -> usize {
        usize::from(self.words >> (2 * (known.count & KNOWN)) & 3)
    }

    /// Its cycle count, if it has one.
    #[inline(always)]
    pub fn count(&self, threshold: u32) -> u32 {
        let has_threshold = self.kind == Kind::CycleCountF3;
        let threshold = select_unpredictable(has_threshold, threshold, 0);
        threshold.wrapping_add(self.count.into())
    }

    /// Takes its address from the words that are next; returns the words behind it.
    #[inline(always)]
    pub fn take_address<'w>(
        &self,
        words: &'w [u32],
        addresses: &mut Addresses,
    ) -> Option<&'w [u32]> {
        if addresses.known.count < KNOWN {
            let rest;
            (rest, *addresses) = self.take_first_addresses(words, *addresses)?;
            return Some(rest);
        }
        let (count, register) = (self.words >> (2 * KNOWN), self.register);
        let (words, rest) = words.split_at_checked(count.into())?;
        addresses.take(register, words);
        Some(rest)
    }

    /// The same while not all registers are known: a few times behind a head or an A-Sync. The
    /// addresses go by value, so that they can be in registers of the host.
    #[cold]
    #[inline(never)]
    fn take_first_addresses<'w>(
        &self,
        words: &'w [u32],
        mut addresses: Addresses,
    ) -> Option<(&'w [u32], Addresses)> {
        let (words, rest) = words.split_at_checked(self.words(&addresses.known))?;
        addresses.take(self.register, words);
        let known = &mut addresses.known;
        let most = if known.explicit { 0 } else { KNOWN };
        known.count = (known.count + 1).min(most);
        Some((rest, addresses))
    }
}
