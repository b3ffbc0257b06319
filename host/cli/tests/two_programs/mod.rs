// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two programs at the same addresses, and recordings of processes that execute them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::Path;

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Kind, Registers, SourceConfig};
use coretrace_isa::Isa;
use coretrace_test_gen::btr::{BranchTrace, BranchTraceBuilder, Site, SiteKind};
use coretrace_test_gen::perf_data::{Event, Origin, Writer};
use coretrace_test_gen::trace_unit::TraceUnit;
use object::Endianness;
use object::build::elf::{Builder, SectionData};
use object::elf;

use crate::common::store_bytes;

/// Where the programs are, in memory and in their files.
pub const TEXT: u64 = 0x40_0000;
const OFFSET: u64 = 0x1000;
const SIZE: usize = 0x1000;
/// Bits of TRCCONFIGR.
const CID: u32 = 1 << 6;
const VMIDOPT: u32 = 1 << 15;
/// Records of perf, and flags of them.
const MMAP: u32 = 1;
const MMAP2: u32 = 10;
const COMM: u32 = 3;
const FORK: u32 = 7;
/// COMM: the process executes another program.
pub const EXEC: u16 = 1 << 13;

/// A program: a loop with a call.
pub struct Code {
    pub name: &'static str,
    /// Instructions up to the call, of the function, and from its return to the end of the loop.
    pub lengths: [u64; 3],
    /// Where the function is.
    function: u64,
    pub laps: u64,
}

pub const ONE: Code = Code {
    name: "one",
    lengths: [5, 7, 3],
    function: 0x400,
    laps: 50,
};
pub const TWO: Code = Code {
    name: "two",
    lengths: [9, 4, 6],
    function: 0x800,
    laps: 70,
};

impl Code {
    /// What its branches do.
    pub fn trace(&self) -> BranchTrace {
        let mut builder = BranchTraceBuilder::new(Isa::A64, TEXT);
        let site = |address: u64, target: u64, kind: SiteKind| Site {
            address,
            target,
            kind: SiteKind::BRANCH.and(kind),
        };
        let [first, inside, rest] = self.lengths;
        let function = TEXT + self.function;
        let behind = TEXT + 4 * first;
        let call = site(behind - 4, function, SiteKind::LINK);
        let end = function + 4 * inside - 4;
        let back = site(end, 0, SiteKind::INDIRECT.and(SiteKind::RETURN));
        let again = site(behind + 4 * rest - 4, TEXT, SiteKind::CONDITIONAL);
        for lap in 1..=self.laps {
            builder.push(call, true, first, function);
            builder.push(back, true, inside, behind);
            let is_taken = lap < self.laps;
            let next = if is_taken { TEXT } else { again.address + 4 };
            builder.push(again, is_taken, rest, next);
        }
        builder.finish()
    }

    /// Its stream as a thread.
    fn stream(&self, unit: &TraceUnit) -> Vec<u8> {
        unit.trace(&self.trace(), &mut ())
    }

    /// Writes it; the path of the file.
    pub fn elf(&self, folder: &Path) -> String {
        let pages = TraceUnit::default().pages(&self.trace()).expect("code");
        let text = pages.iter().find(|page| page.address == TEXT);
        let text = text.expect("a page").bytes.to_vec();
        let symbols = [("main", 0), ("work", self.function)];
        let symbols = symbols.map(|(name, offset)| (format!("{name}_{}", self.name), offset));
        let name = format!("{}.elf", self.name);
        elf_of(folder, &name, (TEXT, text), &symbols)
    }
}

/// Writes a program of one page of code at an address, with functions at these offsets; the path of the
/// file.
pub fn elf_of(
    folder: &Path,
    name: &str,
    (address, text): (u64, Vec<u8>),
    symbols: &[(String, u64)],
) -> String {
    assert_eq!(text.len(), SIZE);
    let mut builder = Builder::new(Endianness::Little, true);
    builder.header.e_type = elf::ET_EXEC;
    builder.header.e_machine = elf::EM_AARCH64;
    builder.header.e_phoff = 64;
    let section = builder.sections.add();
    section.name = ".text".into();
    section.sh_type = elf::SHT_PROGBITS;
    section.sh_flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR;
    section.sh_addr = address;
    section.sh_offset = OFFSET;
    section.sh_size = SIZE as u64;
    section.sh_addralign = 4;
    section.data = SectionData::Data(text.into());
    let text = section.id();
    let segment = builder.segments.add();
    segment.p_type = elf::PT_LOAD;
    segment.p_flags = elf::PF_R | elf::PF_X;
    segment.p_vaddr = address;
    segment.p_offset = OFFSET;
    segment.p_filesz = SIZE as u64;
    segment.p_memsz = SIZE as u64;
    segment.p_align = SIZE as u64;
    segment.sections.push(text);
    for (name, data) in [
        (".symtab", SectionData::Symbol),
        (".strtab", SectionData::String),
        (".shstrtab", SectionData::SectionString),
    ] {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = match data {
            SectionData::Symbol => elf::SHT_SYMTAB,
            _ => elf::SHT_STRTAB,
        };
        section.sh_addralign = 8;
        section.data = data;
    }
    for (name, offset) in symbols {
        let symbol = builder.symbols.add();
        symbol.name = name.clone().into_bytes().into();
        symbol.section = Some(text);
        symbol.set_st_info(elf::STB_GLOBAL, elf::STT_FUNC);
        symbol.st_value = address + offset;
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).expect("an ELF file");
    store_bytes(folder, name, &bytes)
}

/// How the number of the thread is in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    ContextId,
    Vmid,
    /// There is none, but the register says so.
    Absent,
    None,
}

impl Numbers {
    fn unit(self, thread: u8) -> TraceUnit {
        TraceUnit {
            cid: (self == Numbers::ContextId).then_some(thread.into()),
            vmid: (self == Numbers::Vmid).then_some(thread),
            ..TraceUnit::default()
        }
    }
}

/// What follows the A-Sync and the Trace Info of a stream.
fn without_sync(unit: &TraceUnit, stream: &[u8]) -> Vec<u8> {
    let SourceConfig {
        protocol,
        profile,
        registers,
        ..
    } = unit.source();
    let config = Config::new(protocol, profile, &registers);
    let mut decoder = Decoder::new(config, Policy::Resync);
    let mut start = None;
    decoder.feed(stream, |record| {
        if start.is_none() && !matches!(record.kind, Kind::Async | Kind::TraceInfo | Kind::TraceOn)
        {
            start = Some(record.offset as usize);
        }
    });
    stream[start.expect("a packet")..].to_vec()
}

/// Which thread executed what, one behind the other.
pub type Turns<'a> = &'a [(u8, &'a Code)];

/// Writes a recording of CPU 0; `sideband` writes the records of processes.
pub fn recording(
    folder: &Path,
    numbers: Numbers,
    turns: Turns<'_>,
    sideband: impl Fn(&mut Sideband),
) -> String {
    let mut stream = Vec::new();
    for (number, (thread, code)) in turns.iter().enumerate() {
        let unit = numbers.unit(*thread);
        let turn = code.stream(&unit);
        // Every other one is a context in the middle of the stream.
        let is_first = number % 2 == 0;
        stream.extend(if is_first {
            turn
        } else {
            without_sync(&unit, &turn)
        });
    }
    let mut registers = numbers.unit(1).registers();
    registers.trcconfigr |= match numbers {
        Numbers::Vmid => VMIDOPT,
        Numbers::Absent => CID,
        Numbers::ContextId | Numbers::None => 0,
    };
    recording_of(folder, &registers, &stream, sideband)
}

/// Writes a recording of CPU 0 with the registers of its trace unit and its stream.
pub fn recording_of(
    folder: &Path,
    registers: &Registers,
    stream: &[u8],
    sideband: impl Fn(&mut Sideband),
) -> String {
    const TID_TIME_CPU: u64 = 1 << 1 | 1 << 2 | 1 << 7;
    let event = Event {
        sample_type: TID_TIME_CPU,
        ids: vec![1],
    };
    let mut sideband_writer = Sideband {
        writer: Writer::new(false, vec![event]),
        time: 0,
    };
    sideband(&mut sideband_writer);
    let Sideband { mut writer, time } = sideband_writer;
    let etm4 = 0x4040_4040_4040_4040;
    let registers = [
        registers.trcconfigr,
        0x10,
        registers.trcidr0,
        registers.trcidr1,
        registers.trcidr2,
        registers.trcidr8,
        0,
    ];
    let info = [3, 1, 9 << 32 | 1, 0, etm4, 0, registers.len() as u64];
    let info = info.into_iter().chain(registers.map(u64::from));
    writer.record(70, 0, &info.flat_map(u64::to_le_bytes).collect::<Vec<u8>>());
    let aux = [0, stream.len() as u64, 0x100];
    let aux: Vec<u8> = aux.into_iter().flat_map(u64::to_le_bytes).collect();
    let origin = Origin {
        time,
        ..Origin::default()
    };
    writer.kernel(11, 0, &aux, false, origin);
    writer.auxtrace(0, (0, 0), stream);
    let files = fs::read_dir(folder).expect("a folder").count();
    store_bytes(folder, &format!("{files}.data"), &writer.finish().0)
}

/// The records of processes of a recording.
pub struct Sideband {
    writer: Writer,
    time: u64,
}

impl Sideband {
    fn record(&mut self, kind: u32, flags: u16, words: &[u32], text: &str) {
        let mut body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        body.extend(text.as_bytes());
        body.resize((body.len() + 1).next_multiple_of(8), 0);
        self.time += 1;
        let time = self.time;
        let origin = Origin {
            tid: 0,
            cpu: 0,
            time,
        };
        self.writer.kernel(kind, flags, &body, false, origin);
    }

    pub fn comm(&mut self, pid: u32, tid: u32, flags: u16, name: &str) {
        self.record(COMM, flags, &[pid, tid], name);
    }

    pub fn fork(&mut self, child: (u32, u32), parent: (u32, u32)) {
        let body = [child.0, parent.0, child.1, parent.1, 0];
        self.record(FORK, 0, &body, "");
    }

    pub fn map(&mut self, pid: u32, code: &Code) {
        let place = [TEXT as u32, 0, SIZE as u32, 0, OFFSET as u32, 0];
        let body = [&[pid, pid][..], &place, &[0; 6], &[5, 2]].concat();
        self.record(MMAP2, 2, &body, &format!("/bin/{}.elf", code.name));
    }

    /// The kernel, whose symbol `_text` is at this address.
    pub fn map_kernel(&mut self, text: u64) {
        let words = |number: u64| [number as u32, (number >> 32) as u32];
        let place = [words(text), words(SIZE as u64), words(text)].concat();
        let body = [&[u32::MAX, 0][..], &place].concat();
        self.record(MMAP, 1, &body, "[kernel.kallsyms]_text");
    }

    /// Process 100 is ONE, with thread 101; process 200 is TWO; process 30 is a child of 100.
    pub fn two_processes(&mut self) {
        self.comm(100, 100, EXEC, "one");
        self.map(100, &ONE);
        self.fork((100, 101), (100, 100));
        self.comm(100, 101, 0, "worker");
        self.fork((200, 200), (100, 100));
        self.fork((30, 30), (100, 100));
        self.comm(200, 200, EXEC, "two");
        self.map(200, &TWO);
    }
}
