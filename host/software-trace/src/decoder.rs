// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoder of either protocol.

use coretrace_decode::Policy;
use coretrace_itm::Config;

use crate::{ItmDecoder, Record, StmDecoder};

/// A protocol of software trace, with what registers change in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// STPv2 of an STM: no register changes it.
    Stm,
    /// ITM and DWT.
    Itm(Config),
}

/// The decoder of one source.
#[derive(Clone, Debug)]
pub enum Decoder {
    /// Of an STM.
    Stm(StmDecoder),
    /// Of an ITM.
    Itm(ItmDecoder),
}

impl Decoder {
    /// A decoder waiting for the first sync.
    pub fn new(protocol: Protocol, policy: Policy) -> Decoder {
        match protocol {
            Protocol::Stm => Decoder::Stm(StmDecoder::new(policy)),
            Protocol::Itm(config) => Decoder::Itm(ItmDecoder::new(config, policy)),
        }
    }

    /// Decodes the next bytes; `sink` gets every record that they complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&Record)) {
        match self {
            Decoder::Stm(decoder) => decoder.feed(bytes, |record| sink(&Record::Stm(*record))),
            Decoder::Itm(decoder) => decoder.feed(bytes, |record| sink(&Record::Itm(*record))),
        }
    }

    /// Bytes were lost before the next one.
    pub fn discontinuity(&mut self, mut sink: impl FnMut(&Record)) {
        match self {
            Decoder::Stm(decoder) => decoder.discontinuity(|it| sink(&Record::Stm(*it))),
            Decoder::Itm(decoder) => decoder.discontinuity(|it| sink(&Record::Itm(*it))),
        }
    }

    /// The stream ends.
    pub fn finish(&mut self, mut sink: impl FnMut(&Record)) {
        match self {
            Decoder::Stm(decoder) => decoder.finish(|record| sink(&Record::Stm(*record))),
            Decoder::Itm(decoder) => decoder.finish(|record| sink(&Record::Itm(*record))),
        }
    }
}
