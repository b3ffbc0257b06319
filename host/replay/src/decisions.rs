// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the records of the X encoders say of decisions.

use coretrace_abi::compressed::history::{
    CONTEXT_BITS, CONTROL_ONES, Control, ESCAPE_ONES, IDENTIFIERS_BITS, LENGTH_BITS,
    LITERAL_WIDTHS, MEAN_MOST, MEAN_START, TIMESTAMP_BITS,
};
use coretrace_abi::compressed::item::{Note, StreamBytes};

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

/// What a control record says, with all that follows it.
#[derive(Clone, Copy)]
pub enum Said {
    /// Execution goes on there.
    Discontinuity(u64),
    Note(Note),
    End,
}

/// A target where some have numbers.
pub enum Literal {
    Number(usize),
    Target(u64),
}

/// The decisions of a block.
pub struct Decisions<'r> {
    reader: Reader<'r>,
    next: Option<Record>,
    /// The most doubt of each class but the first one.
    classes: &'static [u16],
    /// Right decisions of each class, and events, since the record before.
    right: Vec<u64>,
    events: u64,
    /// Of the runs of each class, in 1/16.
    means: Vec<u64>,
    /// The place of the target that was read last.
    place: i64,
}

impl<'r> Decisions<'r> {
    /// Of a block. A decision with less doubt than the first number is of the second class, and so on.
    pub fn new(reader: Reader<'r>, classes: &'static [u16]) -> Decisions<'r> {
        let count = 1 + classes.len();
        Decisions {
            reader,
            next: None,
            classes,
            right: vec![0; count],
            events: 0,
            means: vec![u64::from(MEAN_START); count],
            place: 0,
        }
    }

    /// The control record that comes before the next event, and its instructions.
    pub fn control(&mut self) -> Result<Option<(Said, u64)>, Damaged> {
        match self.record()? {
            Record::Control {
                control,
                events,
                instructions,
            } if events == self.events => {
                self.begin();
                Ok(Some((self.said(control)?, instructions)))
            }
            Record::Control { events, .. } if events < self.events => Err(Damaged),
            Record::Control { .. } | Record::Wrong(..) => Ok(None),
        }
    }

    /// Makes a decision about which there is so much doubt.
    pub fn decide(&mut self, doubt: u16, guess: bool) -> Result<bool, Damaged> {
        let class = self.classes.partition_point(|&most| doubt < most);
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

    /// A target that no decision says, where some have numbers of so many bits.
    pub fn numbered_literal(&mut self, width: u32) -> Result<Literal, Damaged> {
        if self.reader.bit()? {
            let number = self.reader.field(width)?;
            return Ok(Literal::Number(number as usize));
        }
        self.literal().map(Literal::Target)
    }

    /// What follows a control record.
    fn said(&mut self, control: Control) -> Result<Said, Damaged> {
        Ok(match control {
            Control::Discontinuity => Said::Discontinuity(self.literal()?),
            Control::End => Said::End,
            Control::Context => {
                let context = self.reader.field(CONTEXT_BITS)? as u32;
                Said::Note(Note::Context(context))
            }
            Control::Timestamp => {
                let time = self.reader.field(TIMESTAMP_BITS)?;
                Said::Note(Note::Timestamp(time))
            }
            Control::Identifiers => {
                let mut half = || Ok(self.reader.field(IDENTIFIERS_BITS / 2)? as u32);
                let (vmid, cid) = (half()?, half()?);
                Said::Note(Note::Identifiers { vmid, cid })
            }
            Control::Bytes => {
                let length = self.reader.field(LENGTH_BITS)? + 1;
                let mut bytes = Vec::new();
                for _ in 0..length {
                    bytes.push(self.reader.field(8)? as u8);
                }
                Said::Note(Note::Bytes(StreamBytes::new(&bytes).ok_or(Damaged)?))
            }
        })
    }

    fn begin(&mut self) {
        self.next = None;
        self.right.fill(0);
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
        let mut class = 0;
        while class < self.classes.len() && self.reader.bit()? {
            class += 1;
        }
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
                    4 => Control::Bytes,
                    5 => Control::Identifiers,
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
