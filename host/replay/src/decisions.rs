// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the records of the X encoders say of decisions.

use coretrace_abi::compressed::history::{
    CONTROL_ONES, Control, ESCAPE_ONES, LITERAL_WIDTHS, MEAN_MOST, MEAN_START,
};

use crate::reader::{Damaged, Reader};

/// A record that has been read, and whose turn has not come.
#[derive(Clone, Copy)]
enum Record {
    /// The decision of this class behind so many right ones is wrong.
    Wrong(usize, u64),
    /// Behind so many events, and so many instructions.
    Control {
        control: Control,
        events: u64,
        instructions: u64,
    },
}

/// The decisions of a block.
pub struct Decisions<'r> {
    reader: Reader<'r>,
    next: Option<Record>,
    /// Right decisions of each class, and events, since the record before.
    right: [u64; 2],
    events: u64,
    /// Of the runs of each class, in 1/16.
    means: [u64; 2],
    /// The place of the target that was read last.
    place: i64,
}

impl<'r> Decisions<'r> {
    /// Of a block.
    pub fn new(reader: Reader<'r>) -> Decisions<'r> {
        Decisions {
            reader,
            next: None,
            right: [0; 2],
            events: 0,
            means: [u64::from(MEAN_START); 2],
            place: 0,
        }
    }

    /// The control record that comes before the next event, and its instructions.
    pub fn control(&mut self) -> Result<Option<(Control, u64)>, Damaged> {
        match self.record()? {
            Record::Control {
                control,
                events,
                instructions,
            } if events == self.events => {
                self.begin();
                Ok(Some((control, instructions)))
            }
            Record::Control { events, .. } if events < self.events => Err(Damaged),
            Record::Control { .. } | Record::Wrong(..) => Ok(None),
        }
    }

    /// Makes a decision.
    pub fn decide(&mut self, class: usize, guess: bool) -> Result<bool, Damaged> {
        let right = self.right[class];
        if let Record::Wrong(of, after) = self.record()?
            && of == class
            && after == right
        {
            let mean = &mut self.means[class];
            *mean = *mean - *mean / 16 + right.min(MEAN_MOST);
            self.begin();
            return Ok(!guess);
        }
        self.right[class] += 1;
        Ok(guess)
    }

    /// An event has ended.
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// A target that no decision says.
    pub fn literal(&mut self) -> Result<u64, Damaged> {
        let size = self.reader.field(3)?;
        let is_below = self.reader.bit()?;
        let distance = self.reader.field(LITERAL_WIDTHS[size as usize])?;
        let distance = distance.cast_signed();
        let distance = if is_below { -distance } else { distance };
        self.place = self.place.wrapping_add(distance);
        Ok((self.place << 2).cast_unsigned())
    }

    /// Bits that a control record says.
    pub fn payload(&mut self, bits: u32) -> Result<u64, Damaged> {
        self.reader.field(bits)
    }

    fn begin(&mut self) {
        self.next = None;
        self.right = [0; 2];
        self.events = 0;
    }

    fn record(&mut self) -> Result<Record, Damaged> {
        let record = match self.next {
            Some(record) => record,
            None => self.read()?,
        };
        self.next = Some(record);
        Ok(record)
    }

    fn read(&mut self) -> Result<Record, Damaged> {
        let class = usize::from(self.reader.bit()?);
        let mut ones = 0;
        while ones < CONTROL_ONES && self.reader.bit()? {
            ones += 1;
        }
        let low = (self.means[class] / 16 + 1).ilog2();
        match ones {
            0..ESCAPE_ONES => {
                let high = u64::from(ones) << low;
                Ok(Record::Wrong(class, high | self.reader.field(low)?))
            }
            ESCAPE_ONES => Ok(Record::Wrong(class, self.reader.field(32)?)),
            CONTROL_ONES if class == 0 => {
                let control = match self.reader.field(3)? {
                    0 => Control::Discontinuity,
                    1 => Control::End,
                    2 => Control::Context,
                    3 => Control::Timestamp,
                    _ => return Err(Damaged),
                };
                Ok(Record::Control {
                    control,
                    events: self.gamma()? - 1,
                    instructions: self.gamma()? - 1,
                })
            }
            _ => Err(Damaged),
        }
    }

    fn gamma(&mut self) -> Result<u64, Damaged> {
        let mut below = 0;
        while !self.reader.bit()? {
            below += 1;
            if below == u64::BITS {
                return Err(Damaged);
            }
        }
        Ok(1 << below | self.reader.field(below)?)
    }
}
