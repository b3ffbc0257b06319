// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core behind a trace port: its registers, and what it makes of the bytes of the port.

use std::collections::{BTreeMap, VecDeque};

use coretrace_abi::registers::csr::{
    self, Control, Filter, LostWords, Packets, SourceControl, Status, SyncAcquisitions, SyncLosses,
    Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2, Trcidr8,
};
use coretrace_abi::registers::{Access, CORE};
use coretrace_etm::{Protocol, Registers};
use coretrace_streams::Start;

use crate::dma::{Dma, Memory};
use crate::outcome::Outcome;
use crate::source::{Counts, Frames, Source};

/// The state.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Its name.
    pub name: String,
    /// The component that it listens to.
    pub port: usize,
    /// Physical addresses of its registers and of those of its DMA.
    pub bases: (u64, u64),
    /// Its DMA.
    pub dma: Dma,
    /// Whether its ID was read.
    pub is_known: bool,
    words: BTreeMap<u32, u32>,
    counts: Counts,
    /// The counts as of the last snapshot.
    snapshot: Counts,
    source: Option<Source>,
    frames: Frames,
    /// Bytes of the port that it took.
    taken: usize,
    /// The pins of the port lead elsewhere.
    is_unplugged: bool,
    /// Packets for the DMA.
    packets: VecDeque<Vec<u32>>,
}

impl Receiver {
    /// After reset.
    pub fn new(name: &str, port: usize, bases: (u64, u64)) -> Receiver {
        let words = CORE
            .placed()
            .map(|(offset, register)| (offset, register.reset()));
        Receiver {
            name: name.to_owned(),
            port,
            bases,
            dma: Dma::default(),
            is_known: false,
            words: words.collect(),
            counts: Counts::default(),
            snapshot: Counts::default(),
            source: None,
            frames: Frames::default(),
            taken: 0,
            is_unplugged: false,
            packets: VecDeque::new(),
        }
    }

    /// Every setting with this value, no source enabled, and a DMA that has failed.
    pub fn make_dirty(&mut self, value: u32) {
        self.dma = Dma::failed();
        for (offset, register) in CORE.placed() {
            let settings = register.bits(Access::ReadWrite);
            let word = self.word(offset) & !settings | value & settings;
            self.words.insert(offset, word);
        }
        let control = SourceControl(self.word(SourceControl::offset(0)));
        self.words
            .insert(SourceControl::offset(0), control.with_enable(false).0);
    }

    /// Nothing of the port arrives from now on.
    pub fn unplug(&mut self) {
        self.is_unplugged = true;
    }

    /// Whether it decodes.
    pub fn is_on(&self) -> bool {
        self.source.is_some()
    }

    fn word(&self, offset: u32) -> u32 {
        self.words.get(&offset).copied().unwrap_or(0)
    }

    fn control(&self) -> Control {
        Control(self.word(Control::OFFSET))
    }

    /// Reads a register of the core.
    pub fn read(&self, offset: u32) -> u32 {
        let counts = &self.snapshot;
        match offset {
            Status::OFFSET => {
                let source = self.source.as_ref();
                let is_running = source.is_some_and(Source::is_running);
                let is_quiet = source.is_none_or(Source::is_quiet) && self.packets.is_empty();
                u32::from(self.frames.in_sync())
                    | u32::from(is_running) << 1
                    | u32::from(is_quiet) << 2
            }
            csr::Frames::OFFSET => counts.frames,
            SyncLosses::OFFSET => counts.losses,
            SyncAcquisitions::OFFSET => counts.acquisitions,
            LostWords::OFFSET => counts.lost_words,
            _ if offset == Packets::offset(0) => counts.packets,
            _ => self.word(offset),
        }
    }

    /// Writes a register of the core.
    pub fn write(&mut self, offset: u32, value: u32, out: &mut Outcome) {
        let mut placed = CORE.placed();
        let found = placed.find_map(|(at, register)| (at == offset).then_some(register));
        let Some(register) = found else {
            out.broken.push("MAP");
            return;
        };
        let settings = register.bits(Access::ReadWrite);
        let changes = (self.word(offset) ^ value) & settings != 0;
        if offset == SourceControl::offset(0) {
            self.words.insert(offset, value & settings);
            self.switch(SourceControl(value), out);
            return;
        }
        if changes && self.source.is_some() {
            out.broken.push("CORE");
        }
        self.words.insert(offset, value & settings);
        if offset == Control::OFFSET {
            if Control::RESET.with_snapshot(true).0 & value != 0 {
                self.snapshot = self.counts;
            }
            if Control::RESET.with_clear(true).0 & value != 0 {
                self.counts = Counts::default();
            }
        }
    }

    fn switch(&mut self, control: SourceControl, out: &mut Outcome) {
        if !control.enable() {
            self.source = None;
            return;
        }
        // The buffers are there before anything comes.
        if self.source.is_some() || !self.dma.is_running() {
            out.broken.push("CORE");
        }
        let start = Start {
            trace_id: control.trace_id() as u8,
            lenient: self.control().lenient(),
            explicit: control.full_addresses(),
            filtered: self.word(Filter::offset(0)) != 0,
            protocol: match control.ete() {
                true => Protocol::Ete,
                false => Protocol::Etm4,
            },
            v8m: control.v8m(),
            registers: Registers {
                trcconfigr: self.word(Trcconfigr::offset(0)),
                trcidr0: self.word(Trcidr0::offset(0)),
                trcidr1: self.word(Trcidr1::offset(0)),
                trcidr2: self.word(Trcidr2::offset(0)),
                trcidr8: self.word(Trcidr8::offset(0)),
                trcdevarch: self.word(Trcdevarch::offset(0)),
            },
        };
        self.source = Some(Source::new(start));
    }

    /// A tick; `port` is everything that came out of the port since it was started.
    pub fn tick(&mut self, port: &[u8], memory: &mut Memory) {
        let port = if self.is_unplugged { &[] } else { port };
        let new = port.get(self.taken..).unwrap_or(port);
        self.taken = port.len();
        let waiting = self.packets.iter().map(Vec::len).sum();
        let sends = self.control().records();
        if let Some(source) = &mut self.source {
            let words = source.take(new, waiting, &mut self.frames, &mut self.counts);
            let is_sent = sends && !words.is_empty();
            self.packets.extend(is_sent.then_some(words));
        } else {
            self.frames.feed(new, &mut self.counts, |_| ());
        }
        if let Some(packet) = self.packets.front()
            && self.dma.store(packet, memory)
        {
            self.packets.pop_front();
        }
    }
}
