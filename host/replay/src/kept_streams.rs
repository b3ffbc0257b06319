// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that an encoder has kept, by index.

use coretrace_abi::compressed::stream_cache::{SETS, WAYS};

use crate::reader::Damaged;

/// Kept streams; there is none of index 0.
pub struct KeptStreams {
    /// Address, as the encoder keeps it, and length; the sets one behind the other.
    streams: Vec<Option<(u64, u32)>>,
    /// The indices of each set, the one that was used last at the end.
    order: Vec<Vec<usize>>,
}

impl KeptStreams {
    /// None.
    pub fn new() -> KeptStreams {
        let indices = |set: usize| (set * WAYS..(set + 1) * WAYS).filter(|&index| index > 0);
        KeptStreams {
            streams: vec![None; SETS * WAYS],
            order: (0..SETS).map(|set| indices(set).collect()).collect(),
        }
    }

    /// The stream of an index, which is used.
    pub fn get(&mut self, index: usize) -> Result<(u64, u32), Damaged> {
        let stream = self.streams[index].ok_or(Damaged)?;
        self.use_it(index);
        Ok(stream)
    }

    /// Keeps a stream in a set, in the place that it has if it has one; its index.
    pub fn keep(&mut self, set: u64, stream: (u64, u32)) -> usize {
        let set = set as usize & (SETS - 1);
        let mut indices: Vec<usize> = self.order[set].clone();
        indices.sort_unstable();
        let of = |wanted: Option<(u64, u32)>| {
            let has = |&index: &usize| self.streams[index] == wanted;
            indices.iter().copied().find(has)
        };
        let known = of(Some(stream)).or_else(|| of(None));
        let index = known.unwrap_or(self.order[set][0]);
        self.streams[index] = Some(stream);
        self.use_it(index);
        index
    }

    fn use_it(&mut self, index: usize) {
        let order = &mut self.order[index / WAYS];
        if let Some(at) = order.iter().position(|&used| used == index) {
            order.remove(at);
            order.push(index);
        }
    }
}
