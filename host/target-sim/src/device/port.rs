// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port: bytes into frames with full syncs, for a receiver with 32 pins.

use coretrace_coresight::map::tpiu::{
    CSPSR, FFCR, FFSR, FSCR, PORT_32, TESTPATTERN, ffcr, ffsr, fscr, testpattern,
};
use coretrace_coresight::{FSYNC, Frame, FrameBuilder, TraceId};

use super::{REPEAT, Tick, Traced};
use crate::outcome::Outcome;

/// Ticks of a flush.
const FLUSH: u32 = 3;

/// The state.
#[derive(Clone, Debug)]
pub struct Port {
    is_stopped: bool,
    flush: Option<(u32, bool)>,
    builder: FrameBuilder,
    frames: u32,
    /// Words of a test pattern so far.
    pattern: u32,
    /// The bytes at the pins since it was started.
    pub bytes: Vec<u8>,
}

impl Default for Port {
    fn default() -> Port {
        Port {
            is_stopped: false,
            flush: None,
            builder: FrameBuilder::announcing_every(REPEAT),
            frames: 0,
            pattern: 0,
            bytes: Vec::new(),
        }
    }
}

impl Port {
    /// Whether trace comes out.
    pub fn is_on(&self, words: &[u32]) -> bool {
        !self.is_stopped && formats(words[FFCR.offset as usize / 4])
    }

    /// Takes a byte, or says why it is lost.
    pub fn take(&mut self, traced: Traced, words: &[u32]) -> Result<(), &'static str> {
        if self.is_stopped {
            return Err("the port is stopped");
        }
        if !formats(words[FFCR.offset as usize / 4]) {
            return Err("the port does not format");
        }
        if words[CSPSR.offset as usize / 4] != PORT_32 {
            return Err("the port has another width than its receiver");
        }
        if testpattern::MODE.of(words[TESTPATTERN.offset as usize / 4]) != 0 {
            return Err("the port makes a test pattern");
        }
        let frame = TraceId::new(traced.0).and_then(|id| self.builder.push(id, traced.1));
        self.put(frame, words);
        Ok(())
    }

    fn put(&mut self, frame: Option<Frame>, words: &[u32]) {
        let Some(frame) = frame else { return };
        let between = fscr::CYC_COUNT.of(words[FSCR.offset as usize / 4]).max(1);
        if self.frames.is_multiple_of(between) {
            self.bytes.extend(FSYNC.to_le_bytes());
        }
        self.frames = self.frames.wrapping_add(1);
        self.bytes.extend(frame);
    }

    pub(super) fn read(&self, offset: u32, value: u32) -> u32 {
        if offset == FFSR.offset {
            ffsr::FT_STOPPED.with(u32::from(self.is_stopped))
                | ffsr::FL_IN_PROG.with(u32::from(self.flush.is_some()))
        } else {
            value
        }
    }

    pub(super) fn write(
        &mut self,
        offset: u32,
        value: u32,
        is_configuration: bool,
        words: &mut [u32],
        out: &mut Outcome,
    ) {
        if is_configuration && !self.is_stopped {
            out.broken.push("TMC-DIS");
        }
        let old = std::mem::replace(&mut words[offset as usize / 4], value);
        if offset == FFCR.offset {
            if ffcr::F_ON_MAN.of(value) == 1 {
                self.flush = Some((FLUSH, ffcr::STOP_FL.of(old) == 1));
            }
            if ffcr::STOP_FL.of(value) == 0 && self.is_stopped {
                // A port that goes on begins with a full sync (inferred), and so does its receiver.
                self.is_stopped = false;
                self.frames = 0;
                self.bytes.clear();
            }
        }
    }

    pub(super) fn tick(&mut self, words: &mut [u32]) -> Tick {
        let test = words[TESTPATTERN.offset as usize / 4];
        if self.is_stopped
            && let Some(word) = pattern(test, self.pattern)
        {
            self.pattern = self.pattern.wrapping_add(1);
            self.bytes.extend(word.to_le_bytes());
        }
        let Some((left, stops)) = self.flush else {
            return Tick::default();
        };
        if left > 0 {
            self.flush = Some((left - 1, stops));
            return Tick {
                bytes: Vec::new(),
                is_flush: left == 1,
            };
        }
        self.flush = None;
        words[FFCR.offset as usize / 4] &= !ffcr::F_ON_MAN.mask();
        let frame = self.builder.flush();
        self.put(frame, words);
        self.is_stopped |= stops;
        Tick::default()
    }
}

/// The word of a continuous test pattern with a number. What comes out with several patterns at a time is not
/// known.
fn pattern(test: u32, number: u32) -> Option<u32> {
    let walking = 1u32.rotate_left(number);
    let turn = |even, odd| if number.is_multiple_of(2) { even } else { odd };
    let word = match testpattern::PATTERN.of(test) {
        0b0001 => walking,
        0b0010 => !walking,
        0b0100 => turn(0xAAAA_AAAA, 0x5555_5555),
        0b1000 => turn(0xFFFF_FFFF, 0),
        _ => return None,
    };
    (testpattern::MODE.of(test) == 2).then_some(word)
}

fn formats(ffcr: u32) -> bool {
    ffcr::EN_FTC.of(ffcr) == 1 || ffcr::EN_FCONT.of(ffcr) == 1
}
