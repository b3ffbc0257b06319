// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of the X encoders: where a decision was wrong, and what no decision can say.

use coretrace_abi::compressed::history::{
    CONTEXT_BITS, CONTROL_ONES, Control, ESCAPE_ONES, IDENTIFIERS_BITS, LENGTH_BITS,
    LITERAL_WIDTHS, MEAN_MOST, MEAN_START, TIMESTAMP_BITS,
};
use coretrace_abi::compressed::item::Note;
use coretrace_abi::compressed::votes::NUMBER_BITS;

use crate::bits::Bits;

/// Right decisions of a class.
#[derive(Clone, Copy, Debug)]
struct Run {
    length: u64,
    /// Of the runs so far, in 1/16.
    mean: u32,
}

/// Writes records.
#[derive(Clone, Debug)]
pub struct Records {
    bits: Bits,
    /// The most doubt of each class but the first one.
    classes: &'static [u16],
    /// By class.
    runs: Vec<Run>,
    /// Events since the last record.
    events: u64,
    /// The target that was sent last, in instructions.
    last: i64,
}

impl Records {
    /// Before the first record. `classes`: below so much doubt a decision is of the second class, and so on.
    pub fn new(classes: &'static [u16]) -> Records {
        let run = Run {
            length: 0,
            mean: MEAN_START,
        };
        Records {
            bits: Bits::default(),
            classes,
            runs: vec![run; classes.len() + 1],
            events: 0,
            last: 0,
        }
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.bits.len()
    }

    /// All records.
    pub fn into_bits(self) -> Bits {
        self.bits
    }

    /// A decision was made that was thought to be wrong with a probability of so many 2^-15.
    pub fn decide(&mut self, doubt: u16, is_right: bool) {
        let class = self.classes.iter().filter(|&&most| doubt < most).count();
        if is_right {
            self.runs[class].length += 1;
            return;
        }
        (0..class).for_each(|_| self.bits.put_bit(true));
        if class < self.classes.len() {
            self.bits.put_bit(false);
        }
        let run = &mut self.runs[class];
        let low = ((run.mean >> 4) + 1).ilog2();
        self.bits.put_rice(run.length, low);
        run.mean = run.mean - (run.mean >> 4) + run.length.min(MEAN_MOST) as u32;
        self.begin();
    }

    /// An event has ended.
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// A target that no decision says.
    pub fn literal(&mut self, target: u64) {
        let place = target.cast_signed() >> 2;
        let distance = place - self.last;
        let size = distance.unsigned_abs();
        let fits = |&width: &u32| size >> width == 0;
        let number = LITERAL_WIDTHS.iter().position(fits).unwrap_or_default();
        self.bits.put(number as u64, 3);
        self.bits.put_bit(distance < 0);
        self.bits.put(size, LITERAL_WIDTHS[number]);
        self.last = place;
    }

    /// A target that no decision says, of an encoder that has numbers of targets.
    pub fn numbered_literal(&mut self, target: u64, number: Option<usize>) {
        self.bits.put_bit(number.is_some());
        match number {
            Some(number) => self.bits.put(number as u64, NUMBER_BITS),
            None => self.literal(target),
        }
    }

    /// A note, so many instructions behind the last event.
    pub fn note(&mut self, note: Note, instructions: u64) {
        match note {
            Note::Context(context) => {
                self.control(Control::Context, instructions);
                self.bits.put(context.into(), CONTEXT_BITS);
            }
            Note::Identifiers { vmid, cid } => {
                self.control(Control::Identifiers, instructions);
                self.bits.put(vmid.into(), IDENTIFIERS_BITS / 2);
                self.bits.put(cid.into(), IDENTIFIERS_BITS / 2);
            }
            Note::Timestamp(time) => {
                self.control(Control::Timestamp, instructions);
                self.bits.put(time, TIMESTAMP_BITS);
            }
            Note::Bytes(bytes) => {
                self.control(Control::Bytes, instructions);
                let bytes = bytes.as_slice();
                self.bits.put(bytes.len() as u64 - 1, LENGTH_BITS);
                for &byte in bytes {
                    self.bits.put(byte.into(), 8);
                }
            }
        }
    }

    /// Something else, so many instructions behind the last event.
    pub fn control(&mut self, control: Control, instructions: u64) {
        self.bits.put_bit(false);
        self.bits.put((1 << CONTROL_ONES) - 1, CONTROL_ONES);
        self.bits.put(control as u64, 3);
        self.bits.put_gamma(self.events + 1);
        self.bits.put_gamma(instructions + 1);
        self.begin();
    }

    fn begin(&mut self) {
        self.events = 0;
        for run in &mut self.runs {
            run.length = 0;
        }
    }
}

impl Bits {
    /// A value as its high bits in ones and a zero, and its low bits; a great one in 32 bits.
    fn put_rice(&mut self, value: u64, low: u32) {
        let ones = value >> low;
        if ones < u64::from(ESCAPE_ONES) {
            self.put((1 << ones) - 1, ones as u32 + 1);
            self.put(value, low);
        } else {
            self.put((1 << ESCAPE_ONES) - 1, ESCAPE_ONES + 1);
            self.put(value.min(u32::MAX.into()), 32);
        }
    }

    /// A value above 0 as the number of its bits and those below the highest.
    fn put_gamma(&mut self, value: u64) {
        let below = value.ilog2();
        self.put(0, below);
        self.put_bit(true);
        self.put(value, below);
    }
}
