// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model against the lists that OpenCSD 1.3.3 made of the corpus, line by line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coretrace_capture::{Capture, Format, Source, read_xz_text};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::header::reports_lead_bytes;
use coretrace_etm::packet::{cycle_count, timestamp_count};
use coretrace_etm::{Config, Kind, ParseError, Part, Record, layout, parse};
use coretrace_listing::Line;
use coretrace_test_support::{OPENCSD_CLEARS_UPPER_HALVES, golden_captures, golden_rows};

/// The bytes of one source and the model's records.
struct Stream {
    id: u8,
    config: Config,
    decoder: Decoder,
    bytes: Vec<u8>,
    records: Vec<Record>,
}

impl Stream {
    fn new(id: u8, config: Config) -> Stream {
        Stream {
            id,
            config,
            decoder: Decoder::new(config, Policy::OpenCsd),
            bytes: Vec::new(),
            records: Vec::new(),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.decoder
            .feed(bytes, |record| self.records.push(*record));
    }

    fn finish(&mut self) {
        self.decoder.finish(|record| self.records.push(*record));
    }

    fn raw(&self, record: &Record) -> &[u8] {
        &self.bytes[record.offset as usize..][..record.len as usize]
    }

    fn row(&self, record: &Record, out: &mut String) {
        let line = Line {
            id: self.id,
            record,
            raw: self.raw(record),
            config: &self.config,
        };
        coretrace_listing::tsv(out, &line);
    }
}

/// The sources of a capture that the model decodes; a raw stream has ID 0 in OpenCSD's lists.
fn sources(capture: &Capture) -> impl Iterator<Item = (u8, Config)> {
    let id = |source: &Source| match capture.format {
        Format::Raw => 0,
        Format::Framed(_) => source.trace_id.expect("sources in frames have IDs"),
    };
    capture
        .sources
        .iter()
        .filter_map(move |source| Some((id(source), source.config?)))
}

/// The capture through the model, from the trace port on, in chunks of an odd size.
fn through_the_model(capture: &Capture) -> Vec<Stream> {
    let mut streams: BTreeMap<u8, Stream> = sources(capture)
        .map(|(id, config)| (id, Stream::new(id, config)))
        .collect();
    match capture.format {
        Format::Raw => {
            let stream = streams.get_mut(&0).expect("the one source");
            capture
                .bytes
                .chunks(61)
                .for_each(|chunk| stream.feed(chunk));
        }
        Format::Framed(format) => {
            let ids = streams.keys().filter_map(|&id| TraceId::new(id));
            let mut demux = Demux::new(ids);
            let mut deframer = Deframer::new(format);
            for chunk in capture.bytes.chunks(61) {
                deframer.feed(chunk, |event| match event {
                    RunEvent::Run(run) => {
                        if let Some(id) = demux.route(&run) {
                            let stream = streams.get_mut(&id.value()).expect("a claimed ID");
                            stream.feed(run.bytes);
                        }
                    }
                    RunEvent::Discontinuity { .. } => {
                        for stream in streams.values_mut() {
                            let records = &mut stream.records;
                            stream.decoder.discontinuity(|record| records.push(*record));
                        }
                    }
                });
            }
        }
    }
    let mut streams: Vec<Stream> = streams.into_values().collect();
    streams.iter_mut().for_each(Stream::finish);
    streams
}

/// The streams of a framed capture as written by another demultiplexer.
fn from_golden_streams(folder: &Path, capture: &Capture) -> Vec<Stream> {
    sources(capture)
        .filter_map(|(id, config)| {
            let bytes = fs::read(folder.join(format!("stream-{id:02x}.bin"))).ok()?;
            let mut stream = Stream::new(id, config);
            stream.feed(&bytes);
            stream.finish();
            Some(stream)
        })
        .collect()
}

/// Compares one stream with its golden rows; returns the number of rows.
fn compare(name: &str, stream: &Stream, golden: &[&str]) -> usize {
    let mut out = String::new();
    for record in &stream.records {
        stream.row(record, &mut out);
    }
    for (row, &want) in out.lines().zip(golden) {
        let row = row.splitn(3, '\t').last().unwrap_or_default();
        assert_eq!(row, want, "{name}, ID {:02x}", stream.id);
    }
    let rows = stream.records.len();
    assert_eq!(rows, golden.len(), "{name}, ID {:02x}", stream.id);
    rows
}

fn compare_all(name: &str, streams: &[Stream], golden: &BTreeMap<u8, Vec<&str>>) -> usize {
    let none = Vec::new();
    let rows = streams
        .iter()
        .map(|stream| compare(name, stream, golden.get(&stream.id).unwrap_or(&none)))
        .sum();
    assert_eq!(
        rows,
        golden.values().map(Vec::len).sum::<usize>(),
        "{name}: an ID is missing"
    );
    rows
}

#[test]
fn the_model_gives_the_rows_of_opencsd() {
    let mut total = 0;
    for (folder, capture) in golden_captures() {
        let text = read_xz_text(&folder.join("packets.tsv.xz")).expect("a golden list");
        let golden = golden_rows(&text);
        let name = capture.name.as_str();
        let rows = compare_all(name, &through_the_model(&capture), &golden);
        if capture.format != Format::Raw {
            compare_all(name, &from_golden_streams(&folder, &capture), &golden);
        }
        println!("{name}: {rows} packets");
        total += rows;
    }
    println!("{total} packets are as OpenCSD lists them");
}

#[test]
fn opencsd_deviates_in_upper_halves_of_32_bit_addresses_only() {
    for (_, capture) in golden_captures() {
        let mut differing = 0;
        for stream in through_the_model(&capture) {
            let mut lenient = Decoder::new(stream.config, Policy::Lenient);
            let mut records = stream.records.iter();
            let mut compare = |record: &Record| {
                let opencsd = records.next().expect("as many records");
                differing += usize::from(record.address.value != opencsd.address.value);
                let mut want = *opencsd;
                want.suspect = record.suspect;
                want.address.value =
                    record.address.value >> 32 << 32 | opencsd.address.value & u64::from(u32::MAX);
                assert_eq!(*record, want, "{}, ID {:02x}", capture.name, stream.id);
            };
            lenient.feed(&stream.bytes, &mut compare);
            lenient.finish(&mut compare);
            assert_eq!(records.next(), None, "{}", capture.name);
        }
        let known = OPENCSD_CLEARS_UPPER_HALVES
            .iter()
            .find(|(folder, _)| *folder == capture.name);
        assert_eq!(
            differing,
            known.map_or(0, |(_, packets)| *packets),
            "{}",
            capture.name
        );
    }
}

#[test]
fn what_opencsd_does_not_print_is_what_the_bytes_say() {
    let mut packets = 0;
    for (_, capture) in golden_captures() {
        for stream in through_the_model(&capture) {
            let mut threshold = 0;
            for record in &stream.records {
                let name = &capture.name;
                packets += usize::from(check_against_bytes(name, &stream, record, threshold));
                if record.kind == Kind::TraceInfo {
                    threshold = record.fields[3];
                }
            }
        }
    }
    println!("{packets} packets hold what their bytes say");
}

/// Parses the bytes of a record by themselves. Returns whether they are a packet.
fn check_against_bytes(name: &str, stream: &Stream, record: &Record, threshold: u32) -> bool {
    let config = &stream.config;
    let raw = stream.raw(record);
    let place = format!(
        "{name}, ID {:02x}, offset {}: {raw:02x?}",
        stream.id, record.offset
    );
    let packet = match parse(raw, config) {
        _ if record.kind == Kind::NotSync => return false,
        Ok((packet, len)) => {
            assert_eq!(len, raw.len(), "{place}");
            packet
        }
        Err(ParseError::Bad(kind, len)) => {
            assert_eq!((kind, len), (record.kind, raw.len()), "{place}");
            return false;
        }
        Err(ParseError::Incomplete(_)) => {
            assert_eq!(record.kind, Kind::Incomplete, "{place}");
            return false;
        }
    };
    assert_eq!(
        (packet.kind, packet.header),
        (record.kind, record.header),
        "{place}"
    );
    if record.kind != Kind::Async {
        let lead = if reports_lead_bytes(layout(packet.header, config).lead) {
            packet.lead
        } else {
            Default::default()
        };
        assert_eq!(lead, record.lead, "{place}");
        assert_eq!(packet.fields[..4], record.fields, "{place}");
    }
    let (header, lead0, field1) = (packet.header, packet.lead[0], packet.fields[1]);
    let count = cycle_count(packet.kind, header, lead0, field1, threshold)
        .or(timestamp_count(header, field1, config));
    assert_eq!(count.unwrap_or(0), record.count, "{place}");
    if packet.tail.contains(Part::Info) {
        assert_eq!(packet.info, record.context.info, "{place}");
    }
    true
}
