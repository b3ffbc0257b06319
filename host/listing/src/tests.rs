// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of fields that OpenCSD does not print; other tests compare the rest with its lists.

use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Record, Registers};

use super::{Item, Line, Value, What, item_json, item_text, item_tsv, json, text, tsv};
use coretrace_decode::{Decoder, Policy};

const SYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];

fn config(protocol: Protocol) -> Config {
    let registers = Registers::from_values(&[
        0x0001_0703,
        0x0801_8EF9,
        0x4100_F463,
        0x1000_1088,
        32,
        0x4773_5A13,
    ]);
    Config::new(protocol, ArchProfile::A, &registers)
}

/// The line of the last packet of `packets`, in one of the formats.
fn last(format: fn(&mut String, &Line<'_>), protocol: Protocol, packets: &[u8]) -> String {
    let bytes = [&SYNC, packets].concat();
    let config = config(protocol);
    let mut decoder = Decoder::new(config, Policy::Lenient);
    let mut out = String::new();
    let mut sink = |record: &Record| {
        let raw = &bytes[record.offset as usize..][..record.len as usize];
        out.clear();
        format(
            &mut out,
            &Line {
                id: 0x1F,
                record,
                raw,
                config: &config,
            },
        );
    };
    decoder.feed(&bytes, &mut sink);
    decoder.finish(&mut sink);
    out
}

/// The fields of the last packet in the text format.
fn fields_of(protocol: Protocol, packets: &[u8]) -> String {
    let line = last(text, protocol, packets);
    let end = line.find(" [").expect("bytes at the end");
    let name = line["         0  1f  ".len()..end].trim_start();
    let after_name = name.find(' ').map_or("", |at| &name[at..]);
    after_name.trim().to_owned()
}

#[test]
fn fields_that_opencsd_does_not_print_are_in_the_text() {
    for (packet, want) in [
        (&[0x7A][..], "events=0xa"),
        (&[0x25], "num=5"),
        (&[0x2B], "atoms=EEE"),
        (
            &[0x0E, 0x83, 0x01, 0x85, 0x01],
            "count=0x85 unknown=0 commit=131",
        ),
        (&[0x0F, 0x03], "count=0x0 unknown=1 commit=3"),
        (&[0x0D, 0xF5], "count=0x5 unknown=0 commit=32"),
        (&[0x1F], "count=0x3 unknown=0 commit=4"),
        (
            &[0x01, 0x0F, 1, 0x83, 1, 5, 4],
            "info=0x1 cc=1 threshold=0x4 key=131 spec=5",
        ),
        (&[0x06, 0x5D], "exc=IRQ interp=3 number=14"),
        (&[0x6C, 0x85, 0x01], "key=133"),
        (&[0x42], "form=2"),
        (&[0x6D, 0x0B], "num=5 same_key=1"),
        (
            &[0x6A, 0x32, 0x41],
            "ci=0 key=3 result=0x2 ci1=1 key1=4 result1=0x1",
        ),
        (&[0x6F, 0xA2, 0x01], "ci=1 key=10 result=0x2"),
        (&[0x4D], "skip=1 token=1"),
        (&[0x5A, 0x1B], "tokens=0xa1b"),
        (&[0x46], "token=2"),
        (&[0x9B, 0x02, 0, 0, 0], "addr=0x0000000000000004 is=1"),
        (&[0x47, 0xF7], "atoms=E suspect=1"),
    ] {
        assert_eq!(fields_of(Protocol::Etm4, packet), want, "{packet:02x?}");
    }
    for (packet, want) in [
        (&[0x81, 0x19][..], "sf=1 el=1 sec=Root nse=1"),
        (&[0x81, 0x29], "sf=0 el=1 sec=Realm nse=1"),
        (
            &[0x09, 1, 8, 7, 6, 5, 4, 3, 2, 1],
            "el=1 payload=0x0102030405060708",
        ),
    ] {
        assert_eq!(fields_of(Protocol::Ete, packet), want, "{packet:02x?}");
    }
}

#[test]
fn the_table_for_opencsd_has_only_what_opencsd_prints() {
    for (packet, want) in [
        (&[0x7A][..], "I_EVENT\toff=12\tlen=1\traw=7a"),
        (&[0x1F], "I_CCNT_F3\toff=12\tlen=1\tcount=0x3\traw=1f"),
        (
            &[0x06, 0x5D],
            "I_EXCEPT\toff=12\tlen=2\texc=IRQ\tinterp=0\traw=065d",
        ),
        (
            &[0x00, 0x44],
            "I_BAD_SEQUENCE\toff=12\tlen=2\terr=I_EXTENSION\traw=0044",
        ),
        (
            &[0x00, 0x00],
            "I_INCOMPLETE_EOT\toff=12\tlen=2\terr=I_ASYNC\traw=0000",
        ),
        (
            &[0x00],
            "I_INCOMPLETE_EOT\toff=12\tlen=1\terr=I_EXTENSION\traw=00",
        ),
    ] {
        let row = last(tsv, Protocol::Etm4, packet);
        assert_eq!(row, format!("12\t1f\t{want}\n"));
    }
    let realm = last(tsv, Protocol::Ete, &[0x81, 0x29]);
    assert!(
        realm.ends_with("\tI_CTXT\toff=12\tlen=2\tsf=0\tel=1\tsec=NS\traw=8129\n"),
        "{realm}"
    );
    let unused = last(tsv, Protocol::Ete, &[0x07]);
    assert!(unused.ends_with("\terr=I_EXCEPT_RTN\traw=07\n"), "{unused}");
}

#[test]
fn json_has_numbers_flags_and_strings() {
    assert_eq!(
        last(json, Protocol::Etm4, &[0x0D, 0xF5]),
        "{\"schema\":\"etm4.packet.1\",\"id\":31,\"type\":\"I_CCNT_F2\",\"off\":12,\"len\":2,\
         \"count\":\"0x5\",\"unknown\":false,\"commit\":32,\"raw\":\"0df5\"}\n"
    );
}

#[test]
fn an_item_has_its_number_where_a_packet_has_its_place() {
    let config = config(Protocol::Etm4);
    let record = Record {
        header: 0x7A,
        ..Record::blank(Kind::Event)
    };
    let loss = [("words", Value::Number(7))];
    for (what, want) in [
        (
            What::Record(&record, &config),
            [
                "        12  1f  I_EVENT             events=0xa\n",
                "12\t1f\tI_EVENT\n",
                "{\"schema\":\"etm4.record.1\",\"id\":31,\"type\":\"I_EVENT\",\"item\":12,\
                 \"events\":\"0xa\"}\n",
            ],
        ),
        (
            What::Event("LOST", &loss),
            [
                "        12  1f  LOST                words=7\n",
                "12\t1f\tLOST\twords=7\n",
                "{\"schema\":\"etm4.record.1\",\"id\":31,\"type\":\"LOST\",\"item\":12,\
                 \"words\":7}\n",
            ],
        ),
    ] {
        let item = Item {
            id: 0x1F,
            number: 12,
            what,
        };
        for (format, want) in [item_text, item_tsv, item_json].into_iter().zip(want) {
            let mut out = String::new();
            format(&mut out, &item);
            assert_eq!(out, want);
        }
    }
}
