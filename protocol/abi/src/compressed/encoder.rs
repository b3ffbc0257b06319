// SPDX-License-Identifier: MIT OR Apache-2.0
//! All encoders by name, and by the numbers that blocks have of them.

use super::history::{self, HistoryPreset};
use super::index_trace::{IndexRecords, RECORDS};
use super::raptor::{self, RaptorPreset};
use super::stream_cache::{SCHEMES, Scheme};

/// An encoder of branch events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoder {
    /// S0 to B4.
    Raptor(&'static RaptorPreset),
    /// BASE, eBASE, rBASE.
    StreamCache(Scheme),
    /// X0 to X3.
    History(&'static HistoryPreset),
    /// X4.
    Votes,
    /// NEXS.
    Nexus,
    /// SCIT and THT.
    IndexTrace(IndexRecords),
}

/// The number of the XE encoder, whose blocks have elements.
pub const ELEMENTS: u8 = 3;

impl Encoder {
    /// All of them by name.
    pub fn all() -> impl Iterator<Item = (&'static str, Encoder)> {
        let raptors = raptor::PRESETS.iter();
        let raptors = raptors.map(|preset| (preset.name, Encoder::Raptor(preset)));
        let caches = SCHEMES
            .iter()
            .map(|(name, scheme)| (*name, Encoder::StreamCache(*scheme)));
        let histories = history::PRESETS.iter();
        let histories = histories.map(|preset| (preset.name, Encoder::History(preset)));
        let single = [("X4", Encoder::Votes), ("NEXS", Encoder::Nexus)];
        let index_traces = RECORDS.iter();
        let index_traces = index_traces.map(|(name, of)| (*name, Encoder::IndexTrace(*of)));
        let all = raptors.chain(caches).chain(histories);
        all.chain(single).chain(index_traces)
    }

    /// The encoder of this name.
    pub fn named(name: &str) -> Option<Encoder> {
        let (_, encoder) = Encoder::all().find(|(of, _)| *of == name)?;
        Some(encoder)
    }

    /// The number of the encoder, and of the preset.
    pub fn numbers(self) -> (u8, u8) {
        let kind = match self {
            Encoder::Raptor(_) => 0,
            Encoder::StreamCache(_) => 1,
            Encoder::History(_) => 2,
            Encoder::Nexus => 4,
            Encoder::IndexTrace(_) => 5,
            Encoder::Votes => 6,
        };
        let is_kind =
            |other: &Encoder| core::mem::discriminant(other) == core::mem::discriminant(&self);
        let mut of_kind = Encoder::all().map(|(_, encoder)| encoder).filter(is_kind);
        let preset = of_kind.position(|encoder| encoder == self);
        (kind, preset.map_or(u8::MAX, |preset| preset as u8))
    }

    /// The encoder with these numbers.
    pub fn numbered(numbers: (u8, u8)) -> Option<Encoder> {
        let mut all = Encoder::all().map(|(_, encoder)| encoder);
        all.find(|encoder| encoder.numbers() == numbers)
    }
}
