// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of elements and packets, as a reader of Parquet sees them.

use coretrace_columns::{Elements, Packets};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Context, Kind, Protocol, Record, Registers};
use coretrace_flow::{Element, LastInstruction, Loss, Outcome, Range};
use coretrace_isa::Isa;
use coretrace_software_trace as software_trace;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};

/// The rows of a file, and how many groups they are in.
fn rows(file: Vec<u8>) -> (Vec<Row>, usize) {
    let reader = SerializedFileReader::new(bytes::Bytes::from(file)).expect("a Parquet file");
    let rows = reader.get_row_iter(None).expect("rows");
    let rows = rows.collect::<Result<_, _>>().expect("rows");
    (rows, reader.num_row_groups())
}

fn field<'r>(row: &'r Row, name: &str) -> &'r Field {
    let mut columns = row.get_column_iter();
    let (_, field) = columns.find(|(column, _)| *column == name).expect(name);
    field
}

/// The columns of a row that have a value.
fn values(row: &Row) -> String {
    let columns = row.get_column_iter();
    let set = columns.filter(|(_, field)| **field != Field::Null);
    let texts: Vec<String> = set.map(|(name, field)| format!("{name}={field}")).collect();
    texts.join(" ")
}

fn range(start: u64, count: u32) -> Element {
    Element::Range(Range {
        start,
        end: start + 4 * u64::from(count),
        count,
        isa: Isa::A64,
        outcome: Outcome::N,
        last: LastInstruction::default(),
    })
}

#[test]
fn an_element_has_the_columns_of_its_kind() {
    let all = [
        (
            Element::NoSync(Loss::Begin),
            "kind=\"NO_SYNC\" reason=\"init-decoder\"",
        ),
        (
            Element::Context {
                isa: Isa::T32,
                context: Context {
                    info: 0x21,
                    vmid: 7,
                    cid: u32::MAX,
                },
                has_vmid: false,
                has_cid: true,
            },
            "kind=\"PE_CONTEXT\" isa=\"T32\" el=1 security=\"N\" sf=false cid=4294967295",
        ),
        (
            range(0xFFFF_0000_0000_0000, 3),
            "kind=\"INSTR_RANGE\" start=18446462598732840960 end=18446462598732840972 \
             instructions=3 isa=\"A64\" taken=false size=4 class=\"other\" call=false \
             conditional=false",
        ),
        (
            Element::Exception {
                return_address: Some(16),
                is_target: true,
                number: 5,
            },
            "kind=\"EXCEPTION\" address=16 exception=5",
        ),
        (
            Element::Timestamp {
                timestamp: u64::MAX,
                cycles: Some(9),
            },
            "kind=\"TIMESTAMP\" timestamp=18446744073709551615 cycles=9",
        ),
    ];
    let mut file = Vec::new();
    let mut elements = Elements::new(&mut file).expect("a file");
    for (offset, (element, _)) in all.iter().enumerate() {
        elements
            .element(offset as u64, 0x1F, element)
            .expect("memory");
    }
    elements.finish().expect("memory");
    let (rows, _) = rows(file);
    assert_eq!(rows.len(), all.len());
    for (offset, (row, (_, want))) in rows.iter().zip(&all).enumerate() {
        let want = format!("offset={offset} trace_id=\"1f\" {want}");
        assert_eq!(values(row), want);
    }
}

#[test]
fn many_rows_are_in_groups_and_none_is_missing() {
    let mut file = Vec::new();
    let mut elements = Elements::new(&mut file).expect("a file");
    for number in 0..150_000 {
        let element = match number % 3 {
            0 => Element::CycleCount(number),
            1 => Element::ExceptionReturn,
            _ => range(number.into(), number % 7),
        };
        elements
            .element(number.into(), 0x10, &element)
            .expect("memory");
    }
    elements.finish().expect("memory");
    let (rows, groups) = rows(file);
    assert_eq!((rows.len(), groups), (150_000, 3));
    for (number, row) in rows.iter().enumerate() {
        assert_eq!(*field(row, "offset"), Field::ULong(number as u64));
        let cycles = match number % 3 {
            0 => Field::UInt(number as u32),
            _ => Field::Null,
        };
        assert_eq!(*field(row, "cycles"), cycles);
        let start = match number % 3 {
            2 => Field::ULong(number as u64),
            _ => Field::Null,
        };
        assert_eq!(*field(row, "start"), start);
    }
}

#[test]
fn every_header_makes_a_row() {
    let registers = Registers {
        trcconfigr: 0x30D9,
        trcidr0: 0x2800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x1488,
        ..Registers::default()
    };
    let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
    let mut bytes = vec![0; 11];
    bytes.extend([0x80, 0x01, 0x01, 0x00]);
    for header in 1..=255 {
        bytes.extend([header, 0x41, 0x02, 0x03, 0x24, 0x05, 0x06, 0x07, 0x08, 0x09]);
    }
    let mut records: Vec<Record> = Vec::new();
    let mut decoder = Decoder::new(config, Policy::Lenient);
    decoder.feed(&bytes, |record| records.push(*record));
    let mut file = Vec::new();
    let mut packets = Packets::new(&mut file).expect("a file");
    for record in &records {
        packets.packet(0x21, record, &config).expect("memory");
    }
    packets.finish().expect("memory");
    let (rows, _) = rows(file);
    assert_eq!(rows.len(), records.len());
    let mut addresses = 0;
    for (row, record) in rows.iter().zip(&records) {
        assert_eq!(*field(row, "offset"), Field::ULong(record.offset));
        assert_eq!(*field(row, "length"), Field::ULong(record.len));
        assert_eq!(*field(row, "suspect"), Field::Bool(record.suspect));
        let name = record.kind.listing_name().to_owned();
        assert_eq!(*field(row, "kind"), Field::Str(name));
        if record.kind.is_address() {
            let address = Field::ULong(record.address.value);
            assert_eq!(*field(row, "address"), address);
            addresses += 1;
        }
        if record.kind == Kind::AtomF3 {
            let pattern = Field::UInt(record.atoms.pattern());
            assert_eq!(
                (field(row, "atoms"), field(row, "pattern")),
                (&Field::UInt(3), &pattern)
            );
        }
    }
    assert!(addresses > 5, "{addresses}");
}

#[test]
fn packets_of_software_trace_have_their_columns() {
    let mut file = Vec::new();
    let mut packets = Packets::new(&mut file).expect("a file");
    let protocol = software_trace::Protocol::Itm(software_trace::ItmConfig::default());
    let stream = [
        &[0, 0, 0, 0, 0, 0x80][..],
        &[0x01, 0x41],             // software writes a byte to port 0
        &[0x0E, 0x0F, 0x10],       // the DWT: exception 15 begins
        &[0x17, 0x10, 0, 0, 0x08], // and a sample of the program counter
        &[0x04],
    ];
    let mut decoder = software_trace::Decoder::new(protocol, Policy::Resync);
    decoder.feed(&stream.concat(), |record| {
        packets.software(0x21, record).expect("memory");
    });
    packets.finish().expect("memory");
    let (rows, _) = rows(file);
    let want = [
        (0, 6, "ITM_ASYNC", ""),
        (6, 2, "ITM_SWIT", "data=65 port=0 size=1 "),
        (
            8,
            3,
            "ITM_DWT",
            "exception=15 data=4111 size=2 dwt=\"exception\" action=\"enter\" ",
        ),
        (
            11,
            5,
            "ITM_DWT",
            "address=134217744 data=134217744 size=4 dwt=\"pc-sample\" ",
        ),
    ];
    for (row, (offset, length, kind, rest)) in rows.iter().zip(want) {
        let want = format!(
            "offset={offset} trace_id=\"21\" protocol=\"ITM\" length={length} kind=\"{kind}\" {rest}suspect=false"
        );
        assert_eq!(values(row), want);
    }
}
