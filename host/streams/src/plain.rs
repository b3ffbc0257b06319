// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tags whose records have nothing of their own but an address, a timestamp or a context: most of a
//! stream.

use coretrace_abi::record_stream::{AddressRule, Body, KnownAddresses, rules, tag};
use coretrace_etm::{Atoms, Kind, Record};

use crate::addresses::Addresses;

/// Such a tag, under a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    pub kind: Kind,
    pub atoms: Atoms,
    pub elements: u8,
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
        let is_plain = matches!(body, Body::None | Body::Timestamp | Body::Context);
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
            elements: u8::try_from(record.elements).ok()?,
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
    #[inline(always)]
    pub fn words(&self, known: &KnownAddresses) -> usize {
        usize::from(self.words >> (2 * (known.count & KNOWN)) & 3)
    }

    /// Its cycle count, if it has one.
    #[inline(always)]
    pub fn count(&self, threshold: u32) -> u32 {
        let has_threshold = self.kind == Kind::CycleCountF3;
        let threshold = if has_threshold { threshold } else { 0 };
        threshold.wrapping_add(self.count.into())
    }

    /// Takes its address, which has these words.
    #[inline(always)]
    pub fn take_address(&self, words: &[u32], addresses: &mut Addresses) {
        addresses.take(self.register, words);
        let known = &mut addresses.known;
        let most = if known.explicit { 0 } else { KNOWN };
        known.count = (known.count + 1).min(most);
    }
}
