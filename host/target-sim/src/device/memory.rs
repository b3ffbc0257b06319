// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace memory controller: Disabled, Running, Stopped.

use std::collections::VecDeque;

use coretrace_coresight::map::tmc::{
    CTL, FFCR, FFSR, HARDWARE_FIFO, MODE, STS, ctl, ffcr, ffsr, mode, sts,
};
use coretrace_coresight::{FrameBuilder, TraceId};

use super::{Tick, Traced};
use crate::outcome::Outcome;

/// Bytes that a FIFO holds before it hands them on.
const DEPTH: usize = 32;

/// Ticks of a flush.
const FLUSH: u32 = 3;

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
    /// What a circular buffer holds: frames.
    pub frames: Vec<u8>,
}

impl Memory {
    /// Whether trace is taken.
    pub fn is_on(&self) -> bool {
        self.is_capturing && !self.is_stopped
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
        if let Some(frame) = TraceId::new(traced.0).and_then(|id| self.builder.push(id, traced.1)) {
            self.frames.extend(frame);
        }
        None
    }

    fn is_ready(&self) -> bool {
        if self.is_capturing {
            self.is_stopped
        } else {
            self.draining == 0
        }
    }

    pub(super) fn read(&self, offset: u32, value: u32) -> u32 {
        match offset {
            _ if offset == STS.offset => {
                let ready = sts::READY.with(u32::from(self.is_ready()));
                let empty = self.fifo.is_empty() && self.frames.is_empty();
                ready | sts::FT_EMPTY.mask() | sts::EMPTY.with(u32::from(empty))
            }
            _ if offset == FFSR.offset => {
                ffsr::FT_STOPPED.with(u32::from(!self.is_on()))
                    | ffsr::FL_IN_PROG.with(u32::from(self.flush.is_some()))
            }
            _ => value,
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
        if let Some(frame) = self.builder.flush() {
            self.frames.extend(frame);
        }
        Tick {
            bytes: self.fifo.drain(..).collect(),
            is_flush: false,
        }
    }
}

fn is_fifo(words: &[u32]) -> bool {
    mode::MODE.of(words[MODE.offset as usize / 4]) == HARDWARE_FIFO
}
