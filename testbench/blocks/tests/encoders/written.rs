// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an encoder wrote since its start, against the model.

/// The most events or elements whose beats are on their way.
pub const IN_FLIGHT: usize = 64;

/// Bits that came out, and where those of each event or element end in the model.
#[derive(Default)]
pub struct Written {
    bytes: Vec<u8>,
    len: u64,
    ends: Vec<u64>,
    /// Events or elements whose last beat came.
    compared: usize,
}

impl Written {
    /// The encoder took an event or an element; so many bits are there behind it in the model.
    pub fn takes(&mut self, bits: u64) {
        self.ends.push(bits);
    }

    /// A beat came out, the last one of an event or an element or not.
    pub fn beat(&mut self, bits: u64, count: u64, is_last: bool, cycle: u64) {
        let value = u128::from(bits) << (self.len % 8);
        self.len += count;
        let place = (self.len - count) / 8;
        self.bytes.resize(self.len.div_ceil(8) as usize, 0);
        let to = self.bytes[place as usize..].iter_mut();
        to.zip(value.to_le_bytes())
            .for_each(|(to, byte)| *to |= byte);
        if is_last {
            let end = self.ends.get(self.compared);
            assert_eq!(Some(&self.len), end, "cycle {cycle}");
            self.compared += 1;
        }
    }

    /// The encoder starts again: all whole bytes are those of the model, and few beats are missing.
    pub fn starts(&mut self, model: &[u8], most_missing: usize, cycle: u64) {
        let whole = (self.len / 8) as usize;
        assert!(
            self.bytes[..whole] == model[..whole],
            "the block before cycle {cycle}"
        );
        let missing = self.ends.len() - self.compared;
        assert!(missing <= most_missing, "{missing} without beats");
        *self = Written::default();
    }
}
