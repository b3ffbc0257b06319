// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of silicon in the shared corpus, against the lists that OpenCSD 1.3.3 made of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::perf::{PerfBuffer, PerfData};
use coretrace_capture::{Format, Source, read_xz_text};
use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Record;
use coretrace_listing::Line;
use coretrace_program::{FileMapping, Program};
use coretrace_test_support::{golden_rows, shared_dir};

fn corpus() -> Option<PathBuf> {
    Some(shared_dir()?.join("corpus-perf"))
}

/// A source, its bytes over all sessions, and their records.
struct Stream {
    id: u8,
    source: Source,
    decoder: Decoder,
    bytes: Vec<u8>,
    records: Vec<Record>,
}

impl Stream {
    fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.decoder
            .feed(bytes, |record| self.records.push(*record));
    }

    fn discontinuity(&mut self) {
        self.decoder
            .discontinuity(|record| self.records.push(*record));
    }

    /// The rows of a list from the name on.
    fn rows(&self) -> Vec<String> {
        let mut text = String::new();
        for record in &self.records {
            let line = Line {
                id: self.id,
                record,
                raw: &self.bytes[record.offset as usize..][..record.len as usize],
                config: &self.source.config.expect("a decoder"),
            };
            coretrace_listing::tsv(&mut text, &line);
        }
        let name_on = |row: &str| row.splitn(3, '\t').last().expect("a name").to_owned();
        text.lines().map(name_on).collect()
    }
}

/// The streams of a buffer with trace in them.
fn decode(file: &[u8], buffer: &PerfBuffer) -> Vec<Stream> {
    let stream = |description| {
        let source = Source::new(description).expect("a source");
        Stream {
            id: match buffer.format {
                Format::Raw => 0,
                Format::Framed(_) => source.trace_id.expect("a trace ID"),
            },
            decoder: Decoder::new(source.config.expect("a decoder"), Policy::OpenCsd),
            source,
            bytes: Vec::new(),
            records: Vec::new(),
        }
    };
    let mut streams: Vec<Stream> = buffer.sources.iter().map(stream).collect();
    let mut demux = Demux::new(streams.iter().filter_map(|stream| TraceId::new(stream.id)));
    let mut deframer = None;
    for piece in &buffer.pieces {
        let bytes = &file[piece.offset as usize..][..piece.len as usize];
        if piece.lost_before {
            streams.iter_mut().for_each(Stream::discontinuity);
            deframer = None;
        }
        match buffer.format {
            Format::Raw => streams[0].feed(bytes),
            Format::Framed(format) => {
                deframer
                    .get_or_insert_with(|| Deframer::new(format))
                    .feed(bytes, |event| match event {
                        RunEvent::Run(run) => {
                            let id = demux.route(&run);
                            let of_id =
                                |stream: &&mut Stream| Some(stream.id) == id.map(TraceId::value);
                            if let Some(stream) = streams.iter_mut().find(of_id) {
                                stream.feed(run.bytes);
                            }
                        }
                        RunEvent::Discontinuity { .. } => {
                            streams.iter_mut().for_each(Stream::discontinuity);
                        }
                    })
            }
        }
    }
    for stream in &mut streams {
        let records = &mut stream.records;
        stream.decoder.finish(|record| records.push(*record));
    }
    streams.retain(|stream| !stream.bytes.is_empty());
    streams
}

/// Compares a recording with its list; returns what was read.
fn check(corpus: &Path, name: &str, id: u8) -> (PerfData, usize) {
    let path = corpus.join(format!("simpleperf/{name}.data"));
    let file = fs::read(&path).expect("a recording");
    let recording = PerfData::read(fs::File::open(&path).expect("a recording")).expect("read");
    assert_eq!(recording.damage, Vec::<String>::new());
    let golden = read_xz_text(&corpus.join(format!("{name}.packets.tsv.xz"))).expect("a list");
    let mut rows: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for stream in recording
        .buffers
        .iter()
        .flat_map(|buffer| decode(&file, buffer))
    {
        rows.entry(stream.id).or_default().extend(stream.rows());
    }
    let want = golden_rows(&golden);
    assert_eq!(rows.keys().collect::<Vec<_>>(), [&id]);
    assert_eq!(want.keys().collect::<Vec<_>>(), [&id]);
    assert_eq!(rows[&id], want[&id]);
    (recording, want[&id].len())
}

#[test]
fn a_recording_in_frames_is_decoded_as_opencsd_lists_it() {
    let Some(corpus) = corpus() else { return };
    let (recording, rows) = check(&corpus, "perf_etm", 0x1E);
    let [buffer] = &recording.buffers[..] else {
        panic!("{} buffers", recording.buffers.len());
    };
    assert_eq!(buffer.cpu, Some(7));
    let ids: Vec<_> = buffer
        .sources
        .iter()
        .map(|source| source.trace_id)
        .collect();
    let all = [0x10, 0x12, 0x14, 0x16, 0x18, 0x1A, 0x1C, 0x1E].map(Some);
    assert_eq!(ids, all);
    let pieces: Vec<_> = buffer
        .pieces
        .iter()
        .map(|p| (p.len, p.lost_before))
        .collect();
    let sessions = [(80, false), (80, true), (80, true), (144, true)];
    assert_eq!(pieces, sessions);
    println!("{rows} packets are as OpenCSD lists them");
}

#[test]
fn a_raw_recording_is_cut_at_its_aux_record_and_decoded() {
    let Some(corpus) = corpus() else { return };
    let (recording, rows) = check(&corpus, "perf_with_unformatted_trace", 0);
    let [buffer] = &recording.buffers[..] else {
        panic!("{} buffers", recording.buffers.len());
    };
    assert_eq!((buffer.cpu, buffer.format), (Some(0), Format::Raw));
    assert_eq!(buffer.sources[0].protocol, "ETE");
    assert_eq!(buffer.sources[0].registers["TRCDEVARCH"], 0x4771_5A13);
    let pieces: Vec<_> = buffer
        .pieces
        .iter()
        .map(|p| (p.len, p.lost_before))
        .collect();
    assert_eq!(pieces, [(76, false)]);
    println!("{rows} packets are as OpenCSD lists them");
}

#[test]
fn mappings_of_a_recording_have_the_build_ids_of_its_header() {
    let Some(corpus) = corpus() else { return };
    let (recording, _) = check(&corpus, "perf_etm", 0x1E);
    let of_program = |path: &str| path.ends_with("/etm_test_loop");
    let mut mappings = recording.mappings.iter();
    let mapping = mappings.find(|mapping| of_program(&mapping.path));
    let mapping = mapping.expect("the program");
    assert_eq!(mapping.pid, Some(0x4353));
    assert_eq!(
        (mapping.address, mapping.len, mapping.offset),
        (0x58_2B2B_1000, 0x1000, 0x1000)
    );
    let build_id = mapping.build_id.as_ref().expect("a build ID");
    let elf = corpus.join("simpleperf/etm_test_loop");
    let mut file_mapping = FileMapping {
        address: mapping.address,
        len: mapping.len,
        offset: mapping.offset,
        build_id: Some(build_id),
        process: None,
    };
    let mut program = Program::default();
    let added = program.add_mapping(&elf, &file_mapping);
    added.expect("the program that was traced");
    let other = [0x55; 20];
    file_mapping.build_id = Some(&other);
    let refused = program.add_mapping(&elf, &file_mapping);
    let error = refused.expect_err("another build").to_string();
    assert!(error.contains("has build ID"), "{error}");
}

#[test]
fn what_is_no_recording_is_refused() {
    let Some(corpus) = corpus() else { return };
    let file = fs::File::open(corpus.join("simpleperf/perf_inject.data")).expect("a text");
    let error = PerfData::read(file).expect_err("no recording");
    assert!(error.to_string().contains("PERFILE2"), "{error}");
}
