// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hardware decoders of Arm trace that others published, with what they say of rate and area.

use serde::Serialize;

/// How a figure came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// By our model of timing and area.
    Estimated,
    /// By its authors, or by authors who cite them; not repeated here.
    Claimed,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Estimated => "estimated",
            Kind::Claimed => "claimed",
        }
    }
}

/// A published decoder. Rates are for the bytes that suit it least.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Decoder {
    /// Who, and what it decodes.
    pub name: &'static str,
    /// The device of the figures.
    pub device: &'static str,
    /// Bytes per cycle in the worst case.
    pub bytes_per_cycle: f64,
    /// Clock frequency.
    pub mhz: f64,
    /// LUTs with six inputs; none if they are not published.
    pub lut: Option<usize>,
    /// How the figures came about.
    pub kind: Kind,
    /// Where the figures stand.
    pub source: &'static str,
}

/// Every published decoder whose rate we know.
pub const DECODERS: [Decoder; 4] = [
    Decoder {
        name: "Weingarten 2023, ETMv4",
        device: "xczu5ev-sfvc784-2-i",
        bytes_per_cycle: 4.0,
        mhz: 250.0,
        lut: Some(2899),
        kind: Kind::Claimed,
        source: "M. Weingarten, master's thesis 441, ETH Zurich, 2023, doi 10.3929/ethz-b-000612599, tables 6.1 and 6.2",
    },
    Decoder {
        name: "Zeinolabedin 2021, ETMv4",
        device: "xc6vcx75t-2ff784",
        bytes_per_cycle: 1.0,
        mhz: 125.0,
        lut: Some(3160),
        kind: Kind::Claimed,
        source: "S. Zeinolabedin et al., IEEE Design & Test 38(1), 69-77, L2 decoder, as cited by M. Weingarten 2023, tables 6.1 and 6.2",
    },
    Decoder {
        name: "Schmid 2019, PTM",
        device: "xc7z04",
        bytes_per_cycle: 1.0,
        mhz: 125.0,
        lut: None,
        kind: Kind::Claimed,
        source: "P. Schmid, master's thesis, ETH Zurich, 2019, as cited by M. Weingarten 2023, table 6.2",
    },
    Decoder {
        name: "Weiss and Lange 2016, ETMv3.5 and PTM",
        device: "not named",
        bytes_per_cycle: 1.0,
        mhz: 100.0,
        lut: None,
        kind: Kind::Claimed,
        source: "A. Weiss and A. Lange, US patent 9,286,186, more than 100 MHz, one window, as cited by M. Weingarten 2023, table 6.2",
    },
];

impl Decoder {
    /// Worst-case rate in GB/s.
    pub fn rate(&self) -> f64 {
        self.bytes_per_cycle * self.mhz / 1000.0
    }
}
