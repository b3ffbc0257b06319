// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream cache encoders: a record for each stream that is not the one that followed before.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::stream_cache::{
    ADDRESS_BITS, INDEX_BITS, LENGTH_BITS, MONITOR_LONG, MONITOR_MOST, MONITOR_SHORT,
    MONITOR_START, RUN_BITS, SETS, Scheme, WAYS,
};

use crate::bits::Bits;
use crate::stream::{Rest, Stream, StreamCutter};
use crate::stream_table::{Key, StreamTable};

/// Predicted streams in a row.
#[derive(Clone, Debug)]
struct Run {
    length: u64,
    bits: u32,
    monitor: u32,
}

impl Run {
    /// The number of bits goes up or down if the monitor reaches an end.
    fn adapt(&mut self, up: u32, down: u32) {
        let (_, least, most) = RUN_BITS;
        self.monitor = (self.monitor + up).min(MONITOR_MOST).saturating_sub(down);
        if self.monitor == MONITOR_MOST {
            self.bits = (self.bits + 1).min(most);
        } else if self.monitor == 0 {
            self.bits = (self.bits - 1).max(least);
        } else {
            return;
        }
        self.monitor = MONITOR_START;
    }
}

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct StreamCache {
    cutter: StreamCutter,
    cache: Cache,
}

impl StreamCache {
    /// Execution begins here; the addresses of A64 are wide.
    pub fn new(scheme: Scheme, is_wide: bool, start: u64) -> StreamCache {
        StreamCache {
            cutter: StreamCutter::new(start),
            cache: Cache::new(scheme, ADDRESS_BITS[usize::from(is_wide)]),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        let cache = &mut self.cache;
        self.cutter.event(event, |stream| cache.stream(&stream));
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.cache.bits.len()
    }

    /// The bits, and the stream that has not ended.
    pub fn finish(mut self) -> (Bits, Rest) {
        self.cache.end_run();
        (self.cache.bits, self.cutter.rest())
    }
}

/// The cache, the predictor, and what they leave to be sent.
#[derive(Clone, Debug)]
struct Cache {
    scheme: Scheme,
    address_bits: u32,
    table: StreamTable,
    /// What followed each stream, by index.
    followers: Vec<usize>,
    previous: usize,
    run: Run,
    /// The upper bits of an address that need not be sent.
    upper: u64,
    bits: Bits,
}

impl Cache {
    fn new(scheme: Scheme, address_bits: u32) -> Cache {
        Cache {
            scheme,
            address_bits,
            table: StreamTable::new(),
            followers: vec![0; SETS * WAYS],
            previous: 0,
            run: Run {
                length: 0,
                bits: RUN_BITS.0,
                monitor: MONITOR_START,
            },
            upper: 0,
            bits: Bits::default(),
        }
    }

    /// The upper bits of an address, and the lower ones.
    fn split(&self, address: u64) -> (u64, u64) {
        let address = address & ((1 << self.address_bits) - 1);
        match self.scheme.upper_bits() {
            0 => (0, address),
            upper => (address >> (32 - upper), address & ((1 << (32 - upper)) - 1)),
        }
    }

    /// What the cache has of a stream.
    fn key(&self, stream: &Stream) -> Key {
        let (_, lower) = self.split(stream.start);
        let address = match self.scheme {
            Scheme::Reduced => lower,
            _ => stream.start,
        };
        (address, stream.length)
    }

    /// What selects the set.
    fn number(stream: &Stream) -> u64 {
        (stream.start >> 4) ^ u64::from(stream.length)
    }

    fn stream(&mut self, stream: &Stream) {
        let (upper, _) = self.split(stream.start);
        let found = self.table.find(Self::number(stream), self.key(stream));
        let is_sent_whole =
            self.scheme == Scheme::Reduced && upper != self.upper || stream.executed.is_some();
        let index = match found {
            Some(index) if !is_sent_whole => {
                self.hit(index);
                index
            }
            _ => self.miss(stream),
        };
        if self.scheme == Scheme::Reduced {
            self.upper = upper;
        }
        self.previous = index;
    }

    fn hit(&mut self, index: usize) {
        self.table.hit(index);
        if self.followers[self.previous] != index {
            self.end_run();
            self.bits.put_bit(false);
            self.bits.put(index as u64, INDEX_BITS);
            self.followers[self.previous] = index;
        } else if !self.scheme.has_runs() {
            self.bits.put_bit(true);
        } else if self.run.length + 1 == 1 << self.run.bits {
            self.put_run();
            self.run.length = 1;
            self.run.adapt(MONITOR_LONG, 0);
        } else {
            self.run.length += 1;
        }
    }

    /// Returns the index of the stream from now on.
    fn miss(&mut self, stream: &Stream) -> usize {
        self.end_run();
        self.bits.put_bit(false);
        self.bits.put(0, INDEX_BITS);
        self.bits.put(stream.length.into(), LENGTH_BITS);
        if stream.is_explicit {
            self.put_address(stream.start);
        }
        if let Some(executed) = stream.executed {
            self.bits.put(executed.into(), LENGTH_BITS);
            return 0;
        }
        let index = self.table.put(Self::number(stream), self.key(stream));
        self.followers[self.previous] = index;
        index
    }

    fn put_address(&mut self, address: u64) {
        let (upper, lower) = self.split(address);
        let upper_bits = self.scheme.upper_bits();
        if upper_bits == 0 {
            self.bits.put(lower >> 2, self.address_bits - 2);
            return;
        }
        let is_new = upper != self.upper;
        self.bits.put_bit(is_new);
        self.bits.put(lower >> 2, 30 - upper_bits);
        if is_new {
            self.bits.put(upper, upper_bits + self.address_bits - 32);
        }
        if self.scheme == Scheme::Extended {
            self.upper = upper;
        }
    }

    fn end_run(&mut self) {
        if self.run.length == 0 {
            return;
        }
        self.put_run();
        if self.run.length < 1 << (self.run.bits - 1) {
            self.run.adapt(0, MONITOR_SHORT);
        }
        self.run.length = 0;
    }

    fn put_run(&mut self) {
        self.bits.put_bit(true);
        self.bits.put(self.run.length, self.run.bits);
    }
}
