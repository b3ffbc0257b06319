// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the bytes of a capture are framed.

use std::fmt;
use std::str::FromStr;

use anyhow::{Error, Result, anyhow};
use coretrace_decode::tpiu;
use serde::Deserialize;

/// How the bytes of a capture are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Format {
    /// `raw`: the bytes of one source.
    Raw,
    /// Framed bytes of several sources, distinguished by trace ID.
    Framed(tpiu::Format),
}

/// The name of [`Format::Raw`].
const RAW: &str = "raw";

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Raw => f.write_str(RAW),
            Format::Framed(format) => format.fmt(f),
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format> {
        if name == RAW {
            return Ok(Format::Raw);
        }
        name.parse()
            .map(Format::Framed)
            .map_err(|error: tpiu::UnknownFormat| anyhow!("{error}, {RAW}"))
    }
}

impl TryFrom<String> for Format {
    type Error = Error;

    fn try_from(name: String) -> Result<Format> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_by_the_names_they_print() {
        for name in ["raw", "frames", "tpiu-fsync", "tpiu-hsync", "dstream"] {
            assert_eq!(name.parse::<Format>().unwrap().to_string(), name);
        }
        let error = "tpiu".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.contains("tpiu-hsync") && error.contains("raw"),
            "{error}"
        );
    }
}
