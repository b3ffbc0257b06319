// SPDX-License-Identifier: MIT OR Apache-2.0
//! All encoders by name, and by the numbers that blocks have of them.

use super::history::{self, HistoryPreset};
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
        raptors.chain(caches).chain(histories)
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
