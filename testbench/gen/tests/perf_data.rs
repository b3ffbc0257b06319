// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of every shape are read as they were written; damaged ones are read as far as they go.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use coretrace_capture::perf::constants::{FILE_HEADER, MAGIC, record};
use coretrace_capture::perf::{PerfBuffer, PerfData, Processes};
use coretrace_capture::{Format, SourceDescription};
use coretrace_etm::Protocol;
use coretrace_test_gen::{
    PerfFile, PerfShape, Rng, WrittenBuffer, WrittenMapping, WrittenProcesses, WrittenSource,
    perf_file, rng,
};
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Recordings that are read, and those that are damaged first.
const RECORDINGS: u64 = 2000;
const SEEDS: u64 = 200;

/// A shape without anything special.
const PLAIN: PerfShape = PerfShape {
    pipe: false,
    version: 1,
    raw: false,
    ete: false,
    threads: false,
    snapshot: false,
    sinks: false,
    two_events: false,
    sessions: 4,
};

fn read(bytes: &[u8]) -> Result<PerfData, String> {
    PerfData::read(Cursor::new(bytes)).map_err(|error| format!("{error:#}"))
}

fn error(bytes: &[u8]) -> String {
    let error = read(bytes).expect_err("refused");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

fn random(seed: u64) -> (PerfShape, PerfFile, Rng) {
    let mut rng = rng(seed);
    let shape = PerfShape::random(&mut rng);
    let file = perf_file(&mut rng, &shape);
    (shape, file, rng)
}

/// The bytes of each session of a buffer.
fn sessions(file: &[u8], buffer: &PerfBuffer) -> Vec<Vec<u8>> {
    let mut sessions: Vec<Vec<u8>> = Vec::new();
    for piece in &buffer.pieces {
        let bytes = &file[piece.offset as usize..][..piece.len as usize];
        assert!(!bytes.is_empty());
        assert!(!(sessions.is_empty() && piece.lost_before));
        if sessions.is_empty() || piece.lost_before {
            sessions.push(Vec::new());
        }
        sessions.last_mut().expect("a session").extend(bytes);
    }
    sessions
}

fn has(source: &SourceDescription, want: &WrittenSource) -> bool {
    let protocol = match want.set.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    let is_there = |(name, value): (&str, u32)| {
        let is_of_ete = name == "TRCDEVARCH";
        let expected = (!is_of_ete || protocol == "ETE").then_some(value);
        source.registers.get(name).copied() == expected
    };
    source.name == format!("cpu{}", want.cpu)
        && source.trace_id == Some(want.trace_id)
        && source.protocol == protocol
        && want.set.registers.named().all(is_there)
}

fn is_as_written(file: &[u8], buffer: &PerfBuffer, want: &WrittenBuffer) -> bool {
    let mut sources = buffer.sources.iter().zip(&want.sources);
    buffer.cpu == want.cpu
        && (buffer.format == Format::Raw) == want.raw
        && buffer.sources.len() == want.sources.len()
        && sources.all(|(source, want)| has(source, want))
        && sessions(file, buffer) == want.sessions
}

/// The processes of a recording as the generator has them.
fn written(processes: &Processes) -> WrittenProcesses {
    let mut found = WrittenProcesses::default();
    for (tid, thread) in processes.threads() {
        found.threads.insert(tid, (thread.pid, thread.name.clone()));
        for pid in [thread.pid, tid] {
            let space = processes.process(pid).and_then(|it| it.address_space);
            let list = space.map(|space| processes.address_spaces()[space].clone());
            found.mapped.extend(list.map(|list| (pid, list)));
        }
    }
    found
}

#[test]
fn what_was_recorded_is_read_again_in_every_shape() {
    for seed in 0..RECORDINGS {
        let (shape, file, _) = random(seed);
        println!("seed {seed}: {shape:?}");
        let recording = read(&file.bytes).expect("a recording");
        assert_eq!(recording.buffers.len(), file.buffers.len());
        for want in &file.buffers {
            let is_it = |buffer: &PerfBuffer| is_as_written(&file.bytes, buffer, want);
            assert!(recording.buffers.iter().any(is_it), "{want:?}");
        }
        let mappings: Vec<WrittenMapping> = recording
            .mappings
            .iter()
            .map(|mapping| WrittenMapping {
                pid: mapping.pid,
                address: mapping.address,
                len: mapping.len,
                offset: mapping.offset,
                path: mapping.path.clone(),
                build_id: mapping.build_id.clone(),
            })
            .collect();
        assert_eq!(mappings, file.mappings);
        let mut processes = file.processes;
        for &pid in processes.mapped.keys() {
            // A main thread has the number of its process.
            processes.threads.entry(pid).or_insert((pid, None));
        }
        assert_eq!(written(&recording.processes), processes);
        let truncated = format!("{} AUX records are flagged truncated", file.truncated);
        let is_reported = recording
            .damage
            .iter()
            .any(|text| text.starts_with(&truncated));
        assert_eq!(is_reported, file.truncated > 0, "{:?}", recording.damage);
    }
}

#[test]
fn a_file_that_ends_anywhere_is_read_up_to_there() {
    for seed in 0..8 {
        let mut rng = rng(seed);
        let shape = PerfShape {
            pipe: seed % 2 == 0,
            raw: seed % 4 < 2,
            sessions: 2,
            ..PLAIN
        };
        let file = perf_file(&mut rng, &shape);
        let mut read_some = 0;
        for len in 0..file.bytes.len() {
            let bytes = &file.bytes[..len];
            let Ok(recording) = read(bytes) else { continue };
            for buffer in &recording.buffers {
                let read: Vec<u8> = sessions(bytes, buffer).concat();
                let of_cpu = |want: &&WrittenBuffer| want.cpu == buffer.cpu;
                let want = file.buffers.iter().find(of_cpu).expect("a buffer");
                assert!(
                    want.sessions.concat().starts_with(&read),
                    "seed {seed}, {len}"
                );
                read_some += usize::from(!read.is_empty());
            }
            let is_cut_short = !shape.pipe && len < file.records.last().copied().unwrap_or(0);
            assert!(
                !is_cut_short || !recording.damage.is_empty(),
                "seed {seed}, {len}"
            );
        }
        assert!(read_some > 0, "seed {seed}");
    }
}

/// Every piece is in the file. (Whether its bytes are right cannot be asked of a damaged file.)
fn check_places(bytes: &[u8], what: &str) {
    let Ok(recording) = read(bytes) else { return };
    for piece in recording.buffers.iter().flat_map(|buffer| &buffer.pieces) {
        let end = piece.offset.checked_add(piece.len).expect(what);
        assert!(piece.len > 0 && end <= bytes.len() as u64, "{what}");
    }
}

#[test]
fn files_with_any_bytes_replaced_are_read_or_refused() {
    for seed in 0..SEEDS {
        let (_, file, mut rng) = random(seed);
        for _ in 0..30 {
            let mut bytes = file.bytes.clone();
            for _ in 0..rng.random_range(1..6) {
                let place = rng.random_range(0..bytes.len());
                bytes[place] = rng.random();
            }
            check_places(&bytes, &format!("seed {seed}"));
        }
    }
}

#[test]
fn records_and_sections_of_any_forged_size_are_read_or_refused() {
    const SIZES: [u64; 8] = [0, 1, 7, 0x28, 0xFFFF, 1 << 31, i64::MAX as u64, u64::MAX];
    for seed in 0..SEEDS {
        let (_, file, mut rng) = random(seed);
        for _ in 0..30 {
            let mut bytes = file.bytes.clone();
            let forged = SIZES.choose(&mut rng).expect("a size").to_le_bytes();
            // The size of a record, or a word in its body or in the header of the file.
            let record = *file.records.choose(&mut rng).expect("a record");
            let (place, len) = match rng.random_range(0..3) {
                0 => (record + 6, 2),
                1 => (record + 8 * rng.random_range(1..6), 8),
                _ => (8 * rng.random_range(1..FILE_HEADER as usize / 8), 8),
            };
            let end = bytes.len().min(place + len);
            let Some(field) = bytes.get_mut(place..end) else {
                continue;
            };
            field.copy_from_slice(&forged[..field.len()]);
            check_places(&bytes, &format!("seed {seed}"));
        }
    }
}

/// A pipe with records of these types and bodies.
fn pipe(records: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &16_u64.to_le_bytes()].concat();
    for (kind, body) in records {
        bytes.extend(kind.to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend((body.len() as u16 + 8).to_le_bytes());
        bytes.extend(*body);
    }
    bytes
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn files_that_cannot_be_read_are_refused_in_one_line() {
    let file = perf_file(&mut rng(1), &PLAIN).bytes;
    let mut big_endian = file.clone();
    big_endian[..8].reverse();
    let sample = pipe(&[(9, &[0; 32])]);
    let of_kind = |kind| pipe(&[(record::AUXTRACE_INFO, &words(&[kind]))]);
    for (bytes, want) in [
        (&file[..3], "too short"),
        (&file[..90], "too short for its header"),
        (b"0123456789abcdef", "PERFILE2"),
        (&big_endian, "big-endian"),
        (&pipe(&[(record::COMPRESSED, &[0; 8])]), "without -z"),
        (&pipe(&[(record::COMPRESSED2, &[0; 8])]), "without -z"),
        (&of_kind(1), "Intel PT, not CoreSight"),
        (&of_kind(4), "Arm SPE, not CoreSight"),
        (&of_kind(99), "unknown kind, not CoreSight"),
        (&sample, "no CoreSight trace in it"),
        (&pipe(&[]), "no CoreSight trace in it"),
    ] {
        let error = error(bytes);
        assert!(error.contains(want), "{error}");
    }
}

#[test]
fn a_small_file_with_many_records_takes_bounded_time() {
    // 20,000 AUX records of all bytes, over 20,000 stretches of one byte with gaps.
    let aux = words(&[0, u64::MAX, 0]);
    let mut bytes = pipe(&[(record::AUXTRACE_INFO, &words(&[3, 1, 0, 0]))]);
    for number in 0..20_000 {
        bytes.extend(&pipe(&[(record::AUX, &aux)])[16..]);
        let stretch = words(&[1, 3 * number + 1, 0, 0, u32::MAX.into()]);
        bytes.extend(&pipe(&[(record::AUXTRACE, &stretch)])[16..]);
        bytes.push(0);
    }
    let error = error(&bytes);
    assert!(error.contains("more than 400000 pieces"), "{error}");
}

/// A pipe with AUX records of these offsets and sizes, and AUXTRACE records of these offsets and bytes.
fn trace(sessions: &[(u64, u64)], stretches: &[(u64, &[u8])]) -> Vec<u8> {
    let mut bytes = pipe(&[(record::AUXTRACE_INFO, &words(&[3, 1, 0, 0]))]);
    for &(offset, size) in sessions {
        bytes.extend(&pipe(&[(record::AUX, &words(&[offset, size, 0]))])[16..]);
    }
    for &(offset, contents) in stretches {
        let body = words(&[contents.len() as u64, offset, 0, 0, 0]);
        bytes.extend(&pipe(&[(record::AUXTRACE, &body)])[16..]);
        bytes.extend(contents);
    }
    bytes
}

fn only_buffer(bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<String>) {
    let recording = read(bytes).expect("a recording");
    let [buffer] = &recording.buffers[..] else {
        panic!("{} buffers", recording.buffers.len());
    };
    (sessions(bytes, buffer), recording.damage)
}

#[test]
fn a_session_that_fits_into_the_padding_before_it_is_not_there() {
    let bytes = trace(
        &[(0, 3), (3, 4), (7, 1)],
        &[(0, b"abcPPPPP"), (3, b"defgQQQQ"), (7, b"hRRRRRRR")],
    );
    let (sessions, _) = only_buffer(&bytes);
    assert_eq!(sessions, [b"abc".to_vec(), b"defg".to_vec(), b"h".to_vec()]);
}

#[test]
fn frames_behind_a_gap_begin_where_a_frame_does() {
    let bytes = trace(&[(16, 64)], &[(40, &[7; 40])]);
    let (sessions, damage) = only_buffer(&bytes);
    // The frames of the session begin at 16, 32, 48 and 64.
    assert_eq!(sessions, [[7; 32]]);
    let missing = "32 bytes are missing in sessions of which the file has a part";
    assert!(damage.iter().any(|text| text == missing), "{damage:?}");
}

#[test]
fn offsets_at_the_end_of_the_address_space_are_no_trace() {
    let end = u64::MAX;
    for offset in [end, end - 1, end - 3, end - 20, end - 64] {
        let sessions = [(0, end), (offset, 64), (offset, end)];
        let bytes = trace(&sessions, &[(offset, &[0; 64]), (end - 5, &[0; 40])]);
        check_places(&bytes, "at the end");
    }
}

/// A file with zeros behind its first bytes, which counts the bytes that are read.
struct Huge<'a> {
    start: &'a [u8],
    len: u64,
    place: u64,
    read: &'a mut u64,
}

impl Read for Huge<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            let place = usize::try_from(self.place).expect("a place");
            *byte = self.start.get(place).copied().unwrap_or(0);
            self.place += 1;
        }
        *self.read += buffer.len() as u64;
        Ok(buffer.len())
    }
}

impl Seek for Huge<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.place = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::End(back) => self.len.saturating_add_signed(back),
            SeekFrom::Current(by) => self.place.saturating_add_signed(by),
        };
        Ok(self.place)
    }
}

#[test]
fn the_trace_itself_is_not_read() {
    const TRACE: u64 = 1 << 40;
    let mut start = trace(&[(0, TRACE)], &[]);
    start.extend(&pipe(&[(record::AUXTRACE, &words(&[TRACE, 0, 0, 0, 0]))])[16..]);
    let mut read = 0;
    let recording = PerfData::read(Huge {
        start: &start,
        len: start.len() as u64 + TRACE,
        place: 0,
        read: &mut read,
    });
    let piece = recording.expect("a recording").buffers[0].pieces[0];
    assert_eq!((piece.offset, piece.len), (start.len() as u64, TRACE));
    assert!(read < 100_000, "{read} bytes");
}

#[test]
fn trace_without_its_bytes_is_reported() {
    let info = words(&[3, 1, 0, 0]);
    let aux = words(&[0, 64, 0]);
    let bytes = pipe(&[(record::AUXTRACE_INFO, &info), (record::AUX, &aux)]);
    let recording = read(&bytes).expect("a recording");
    assert!(recording.buffers.is_empty());
    let want = "1 of 1 AUX records have no trace data in the file";
    assert_eq!(recording.damage, [want]);
}

#[test]
fn a_recording_that_was_not_ended_is_read_to_its_end() {
    let file = perf_file(&mut rng(3), &PLAIN);
    let mut bytes = file.bytes.clone();
    // The size of the records in the header.
    bytes[48..56].fill(0);
    let recording = read(&bytes).expect("a recording");
    assert!(
        recording.damage[0].contains("not ended"),
        "{:?}",
        recording.damage
    );
    for want in &file.buffers {
        let is_it = |buffer: &PerfBuffer| is_as_written(&bytes, buffer, want);
        assert!(recording.buffers.iter().any(is_it));
    }
}
