// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds: small inputs of the targets from the generators of the project, so a fuzzer starts with
//! inputs that the targets read to the end. They are in `testbench/fuzz/coverage/seeds`.

use std::collections::BTreeSet;
use std::path::Path;

use coretrace_abi::compressed::block::{HEADER_WORDS, SIZES};
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event as CompressedEvent};
use coretrace_abi::compressed::element::Element as CompressedElement;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Note;
use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_abi::profile_stream::{Entry, EntryKind};
use coretrace_capture::read_xz;
use coretrace_compress::{BlockSettings, BlockWriter, ElementBlockWriter};
use coretrace_coresight::TraceId;
use coretrace_data_trace::{Grammar, Payload, emit};
use coretrace_decode::tpiu::Format;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Kind, Record};
use coretrace_profile::entry_of;
use coretrace_replay::{Code, Site, Sites};
use coretrace_sites::{Event, FlowWriter};
use coretrace_software_trace as software_trace;
use coretrace_streams::{Place, Reader, Start, Writer, software};
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::{
    ASYNC, Damage, Framing, PerfShape, RegisterSet, StreamOptions, frame_streams, itm_stream,
    legal_stream, perf_file, rng, stm_stream,
};

use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SymbolFlags, SymbolKind, SymbolScope};

use rand::RngExt;

use super::{FORMATS, POLICIES, data, unit};
use crate::Case;
use crate::case::Stream;

/// A file name and the bytes of an input.
pub type Seed = (String, Vec<u8>);

/// The trace IDs of the sources.
const IDS: [u8; 2] = [0x10, 0x21];

/// Bytes fed at a time.
const CHUNK: u8 = 7;

/// A trace unit, by the byte that selects it, and a legal stream of it.
struct Source {
    number: u8,
    set: RegisterSet,
    bytes: Vec<u8>,
}

/// Sources, each with a kind of packet that the previous ones do not have.
fn sources() -> Vec<Source> {
    let options = StreamOptions {
        packets: 30,
        sync_every: 20,
        unusual: true,
        ..StreamOptions::default()
    };
    let mut seen: BTreeSet<Kind> = BTreeSet::new();
    let mut sources = Vec::new();
    for number in 0..=u8::MAX {
        let set = unit(number);
        let stream = legal_stream(&mut rng(number.into()), &set.config(), &options);
        let before = seen.len();
        seen.extend(stream.packets.iter().map(|packet| packet.kind));
        if seen.len() > before {
            sources.push(Source {
                number,
                set,
                bytes: stream.bytes,
            });
        }
    }
    sources
}

/// The sources, each made an input.
fn of_each_source(input: impl Fn(&Source) -> Vec<u8>) -> Vec<Seed> {
    let seed = |source: &Source| (format!("unit-{}", source.number), input(source));
    sources().iter().map(seed).collect()
}

/// Packets of every kind.
pub fn decoder() -> Vec<Seed> {
    of_each_source(|source| {
        let policy = source.number % POLICIES.len() as u8;
        [&[source.number, policy, CHUNK], &source.bytes[..]].concat()
    })
}

/// A program of A64 with branches of every class.
pub(super) const PROGRAM: [u32; 8] = [
    0xD503_201F, // nop
    0x5400_0060, // b.eq, three further
    0x9400_0003, // bl, three further
    0x17FF_FFFD, // b, back to the first
    0xD503_3FDF, // isb
    0xD65F_03C0, // ret
    0xD69F_03E0, // eret
    0x17FF_FFF9, // b, back to the first
];

/// Behind A-Sync, Trace Info, Trace On and the address of the program: atoms, addresses, an
/// exception, a count.
const WALK: [u8; 39] = [
    0x01, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x10, 0xF7, 0xF9, 0x95, 0x04, 0xDE,
    0x06, 0x05, 0x95, 0x03, 0x95, 0x00, 0x07, 0x2D, 0x01, 0x90, 0xF6, 0x30, 0xD7, 0x02, 0x05, 0xAF,
    0x95, 0x02, 0xC3, 0x04,
];

/// A walk through a program, of each source.
pub fn flow() -> Vec<Seed> {
    let program: Vec<u8> = PROGRAM.iter().flat_map(|word| word.to_le_bytes()).collect();
    of_each_source(|source| {
        let policy = source.number % POLICIES.len() as u8;
        let begin = [source.number, policy, CHUNK, PROGRAM.len() as u8];
        [&begin, &program[..], &ASYNC, &WALK].concat()
    })
}

/// A program of each instruction set with a function, and the headers of one with its build ID.
pub fn program() -> Vec<Seed> {
    let architectures = [Architecture::Aarch64, Architecture::Arm];
    let seed = |architecture| {
        let mut file = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
        let words: Vec<u8> = PROGRAM.iter().flat_map(|word| word.to_le_bytes()).collect();
        let section = file.section_id(StandardSection::Text);
        let value = file.append_section_data(section, &words, 4);
        file.add_symbol(Symbol {
            name: b"_ZN4main4loopEv".to_vec(),
            value,
            size: words.len() as u64,
            kind: SymbolKind::Text,
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
        let bytes = file.write().expect("an ELF file");
        let place = 0x40_0000_u64.to_le_bytes();
        (
            format!("{architecture:?}").to_lowercase(),
            [&place, &bytes[..]].concat(),
        )
    };
    let mut seeds: Vec<Seed> = architectures.map(seed).into();
    let sort = include_bytes!("../../../traces/sort-a64/sort.elf");
    // Behind the place.
    let headers = [&[0; 8], &sort[..0x17C]].concat();
    seeds.push(("build-id".to_owned(), headers));
    seeds
}

/// A stream of every kind, with an edit after its first A-Sync.
pub fn generated() -> Vec<Seed> {
    const EDIT: [u8; 3] = [16, 0, 0x80];
    let damaged = Damage::ALL.map(Stream::Damaged);
    let kinds = [Stream::Legal, Stream::Noise, Stream::Cut];
    let first = |kind: Stream| {
        let is_first = |seed: &u16| Case::from_seed((*seed).into()).stream == kind;
        let seed = (0..=u16::MAX).find(is_first).expect("every kind is there");
        let input = [&seed.to_le_bytes()[..], &EDIT].concat();
        (format!("case-{seed}"), input)
    };
    kinds.into_iter().chain(damaged).map(first).collect()
}

/// Two sources in every format.
pub fn frames() -> Vec<Seed> {
    let sources = sources();
    let ids = IDS.map(|id| TraceId::new(id).expect("an ID of a source"));
    let streams: Vec<(TraceId, &[u8])> = ids
        .into_iter()
        .zip(sources.iter().map(|source| &source.bytes[..]))
        .collect();
    let seed = |(number, format): (usize, Format)| {
        let framing = match format {
            Format::Frames => Framing::BUFFER,
            Format::TpiuHsync => Framing::PORT,
            Format::TpiuFsync | Format::Dstream => Framing {
                half_sync: 0.0,
                ..Framing::PORT
            },
        };
        let port = frame_streams(&mut rng(number as u64), &streams, &framing);
        let input = [&[number as u8, CHUNK], &port[..]].concat();
        (format!("format-{number}"), input)
    };
    FORMATS.into_iter().enumerate().map(seed).collect()
}

/// Records of packets of every kind.
pub fn records() -> Vec<Seed> {
    [record_streams(), software_streams()].concat()
}

/// The streams of records.
pub fn record_streams() -> Vec<Seed> {
    of_each_source(|source| [&[CHUNK], &bytes_of(&record_words(source))[..]].concat())
}

/// The software streams of an STM and of an ITM.
fn software_streams() -> Vec<Seed> {
    let stm = stm_stream(&mut rng(1), 2, None);
    let itm = itm_stream(&mut rng(2), 8, None);
    let of_itm = software_trace::Protocol::Itm(software_trace::ItmConfig { itm_tcr: 0x310 });
    let sources = [
        ("stm", software_trace::Protocol::Stm, stm),
        ("itm", of_itm, itm),
    ];
    let seeds = sources.into_iter().map(|(name, protocol, bytes)| {
        let words = software_words(protocol, &bytes);
        (name.to_owned(), [&[CHUNK], &bytes_of(&words)[..]].concat())
    });
    seeds.collect()
}

/// The software stream of a source, with a loss in the middle.
fn software_words(protocol: software_trace::Protocol, bytes: &[u8]) -> Vec<u32> {
    let mut writer = software::Writer::new(software::Start {
        trace_id: 0x21,
        lenient: true,
        protocol,
    });
    let mut decoder = software_trace::Decoder::new(protocol, Policy::Lenient);
    let (place, mut words) = (software::Place::default(), Vec::new());
    let (before, behind) = bytes.split_at(bytes.len() / 2);
    decoder.feed(before, |record| writer.record(record, place, &mut words));
    decoder.discontinuity(|record| writer.record(record, place, &mut words));
    writer.lost(7, place, &mut words);
    decoder.feed(behind, |record| writer.record(record, place, &mut words));
    writer.flush(&mut words);
    words
}

/// The sums of the same records.
pub fn profile() -> Vec<Seed> {
    of_each_source(|source| {
        let words: Vec<u32> = entries(source).iter().flat_map(Entry::words).collect();
        bytes_of(&words)
    })
}

/// Two read-outs of a walk through the program, and one that is lost in between.
pub fn read_out() -> Vec<Seed> {
    let mut writer = FlowWriter::new(Widths::new(5, 1).expect("widths"));
    let lost = Event::Lost {
        reason: LostReason::Overflow,
        site: 2,
        atoms: 4,
    };
    let found = Event::Found {
        address: 0x40_0000,
        site: 1,
        skipped: 2,
    };
    let [enter, taken, leave] = [1, 2, 3].map(|site| {
        (
            Event::Enter { site },
            Event::Taken { site },
            Event::Leave { site },
        )
    });
    let indirect = Event::Indirect { site: 2, target: 3 };
    let events = [
        enter.0,
        taken.1,
        indirect,
        leave.2,
        Event::ReadOut,
        lost,
        found,
        enter.0,
        enter.1,
        enter.2,
        Event::ReadOut,
    ];
    let mut words = Vec::new();
    for (atoms, event) in (1..).zip(events) {
        writer.event(&event, (atoms, 1), &mut |beat| words.extend(beat.words()));
    }
    vec![("two".to_owned(), [&[CHUNK], &bytes_of(&words)[..]].concat())]
}

/// A program of a loop with a call and a return, for compressed traces.
pub(super) fn branches() -> Sites {
    let site = |number: u64, kind: BranchKind, target: u64| Site {
        address: 0x40_0000 + 4 * number,
        kind,
        target: 0x40_0000 + 4 * target,
    };
    Sites::new(vec![
        site(2, BranchKind::CONDITIONAL, 0),
        site(5, BranchKind::LINK, 8),
        site(6, BranchKind::EXCEPTION, 0),
        site(9, BranchKind::CONDITIONAL, 12),
        site(11, BranchKind::INDIRECT.and(BranchKind::RETURN), 0),
        site(14, BranchKind::INDIRECT, 0),
    ])
}

/// Walks through that program with a context and times, by every encoder; atoms and addresses.
pub fn compressed() -> Vec<Seed> {
    let seed = |(name, encoder): (&str, Encoder)| (name.to_owned(), walk(encoder));
    let mut seeds: Vec<Seed> = Encoder::all().map(seed).collect();
    seeds.push(("XE".to_owned(), elements()));
    seeds
}

/// What is kept of a block: the numbers of its encoder, how many bits it has, and the bits.
fn of_block(block: &[u8]) -> Vec<u8> {
    let [preset, kind, ..] = *block else {
        return Vec::new();
    };
    let records = &block[block.len() - 8..][..2];
    let bits = &block[4 * HEADER_WORDS..block.len() - 8];
    let end = bits.iter().rposition(|&byte| byte > 0).unwrap_or_default();
    let mut seed = vec![kind & 0xF, preset];
    seed.extend(records);
    seed.extend(&bits[..=end]);
    seed
}

fn walk(encoder: Encoder) -> Vec<u8> {
    let code = branches();
    let mut address = 0x40_0000;
    let settings = BlockSettings::new(encoder, 0x10, false);
    let mut writer = BlockWriter::new(settings, address);
    writer.note(Note::Context(0x1234_0021), 0, |_| ());
    let mut random = rng(5);
    let mut seed = Vec::new();
    for number in 0..60 {
        let Some(site) = code.branch_from(address) else {
            break;
        };
        let is_conditional = site.kind.is(BranchKind::CONDITIONAL);
        let leads_anywhere = BranchKind::INDIRECT.and(BranchKind::EXCEPTION);
        let taken = !is_conditional || random.random();
        let next = match (taken, site.kind.is(leads_anywhere)) {
            (false, _) => site.address + 4,
            (true, false) => site.target,
            (true, true) => 0x40_0000 + 4 * random.random_range(0..4) * 4,
        };
        let event = CompressedEvent::Branch(Branch {
            address: site.address,
            kind: site.kind,
            taken,
            next,
            instructions: ((site.address - address) / 4 + 1) as u32,
        });
        if number % 40 == 20 {
            writer.note(Note::Timestamp(1000 * number), 0, |_| ());
        }
        writer.event(&event, |_| ());
        address = next;
    }
    writer.finish(0, |block| seed = of_block(block));
    seed
}

fn elements() -> Vec<u8> {
    let mut random = rng(6);
    let mut writer = ElementBlockWriter::new(SIZES[0], 0x10);
    let mut seed = Vec::new();
    for number in 0..60 {
        if number % 40 == 20 {
            writer.note(Note::Timestamp(1000 * number), |_| ());
        }
        let taken = number % 7 < 5;
        let address = (number % 7 == 3).then(|| 0x40_0000 + 0x40 * random.random_range(0..4));
        writer.element(&CompressedElement { taken, address }, |_| ());
    }
    writer.finish(|block| seed = of_block(block));
    seed
}

/// Descriptions of captures of the project, of one source and of several.
pub fn capture() -> Vec<Seed> {
    [
        ("raw", include_str!("../../../traces/sort-a64/capture.toml")),
        (
            "framed",
            include_str!("../../../traces/framed/capture.toml"),
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into()
}

/// Snapshots of one file, of one source and of two buffers.
pub fn snapshot() -> Vec<Seed> {
    let one = "[device_list]\na=snapshot.ini\n[trace]\nmetadata=snapshot.ini\n\
        [device]\nname=E\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR(0x10)=0x10\n\
        TRCCONFIGR=1\nTRCIDR0=0x28000EA1\nTRCIDR1=4100F403\nTRCIDR2=00000488\n\
        [dump1]\nfile=snapshot.ini\naddress=0xffffffc000081000\nlength=16 ; bytes\n\
        [trace_buffers]\nbuffers=b\n[b]\nname=ETB\nfile=snapshot.ini\nformat=source_data\n\
        [source_buffers]\nE=ETB\n[core_trace_sources]\nc=E\n";
    let two = one
        .replace("buffers=b\n", "buffers=b,d\n")
        .replace("E=ETB", "E=ETB;PORT")
        + "[d]\nname=PORT\nfile=snapshot.ini,snapshot.ini\nformat=coresight\n";
    [("one", one.to_owned()), ("two", two)]
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .into()
}

/// Short recordings, each of another shape.
pub fn perf() -> Vec<Seed> {
    const NUMBER: usize = 8;
    const BYTES: usize = 1500;
    let recording = |seed: u64| {
        let mut rng = rng(seed);
        let shape = PerfShape::random(&mut rng);
        let file = perf_file(&mut rng, &shape);
        let is_kept = file.bytes.len() <= BYTES && !file.buffers.is_empty();
        is_kept.then(|| (format!("seed-{seed}"), file.bytes))
    };
    (0..).filter_map(recording).take(NUMBER).collect()
}

/// Cases of the project.
pub fn case() -> Vec<Seed> {
    [
        (
            "exceptions",
            include_str!("../../../traces/cases/exceptions-v8m.ett"),
        ),
        ("q", include_str!("../../../traces/cases/q-packets.ett")),
        (
            "context",
            include_str!("../../../traces/cases/address-with-context.ett"),
        ),
        (
            "bytes",
            include_str!("../../../traces/cases/long-fields.ett"),
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .into()
}

/// The beginnings of the branch traces of the project: one of each instruction set.
pub fn btr() -> Vec<Seed> {
    const INSTRUCTIONS: u64 = 400;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/branches");
    let seed = |name: &str| {
        let file = read_xz(&folder.join(format!("{name}.btr.xz"))).expect("a branch trace");
        let trace = BranchTrace::read(&file).expect("a branch trace");
        (name.to_owned(), trace.prefix(INSTRUCTIONS).write())
    };
    ["interp-a64", "adpcm-a32"].map(seed).into()
}

/// Packets of software trace in a seed.
const SOFTWARE_PACKETS: usize = 60;

/// The policy, the size of the pieces, and how many of them come before bytes are lost.
const SOFTWARE_HEADS: [[u8; 3]; 3] = [[0, CHUNK, 255], [1, CHUNK, 9], [2, CHUNK, 255]];

/// Streams of an STM, whole and with a loss, under each policy.
pub fn stm() -> Vec<Seed> {
    let seed = |(number, head): (usize, [u8; 3])| {
        let stream = stm_stream(&mut rng(number as u64), SOFTWARE_PACKETS, None);
        (format!("policy-{number}"), [&head[..], &stream].concat())
    };
    SOFTWARE_HEADS.into_iter().enumerate().map(seed).collect()
}

/// Streams of an ITM with a prescaler, likewise.
pub fn itm() -> Vec<Seed> {
    const TCR: u8 = 0x31;
    let seed = |(number, head): (usize, [u8; 3])| {
        let stream = itm_stream(&mut rng(number as u64), SOFTWARE_PACKETS, None);
        (
            format!("policy-{number}"),
            [&[TCR], &head[..], &stream].concat(),
        )
    };
    SOFTWARE_HEADS.into_iter().enumerate().map(seed).collect()
}

/// Packets of data trace in a seed, those of the grammar one after the other.
const DATA_PACKETS: usize = 40;

/// Names of the fields of [`data::invented`].
const DATA_FIELDS: [&str; 11] = [
    "key", "addr", "ts", "value", "C", "I", "T", "S", "R", "N", "V",
];

/// Data trace of the invented and of the public grammar, behind exceptions of an instruction trace.
pub fn data_trace() -> Vec<Seed> {
    let source = &sources()[0];
    let instructions = &source.bytes[..source.bytes.len().min(usize::from(u8::MAX))];
    let mut rng = rng(0);
    let mut seed = |(is_public, name): (u8, &str), grammar: &Grammar| {
        let head = [
            is_public,
            CHUNK,
            20,
            source.number,
            instructions.len() as u8,
        ];
        let mut bytes = [&head, instructions].concat();
        emit::emit_async(&mut bytes);
        for packet in grammar.packets().iter().cycle().take(DATA_PACKETS) {
            let fields = DATA_FIELDS.map(|field| (field, rng.random::<u64>() >> 40));
            match (packet.name.as_str(), &packet.payload) {
                ("A_SYNC", _) => emit::emit_async(&mut bytes),
                (name, Payload::Fields(_)) => {
                    emit(grammar, name, &fields, &mut bytes).expect("a packet");
                }
                (_, Payload::Unknown) => {}
            }
        }
        (name.to_owned(), bytes)
    };
    let public = Grammar::public().expect("a grammar");
    let invented = data::invented();
    vec![
        seed((0, "invented"), &invented),
        seed((1, "public"), &public),
    ]
}

/// A grammar of one packet of each kind.
pub fn grammar() -> Vec<Seed> {
    let text = r#"[extension]
00 = { name = "A_SYNC" }
0001NNN1 = { name = "MARK", effect = ["mark N"] }
[[packet]]
name = "ADDRESS"
match = "0111CIxx"
payload = [
    { k = "cont", max = 3, to = "key", when = "C" },
    { k = "bits", layout = "TTTTSSSS", when = "I" },
    { k = "bytes", n = 4, to = "addr" },
]
effect = ["p0key.set", "p1key.next", "index.set T", "addr.replace_low", "addr.push"]
[[packet]]
name = "REST"
match = "10xxxxxx"
payload = "unknown"
[[example]]
bytes = "00 13"
packets = ["MARK N=1"]
"#;
    vec![("packets".to_owned(), text.into())]
}

/// The record stream of a source, with a loss in it and places behind that.
fn record_words(source: &Source) -> Vec<u32> {
    let set = &source.set;
    let mut records: Vec<Record> = Vec::new();
    let mut decoder = Decoder::new(set.config(), Policy::Resync);
    decoder.feed(&source.bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    let start = Start {
        trace_id: IDS[0],
        lenient: false,
        explicit: source.number % 2 == 1,
        filtered: false,
        protocol: set.protocol,
        v8m: set.profile == ArchProfile::M8,
        registers: set.registers,
    };
    let mut words = Vec::new();
    let mut writer = Writer::new(start);
    let (before, behind) = records.split_at(records.len() / 2);
    for record in before {
        writer.record(record, &mut words);
    }
    writer.lost(1, &mut words);
    for (row, record) in (5..).zip(behind) {
        writer.place(Place { row, lane: 2 });
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    words
}

/// The entries of a source's records, with a mark after them.
fn entries(source: &Source) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut reader = Reader::new();
    reader.words(&record_words(source), |item| {
        entries.extend(entry_of(IDS[0], &item));
    });
    entries.push(Entry {
        kind: EntryKind::Mark,
        trace_id: IDS[0],
        weight: 1,
        key: 0,
    });
    entries
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
