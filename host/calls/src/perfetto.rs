// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls as a trace of Perfetto: slices on a track for each thread, and marks of other sources on tracks of their own.
//!
//! Few fields of few messages are needed, so they are written here by number. Source: the protocol
//! buffers of Perfetto, `protos/perfetto/trace/trace_packet.proto` and `track_event`.

use std::collections::HashMap;
use std::io::{Result, Write};

use coretrace_software_trace::Mark;

use crate::event::{Callee, Cut, Event, Thread, What};
use crate::names::Names;

/// Fields of `TracePacket`.
mod packet {
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;
}

/// Fields of `TrackEvent`.
mod track_event {
    pub const TYPE: u32 = 9;
    pub const NAME_IID: u32 = 10;
    pub const TRACK_UUID: u32 = 11;
    pub const BEGIN: u64 = 1;
    pub const END: u64 = 2;
    pub const INSTANT: u64 = 3;
}

/// `Trace.packet`.
const TRACE_PACKET: u32 = 1;
/// `TrackDescriptor.uuid` and `.name`.
const DESCRIPTOR_UUID: u32 = 1;
const DESCRIPTOR_NAME: u32 = 2;
/// `InternedData.event_names`, `EventName.iid` and `.name`.
const EVENT_NAMES: u32 = 2;
const NAME_IID: u32 = 1;
const NAME_TEXT: u32 = 2;
/// `SEQ_INCREMENTAL_STATE_CLEARED` and `SEQ_NEEDS_INCREMENTAL_STATE`.
const STATE_CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;
/// All packets are of one writer.
const SEQUENCE: u64 = 1;
/// Names that are interned, at most: then a new list begins.
const MAX_NAMES: usize = 1 << 16;

/// A message that is being written.
#[derive(Clone, Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// What an event is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Callee(Callee),
    Gap,
    Lost,
    Text(String),
}

/// Who has a track.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Track {
    Thread(Thread),
    Named(String),
}

/// Writes events as a trace. One unit of time becomes `nanoseconds`.
pub struct Perfetto<W: Write> {
    out: W,
    nanoseconds: f64,
    tracks: HashMap<Track, u64>,
    names: HashMap<Name, u64>,
    has_begun: bool,
}

impl<W: Write> Perfetto<W> {
    /// A trace without events.
    pub fn new(out: W, nanoseconds: f64) -> Perfetto<W> {
        Perfetto {
            out,
            nanoseconds,
            tracks: HashMap::new(),
            names: HashMap::new(),
            has_begun: false,
        }
    }

    /// Writes an event.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn event(&mut self, event: &Event, names: &impl Names) -> Result<()> {
        let (kind, name) = match event.what {
            What::Enter(callee, ..) => (track_event::BEGIN, Some(Name::Callee(callee))),
            What::Leave(..) => (track_event::END, None),
            What::Cut(Cut::Gap) => (track_event::INSTANT, Some(Name::Gap)),
            What::Cut(_) => (track_event::INSTANT, Some(Name::Lost)),
            What::Switch | What::Ran { .. } | What::Arrival(_) | What::End => return Ok(()),
        };
        let thread = || names.thread(&event.thread);
        let track = self.track(Track::Thread(event.thread), thread)?;
        self.slice(track, event.at.time, kind, name, names)
    }

    /// Writes a mark on the track with this name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn mark(
        &mut self,
        track: &str,
        time: u64,
        mark: Mark<'_>,
        names: &impl Names,
    ) -> Result<()> {
        let text = |name: &str| Some(Name::Text(name.to_owned()));
        let (kind, name) = match mark {
            Mark::At(name) => (track_event::INSTANT, text(name)),
            Mark::Begin(name) => (track_event::BEGIN, text(name)),
            Mark::End => (track_event::END, None),
        };
        let track = self.track(Track::Named(track.to_owned()), || track.to_owned())?;
        self.slice(track, time, kind, name, names)
    }

    /// Writes the begin or end of a slice, or an instant.
    fn slice(
        &mut self,
        track: u64,
        time: u64,
        kind: u64,
        name: Option<Name>,
        names: &impl Names,
    ) -> Result<()> {
        let mut packet = Message::default();
        packet.number(packet::TIMESTAMP, (time as f64 * self.nanoseconds) as u64);
        packet.number(packet::SEQUENCE_ID, SEQUENCE);
        let mut flags = NEEDS_STATE;
        let mut slice = Message::default();
        slice.number(track_event::TYPE, kind);
        slice.number(track_event::TRACK_UUID, track);
        if !self.has_begun || self.names.len() >= MAX_NAMES {
            self.has_begun = true;
            self.names.clear();
            flags |= STATE_CLEARED;
        }
        if let Some(name) = name {
            let next = self.names.len() as u64 + 1;
            let number = *self.names.entry(name.clone()).or_insert(next);
            slice.number(track_event::NAME_IID, number);
            if number == next {
                let text = match name {
                    Name::Callee(callee) => names.name(callee),
                    Name::Gap => "tracing was off".to_owned(),
                    Name::Lost => "trace was lost".to_owned(),
                    Name::Text(text) => text,
                };
                let mut entry = Message::default();
                entry.number(NAME_IID, number);
                entry.bytes(NAME_TEXT, text.as_bytes());
                let mut interned = Message::default();
                interned.bytes(EVENT_NAMES, &entry.0);
                packet.bytes(packet::INTERNED_DATA, &interned.0);
            }
        }
        packet.number(packet::SEQUENCE_FLAGS, flags);
        packet.bytes(packet::TRACK_EVENT, &slice.0);
        self.packet(&packet)
    }

    /// The end of the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.out.flush()
    }

    fn track(&mut self, of: Track, name: impl FnOnce() -> String) -> Result<u64> {
        if let Some(&track) = self.tracks.get(&of) {
            return Ok(track);
        }
        let track = self.tracks.len() as u64 + 1;
        self.tracks.insert(of, track);
        let mut descriptor = Message::default();
        descriptor.number(DESCRIPTOR_UUID, track);
        descriptor.bytes(DESCRIPTOR_NAME, name().as_bytes());
        let mut packet = Message::default();
        packet.number(packet::SEQUENCE_ID, SEQUENCE);
        packet.bytes(packet::TRACK_DESCRIPTOR, &descriptor.0);
        self.packet(&packet)?;
        Ok(track)
    }

    fn packet(&mut self, packet: &Message) -> Result<()> {
        let mut framed = Message::default();
        framed.bytes(TRACE_PACKET, &packet.0);
        self.out.write_all(&framed.0)
    }
}
