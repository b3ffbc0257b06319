// SPDX-License-Identifier: MIT OR Apache-2.0
//! The head of a packet of a stream.

use coretrace_abi::record_stream::{MAGIC, head};
use coretrace_etm::{Address, Context, Registers};

use crate::start::Start;
use crate::state::State;

/// What a packet begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The source.
    pub start: Start,
    /// The source was enabled before this packet.
    pub is_start: bool,
    /// Number of the packet since reset.
    pub number: u32,
    /// The trace state before the first record.
    pub state: State,
}

impl Head {
    /// Its words.
    pub fn words(&self) -> [u32; head::WORDS] {
        let State {
            address,
            timestamp,
            context,
            threshold,
            suspect,
        } = self.state;
        let mut words = [0; head::WORDS];
        let mut put = |at: usize, values: &[u32]| {
            words[at..at + values.len()].copy_from_slice(values);
        };
        let of_state =
            u32::from(suspect) << head::SUSPECT | u32::from(self.is_start) << head::START;
        put(head::MAGIC, &[MAGIC]);
        put(
            head::FLAGS,
            &[self.start.flags() | of_state | u32::from(context.info)],
        );
        put(head::NUMBER, &[self.number]);
        put(head::REGISTERS, &self.start.registers.values());
        put(head::ADDRESS, &halves(address.with_is1()));
        put(head::TIMESTAMP, &halves(timestamp));
        put(head::VMID, &[context.vmid]);
        put(head::CID, &[context.cid]);
        put(head::THRESHOLD, &[threshold]);
        words
    }

    /// The head of words whose first one is the magic word.
    pub fn of_words(words: &[u32; head::WORDS]) -> Head {
        let flags = words[head::FLAGS];
        let two = |at: usize| u64::from(words[at + 1]) << 32 | u64::from(words[at]);
        Head {
            start: Start::of_flags(
                flags,
                Registers::from_values(&words[head::REGISTERS..head::ADDRESS]),
            ),
            is_start: flags >> head::START & 1 == 1,
            number: words[head::NUMBER],
            state: State {
                address: Address::of_value_with_is1(two(head::ADDRESS)),
                timestamp: two(head::TIMESTAMP),
                context: Context {
                    info: flags as u8,
                    vmid: words[head::VMID],
                    cid: words[head::CID],
                },
                threshold: words[head::THRESHOLD],
                suspect: flags >> head::SUSPECT & 1 == 1,
            },
        }
    }
}

/// Two words of a value, the low one first.
pub(crate) fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
