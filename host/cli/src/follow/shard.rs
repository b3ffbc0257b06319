// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which part of a capture is decoded, of several that are decoded elsewhere.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result, ensure};
use coretrace_capture::{Pass, StreamSink};

/// A part of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 0.
    number: u32,
    /// How many there are.
    count: u32,
}

/// The part of the stream of a source: cuts are those of the first A-Syncs at these offsets or behind
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins; none at the beginning of the stream.
    pub from: Option<u64>,
    /// Where it ends; none at the end of the stream.
    pub to: Option<u64>,
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let (number, count) = text
            .split_once('/')
            .context("a shard is K/N, such as 0/4: K from 0, below N")?;
        let shard = Shard {
            number: number.parse().context("K is a number from 0")?,
            count: count.parse().context("N is a number from 1")?,
        };
        ensure!(
            shard.number < shard.count,
            "there is no shard {shard}: K is from 0, below N"
        );
        Ok(shard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard {
        number: 0,
        count: 1,
    };

    /// Which one, from 0.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.count
    }

    /// The part of a stream of so many bytes.
    fn of(self, bytes: u64) -> Extent {
        let at = |number: u32| {
            let place = u128::from(bytes) * u128::from(number) / u128::from(self.count);
            place as u64
        };
        Extent {
            from: (self.number > 0).then(|| at(self.number)),
            to: (self.number + 1 < self.count).then(|| at(self.number + 1)),
        }
    }

    /// The part of the only source of a pass, for which it is read once.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_pass(self, pass: &Pass<'_>) -> Result<Extent> {
        ensure!(
            pass.buffer.bytes.is_repeatable(),
            "a shard of a pipe is not possible: store the trace in a file"
        );
        let mut bytes = Bytes(0);
        let all = Pass {
            sync_limit: u64::MAX,
            ..*pass
        };
        all.run_streams(&mut bytes)?;
        Ok(self.of(bytes.0))
    }
}

/// Counts the bytes of a source.
struct Bytes(u64);

impl StreamSink for Bytes {
    fn bytes(&mut self, _: usize, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn lost(&mut self) {}

    fn finish(&mut self) {}

    fn is_synced(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_the_whole_and_nothing_twice() {
        for (bytes, count) in [(0, 1), (0, 3), (10, 3), (u64::MAX, 7), (5, 16)] {
            let mut end = None;
            for number in 0..count {
                let Extent { from, to } = Shard { number, count }.of(bytes);
                assert_eq!(from, end, "{number}/{count}");
                end = to;
            }
            assert_eq!(end, None);
        }
    }

    #[test]
    fn a_shard_that_is_none_says_what_one_is() {
        for text in ["", "1", "1/1", "3/2", "0/0", "-1/2", "a/b", "0/5000000000"] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains("from"), "{text}: {error}");
        }
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
    }
}
