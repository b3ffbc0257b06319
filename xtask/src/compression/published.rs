// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bits per instruction that papers print for programs of which there are branch traces.

/// A program of the papers.
pub struct Program {
    /// Its name there, and that of its branch trace.
    pub name: &'static str,
    /// By the columns of [`PREDICTORS`].
    pub predictors: [f64; 10],
    /// The BASE scheme with a stream cache of 128 entries.
    pub base: f64,
}

/// The columns of the table of the paper on branch predictors (T-raptor, its Table 5).
pub const PREDICTORS: [&str; 10] = [
    "NEXS", "TSLZ", "DMTF", "rBASE", "gzip", "S0", "S1", "S4", "M4", "B4",
];

/// The table; its rSDC-LSP is rBASE, its gzip that of stream lengths and targets. The column of BASE is
/// of the paper on stream caches (its Table 2).
pub const PROGRAMS: [Program; 6] = [
    Program {
        name: "adpcm_c",
        predictors: [
            0.1486, 0.0237, 0.0011, 0.0013, 0.0014, 0.0011, 0.0005, 0.0003, 0.0003, 0.0003,
        ],
        base: 0.019,
    },
    Program {
        name: "djpeg",
        predictors: [
            0.3656, 0.2298, 0.0522, 0.0536, 0.0191, 0.0507, 0.0428, 0.0230, 0.0209, 0.0199,
        ],
        base: 0.075,
    },
    Program {
        name: "fft",
        predictors: [
            1.5545, 1.9208, 0.2011, 0.5538, 0.0648, 0.4658, 0.1777, 0.1118, 0.0874, 0.0711,
        ],
        base: 0.616,
    },
    Program {
        name: "rijndael_e",
        predictors: [
            0.8400, 0.0426, 0.0960, 0.1849, 0.0127, 0.2274, 0.0964, 0.0156, 0.0155, 0.0111,
        ],
        base: 0.192,
    },
    Program {
        name: "stringsearch",
        predictors: [
            1.9319, 1.9617, 0.0489, 0.4163, 0.1044, 0.4510, 0.3154, 0.1906, 0.1727, 0.1644,
        ],
        base: 0.472,
    },
    Program {
        name: "tiff2bw",
        predictors: [
            0.6543, 0.1460, 0.0114, 0.0308, 0.0063, 0.0203, 0.0147, 0.0046, 0.0045, 0.0042,
        ],
        base: 0.104,
    },
];
