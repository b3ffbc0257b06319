// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes of a perf.data file, record by record.

use coretrace_capture::perf::constants::{
    FEATURE_BUILD_ID, FILE_HEADER, MAGIC, PIPE_HEADER, SAMPLE_ID_ALL, misc, record, sample,
};

/// Bytes of an attribute, as of Linux 5.
const ATTRIBUTE: usize = 128;
/// Another header feature, before the build IDs: its table entry must be passed over.
const FEATURE_TRACING_DATA: u32 = 1;

/// An event: the fields that end its records, and its IDs.
pub struct Event {
    /// The fields.
    pub sample_type: u64,
    /// The IDs; records have the first.
    pub ids: Vec<u64>,
}

/// What a record says about its origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Origin {
    /// Thread.
    pub tid: u32,
    /// CPU.
    pub cpu: u32,
    /// When it was written.
    pub time: u64,
}

impl Event {
    fn attribute(&self) -> Vec<u8> {
        let mut bytes = vec![0; ATTRIBUTE];
        let mut put = |at: usize, number: u64| {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        };
        put(0, 8 | (ATTRIBUTE as u64) << 32);
        put(24, self.sample_type);
        put(40, SAMPLE_ID_ALL);
        bytes
    }

    fn id_bytes(&self) -> Vec<u8> {
        self.ids.iter().flat_map(|id| id.to_le_bytes()).collect()
    }

    /// The fields in the kernel's order.
    fn fields(&self, origin: Origin) -> Vec<u8> {
        let tid = u64::from(origin.tid);
        let fields = [
            (sample::TID, tid | tid << 32),
            (sample::TIME, origin.time),
            (sample::ID, self.ids[0]),
            (sample::STREAM_ID, 7),
            (sample::CPU, origin.cpu.into()),
            (sample::IDENTIFIER, self.ids[0]),
        ];
        let is_there = |(field, _): &&(u64, u64)| self.sample_type & field != 0;
        let chosen = fields.iter().filter(is_there);
        chosen.flat_map(|(_, value)| value.to_le_bytes()).collect()
    }
}

/// A file that grows.
pub struct Writer {
    is_pipe: bool,
    bytes: Vec<u8>,
    events: Vec<Event>,
    start: usize,
    attributes: usize,
    build_ids: Vec<u8>,
    /// The places of the records.
    pub records: Vec<usize>,
}

impl Writer {
    /// A file with a header and these events.
    pub fn new(is_pipe: bool, events: Vec<Event>) -> Writer {
        let mut writer = Writer {
            is_pipe,
            bytes: MAGIC.to_vec(),
            events: Vec::new(),
            start: 0,
            attributes: 0,
            build_ids: Vec::new(),
            records: Vec::new(),
        };
        if is_pipe {
            writer.word(PIPE_HEADER);
            for event in &events {
                let body = [event.attribute(), event.id_bytes()].concat();
                writer.record(record::HEADER_ATTR, 0, &body);
            }
        } else {
            writer.bytes.resize(FILE_HEADER as usize, 0);
            let places: Vec<usize> = events
                .iter()
                .map(|event| writer.put(&event.id_bytes()))
                .collect();
            writer.attributes = writer.bytes.len();
            for (event, place) in events.iter().zip(places) {
                writer.put(&event.attribute());
                writer.word(place as u64);
                writer.word(8 * event.ids.len() as u64);
            }
        }
        writer.events = events;
        writer.start = writer.bytes.len();
        writer
    }

    /// Adds bytes; returns their place.
    fn put(&mut self, bytes: &[u8]) -> usize {
        self.bytes.extend(bytes);
        self.bytes.len() - bytes.len()
    }

    fn word(&mut self, word: u64) {
        self.put(&word.to_le_bytes());
    }

    /// A record of perf.
    pub fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        let size = body.len() + 8;
        // The upper half of a long record of simpleperf is in `misc`.
        let misc = misc | (size >> 16) as u16;
        let place = self.put(&kind.to_le_bytes());
        self.put(&misc.to_le_bytes());
        self.put(&(size as u16).to_le_bytes());
        self.put(body);
        self.records.push(place);
    }

    /// A record of the kernel: it ends with fields of an event, the first or the last.
    pub fn kernel(&mut self, kind: u32, misc: u16, body: &[u8], is_last: bool, origin: Origin) {
        let place = if is_last { self.events.len() - 1 } else { 0 };
        let body = [body, &self.events[place].fields(origin)].concat();
        self.record(kind, misc, &body);
    }

    /// An AUXTRACE record with bytes of an AUX buffer behind it, padded to 8 bytes.
    pub fn auxtrace(&mut self, offset: u64, owner: (u32, u32), bytes: &[u8]) {
        let size = bytes.len().next_multiple_of(8);
        let (tid, cpu) = owner;
        let words = [size as u64, offset, 0, u64::from(tid) << 32 | 5, cpu.into()];
        self.record(record::AUXTRACE, 0, &words.map(u64::to_le_bytes).concat());
        self.put(bytes);
        self.bytes
            .resize(self.bytes.len() + size - bytes.len(), 0xEE);
    }

    /// Records of tracing, which only the pipe form has here.
    pub fn tracing_data(&mut self, bytes: &[u8]) {
        if self.is_pipe {
            let size = bytes.len() as u32;
            self.record(record::HEADER_TRACING_DATA, 0, &size.to_le_bytes());
            self.put(bytes);
            let padding = bytes.len().next_multiple_of(8) - bytes.len();
            self.put(&[0xEE; 8][..padding]);
        }
    }

    /// The build ID of a file. If it has less than 20 bytes its size is written.
    pub fn build_id(&mut self, id: &[u8], path: &str) {
        let mut field = id.to_vec();
        field.resize(20, 0x99);
        field.extend([id.len() as u8, 0, 0, 0]);
        let is_short = id.len() < 20;
        let flags = if is_short { misc::BUILD_ID_SIZE } else { 0 };
        let body = [&[0xFF; 4], &field[..], path.as_bytes(), &[0; 9]].concat();
        if self.is_pipe {
            self.record(record::HEADER_BUILD_ID, flags, &body);
        } else {
            let header = u64::from(record::HEADER_BUILD_ID)
                | u64::from(flags) << 32
                | (body.len() as u64 + 8) << 48;
            self.build_ids.extend(header.to_le_bytes());
            self.build_ids.extend(body);
        }
    }

    /// The file, and the places of its records.
    pub fn finish(mut self) -> (Vec<u8>, Vec<usize>) {
        if self.is_pipe {
            return (self.bytes, self.records);
        }
        let end = self.bytes.len();
        let table = 32;
        let build_ids = self.build_ids.split_off(0);
        self.word((end + table) as u64);
        self.word(0);
        self.word((end + table) as u64);
        self.word(build_ids.len() as u64);
        self.put(&build_ids);
        let attribute = ATTRIBUTE + 16;
        let header = [
            FILE_HEADER,
            attribute as u64,
            self.attributes as u64,
            (self.events.len() * attribute) as u64,
            self.start as u64,
            (end - self.start) as u64,
            0,
            0,
            1 << FEATURE_TRACING_DATA | 1 << FEATURE_BUILD_ID,
        ];
        for (number, word) in header.into_iter().enumerate() {
            self.bytes[8 * (number + 1)..][..8].copy_from_slice(&word.to_le_bytes());
        }
        (self.bytes, self.records)
    }
}
