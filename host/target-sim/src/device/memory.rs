// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace memory controller: Disabled, Running, Stopped, and what RRD gives of a circular buffer.

use std::collections::VecDeque;

use coretrace_coresight::map::tmc::{
    CTL, FFCR, FFSR, HARDWARE_FIFO, MODE, RRD, RSZ, STS, ctl, ffcr, ffsr, mode, sts,
};
use coretrace_coresight::{Frame, FrameBuilder, TraceId};

use super::{REPEAT, Tick, Traced};
use crate::outcome::Outcome;

/// Bytes that a FIFO holds before it hands them on.
const DEPTH: usize = 32;

/// Ticks of a flush.
const FLUSH: u32 = 3;

/// RSZ of an ETB or ETF: 256 KiB. The size of an ETR is written.
pub const WORDS: u32 = 0x1_0000;

/// The state.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    is_capturing: bool,
    is_stopped: bool,
    /// Ticks until a flush ends, and whether it stops the formatter.
    flush: Option<(u32, bool)>,
    /// Ticks until it is ready although it is disabled.
    pub draining: u32,
    fifo: VecDeque<Traced>,
    builder: FrameBuilder,
    /// Frames of a circular buffer since it was started, and of those that were overwritten at most as many as
    /// it holds.
    frames: Vec<u8>,
    has_wrapped: bool,
    /// Bytes that were read since it stopped.
    read: usize,
}

impl Memory {
    /// After reset.
    pub fn new() -> Memory {
        Memory {
            builder: FrameBuilder::announcing_every(REPEAT),
            ..Memory::default()
        }
    }

    /// Whether trace is taken.
    pub fn is_on(&self) -> bool {
        self.is_capturing && !self.is_stopped
    }

    /// What a circular buffer holds.
    pub fn held(&self, words: &[u32]) -> &[u8] {
        let size = words[RSZ.offset as usize / 4] as usize * 4;
        &self.frames[self.frames.len().saturating_sub(size)..]
    }

    fn put(&mut self, frame: Option<Frame>, words: &[u32]) {
        self.frames.extend(frame.into_iter().flatten());
        let overwritten = self.frames.len() - self.held(words).len();
        self.has_wrapped |= overwritten > 0;
        if overwritten > self.held(words).len() {
            self.frames.drain(..overwritten);
        }
    }

    /// Takes a byte of a FIFO; returns the one that leaves. A circular buffer keeps it.
    pub fn take(&mut self, traced: Traced, words: &[u32]) -> Option<Traced> {
        if is_fifo(words) {
            self.fifo.push_back(traced);
            return if self.fifo.len() > DEPTH {
                self.fifo.pop_front()
            } else {
                None
            };
        }
        let frame = TraceId::new(traced.0).and_then(|id| self.builder.push(id, traced.1));
        self.put(frame, words);
        None
    }

    fn is_ready(&self) -> bool {
        if self.is_capturing {
            self.is_stopped
        } else {
            self.draining == 0
        }
    }

    pub(super) fn read(&mut self, offset: u32, value: u32, words: &[u32]) -> u32 {
        match offset {
            _ if offset == STS.offset => {
                let ready = sts::READY.with(u32::from(self.is_ready()));
                let full = sts::FULL.with(u32::from(self.has_wrapped));
                let empty = self.fifo.is_empty() && self.read == self.held(words).len();
                ready | full | sts::FT_EMPTY.mask() | sts::EMPTY.with(u32::from(empty))
            }
            _ if offset == RRD.offset => self.next_word(words),
            _ if offset == FFSR.offset => {
                ffsr::FT_STOPPED.with(u32::from(!self.is_on()))
                    | ffsr::FL_IN_PROG.with(u32::from(self.flush.is_some()))
            }
            _ => value,
        }
    }

    /// The next word of a circular buffer that has stopped.
    fn next_word(&mut self, words: &[u32]) -> u32 {
        let can_be_read = self.is_capturing && self.is_stopped && !is_fifo(words);
        let rest = self.held(words).get(self.read..).unwrap_or(&[]);
        match rest.first_chunk() {
            Some(word) if can_be_read => {
                let word = u32::from_le_bytes(*word);
                self.read += 4;
                word
            }
            _ => u32::MAX,
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
        let is_disabled = !self.is_capturing && self.is_ready();
        let old = std::mem::replace(&mut words[offset as usize / 4], value);
        let changes_format = offset == FFCR.offset && ffcr::EN_FT.of(old ^ value) == 1;
        if (is_configuration || changes_format) && !is_disabled {
            out.broken.push("TMC-DIS");
        }
        if offset == FFCR.offset && ffcr::FLUSH_MAN.of(value) == 1 {
            self.flush = Some((FLUSH, ffcr::STOP_ON_FL.of(old) == 1));
        }
        if offset == CTL.offset {
            self.switch(ctl::TRACE_CAPT_EN.of(value) == 1, is_disabled, words, out);
        }
    }

    fn switch(&mut self, is_on: bool, was_disabled: bool, words: &[u32], out: &mut Outcome) {
        if is_on && !self.is_capturing {
            if !was_disabled {
                out.broken.push("TMC-DIS");
            }
            if ffcr::EN_FT.of(words[FFCR.offset as usize / 4]) == 0 {
                out.broken.push("FORMAT");
            }
            self.is_stopped = false;
            self.frames.clear();
            self.has_wrapped = false;
            self.read = 0;
            out.is_opened = is_fifo(words);
        }
        if !is_on && self.is_capturing {
            if !self.is_ready() {
                out.broken.push("FLUSH");
            }
            let lost = self.fifo.drain(..).len();
            out.lost = (lost > 0).then_some(("capture ended before a flush", lost));
        }
        self.is_capturing = is_on;
    }

    pub(super) fn tick(&mut self, words: &mut [u32]) -> Tick {
        self.draining = self.draining.saturating_sub(1);
        let Some((left, stops)) = self.flush else {
            return Tick::default();
        };
        if left > 0 {
            self.flush = Some((left - 1, stops));
            // What is above hands on first, a tick before the end.
            return Tick {
                bytes: Vec::new(),
                is_flush: left == 1,
            };
        }
        self.flush = None;
        words[FFCR.offset as usize / 4] &= !ffcr::FLUSH_MAN.mask();
        self.is_stopped |= stops && self.is_capturing;
        let frame = self.builder.flush();
        self.put(frame, words);
        Tick {
            bytes: self.fifo.drain(..).collect(),
            is_flush: false,
        }
    }
}

fn is_fifo(words: &[u32]) -> bool {
    mode::MODE.of(words[MODE.offset as usize / 4]) == HARDWARE_FIFO
}
