// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that the stream cache encoders leave out.

use coretrace_abi::compressed::stream_cache::{
    ADDRESS_BITS, DISCONTINUITY, INDEX_BITS, LENGTH_BITS, MONITOR_LONG, MONITOR_MOST,
    MONITOR_SHORT, MONITOR_START, RUN_BITS, SETS, Scheme, WAYS,
};

use crate::kept_streams::KeptStreams;
use crate::reader::{Damaged, Reader};
use crate::streams::{Stream, StreamSource};

/// The cache with what the encoder knows when a record comes.
struct Cache {
    scheme: Scheme,
    address_bits: u32,
    kept: KeptStreams,
    followers: Vec<usize>,
    last: usize,
    upper: u64,
    /// Predicted streams that the last record has left.
    predicted: u64,
    run_bits: u32,
    monitor: u32,
    /// The last record was a run as long as its bits can say.
    was_full: bool,
}

impl Cache {
    fn new(scheme: Scheme, is_wide: bool) -> Cache {
        Cache {
            scheme,
            address_bits: ADDRESS_BITS[usize::from(is_wide)],
            kept: KeptStreams::new(),
            followers: vec![0; SETS * WAYS],
            last: 0,
            upper: 0,
            predicted: 0,
            run_bits: RUN_BITS.0,
            monitor: MONITOR_START,
            was_full: false,
        }
    }

    /// Bits of an address that are below those that are sent by themselves.
    fn lower_bits(&self) -> u32 {
        32 - self.scheme.upper_bits()
    }

    /// The stream of an index, which is now the last one.
    fn cached(&mut self, index: usize) -> Result<Stream, Damaged> {
        let (kept, length) = self.kept.get(index)?;
        let start = match self.scheme {
            Scheme::Reduced => kept | self.upper << self.lower_bits(),
            Scheme::Base | Scheme::Extended => kept,
        };
        self.follow(index);
        Ok(Stream {
            start,
            length,
            executed: None,
        })
    }

    /// The next stream, which starts at `known` if the image says where.
    fn next(&mut self, reader: &mut Reader<'_>, known: Option<u64>) -> Result<Stream, Damaged> {
        let stream = if self.predicted > 0 || reader.bit()? {
            self.predicted(reader)?;
            self.cached(self.followers[self.last])?
        } else {
            self.was_full = false;
            match reader.field(INDEX_BITS)? {
                0 => self.new_stream(reader, known)?,
                index => self.cached(index as usize)?,
            }
        };
        if self.scheme == Scheme::Reduced {
            self.upper = self.without_top(stream.start) >> self.lower_bits();
        }
        Ok(stream)
    }

    /// One of a run of predicted streams; the record has been begun if none is left.
    fn predicted(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        if self.predicted > 0 {
            self.predicted -= 1;
            return Ok(());
        }
        if !self.scheme.has_runs() {
            return Ok(());
        }
        // A run behind a full one says that the full one was too short for what came.
        if self.was_full {
            self.adapt(true);
        }
        let run = reader.field(self.run_bits)?;
        self.predicted = run.checked_sub(1).ok_or(Damaged)?;
        self.was_full = run == (1 << self.run_bits) - 1;
        if run < 1 << (self.run_bits - 1) {
            self.adapt(false);
        }
        Ok(())
    }

    fn adapt(&mut self, was_long: bool) {
        let (_, least, most) = RUN_BITS;
        if was_long {
            self.monitor = MONITOR_MOST.min(self.monitor + MONITOR_LONG);
        } else {
            self.monitor = self.monitor.saturating_sub(MONITOR_SHORT);
        }
        match self.monitor {
            0 => self.run_bits = least.max(self.run_bits - 1),
            MONITOR_MOST => self.run_bits = most.min(self.run_bits + 1),
            _ => return,
        }
        self.monitor = MONITOR_START;
    }

    fn new_stream(
        &mut self,
        reader: &mut Reader<'_>,
        known: Option<u64>,
    ) -> Result<Stream, Damaged> {
        let length = reader.field(LENGTH_BITS)? as u32;
        let start = match known {
            Some(start) => start,
            None => self.address(reader)?,
        };
        let mut stream = Stream {
            start,
            length,
            executed: None,
        };
        if length == DISCONTINUITY {
            stream.executed = Some(reader.field(LENGTH_BITS)? as u32);
            self.last = 0;
        } else {
            self.keep(&stream);
        }
        Ok(stream)
    }

    fn address(&mut self, reader: &mut Reader<'_>) -> Result<u64, Damaged> {
        if self.scheme == Scheme::Base {
            return Ok(reader.field(self.address_bits - 2)? << 2);
        }
        let is_new = reader.bit()?;
        let lower = reader.field(self.lower_bits() - 2)? << 2;
        let mut upper = self.upper;
        if is_new {
            upper = reader.field(self.address_bits - self.lower_bits())?;
        }
        if self.scheme == Scheme::Extended {
            self.upper = upper;
        }
        Ok(upper << self.lower_bits() | lower)
    }

    fn without_top(&self, address: u64) -> u64 {
        address & ((1 << self.address_bits) - 1)
    }

    /// Puts a stream into the cache, in the place that it has if it has one.
    fn keep(&mut self, stream: &Stream) {
        let kept = match self.scheme {
            Scheme::Reduced => stream.start & ((1 << self.lower_bits()) - 1),
            Scheme::Base | Scheme::Extended => stream.start,
        };
        let set = (stream.start >> 4) ^ u64::from(stream.length);
        let index = self.kept.keep(set, (kept, stream.length));
        self.follow(index);
    }

    fn follow(&mut self, index: usize) {
        self.followers[self.last] = index;
        self.last = index;
    }
}

/// The streams of a block.
pub struct CachedStreams<'r> {
    reader: Reader<'r>,
    cache: Cache,
}

impl<'r> CachedStreams<'r> {
    /// Of these records; the addresses of A64 are wide.
    pub fn new(scheme: Scheme, is_wide: bool, reader: Reader<'r>) -> CachedStreams<'r> {
        CachedStreams {
            reader,
            cache: Cache::new(scheme, is_wide),
        }
    }
}

impl StreamSource for CachedStreams<'_> {
    fn stream(&mut self, known: Option<u64>) -> Result<Option<Stream>, Damaged> {
        if self.cache.predicted == 0 && self.reader.is_at_end() {
            return Ok(None);
        }
        self.cache.next(&mut self.reader, known).map(Some)
    }
}
