// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bits in bytes, each with the number of times that it comes again.

use coretrace_abi::compressed::data_address::{BYTE_BITS, REPEAT_BITS};

use crate::bits::Bits;

/// A byte that came, and how often it came again.
#[derive(Clone, Copy, Debug)]
struct Run {
    byte: u64,
    again: u64,
}

/// Writes bits.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    bits: Bits,
    /// The byte that is not full, and how many bits it has.
    byte: u64,
    filled: u32,
    /// What has not been sent.
    run: Option<Run>,
}

impl Repeats {
    /// Adds a bit.
    pub fn put(&mut self, bit: bool) {
        self.byte |= u64::from(bit) << self.filled;
        self.filled += 1;
        if self.filled == BYTE_BITS {
            self.end_byte();
        }
    }

    /// All bits; zeros fill the last byte.
    pub fn finish(mut self) -> Bits {
        if self.filled > 0 {
            self.end_byte();
        }
        self.end_run();
        self.bits
    }

    fn end_byte(&mut self) {
        let byte = std::mem::take(&mut self.byte);
        self.filled = 0;
        match &mut self.run {
            Some(run) if run.byte == byte && run.again + 1 < 1 << REPEAT_BITS => run.again += 1,
            _ => {
                self.end_run();
                self.run = Some(Run { byte, again: 0 });
            }
        }
    }

    fn end_run(&mut self) {
        let Some(Run { byte, again }) = self.run.take() else {
            return;
        };
        self.bits.put_bit(again > 0);
        self.bits.put(byte, BYTE_BITS);
        if again > 0 {
            self.bits.put(again, REPEAT_BITS);
        }
    }
}
