// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile`: sums that balance, in every format, and names that do no harm.

mod common;
mod entries;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{etm4, good, make_records, refused, store, store_bytes};
use coretrace_abi::profile_stream::{Entry, EntryKind};
use coretrace_profile::entry_of;
use coretrace_streams::{Item, Reader};
use entries::{store_entries, target};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const ADPCM: &str = "testbench/traces/adpcm-a32";

fn objects(args: &[&str]) -> Vec<Value> {
    let listed = good(&[args, &["--format", "json"]].concat());
    listed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn sum(objects: &[Value], name: &str, key: &str) -> u64 {
    let rows = objects.iter().filter(|object| object["type"] == name);
    rows.map(|row| row[key].as_u64().expect("a number")).sum()
}

/// Offsets in the file that [`program`] writes.
const SECTIONS: u64 = 64;
const SYMBOLS: u64 = SECTIONS + 4 * 64;
const STRINGS: u64 = SYMBOLS + 2 * 24;

/// A small ELF file in which the symbol `name` covers 64 bytes from `value` on.
fn program(folder: &Path, name: &str, value: u64) -> String {
    let strings = [b"\0", name.as_bytes(), b"\0"].concat();
    let magic = u64::from_le_bytes(*b"\x7fELF\x02\x01\x01\0");
    let (no_bits, symbol_table, string_table) = (8 << 32, 2 << 32, 3 << 32);
    let executable = 2 | 183 << 16 | 1 << 32;
    let sizes = [64 << 32, 64 << 16 | 4 << 32 | 3 << 48];
    let function = 1 | 0x12 << 32 | 1 << 48;
    let words = [
        &[magic, 0, executable, 0, 0, SECTIONS, sizes[0], sizes[1]],
        &[0; 8],
        &[no_bits, 6, 0, 0, 0x1000, 0, 4, 0],
        &[symbol_table, 0, 0, SYMBOLS, 48, 3 | 1 << 32, 8, 24],
        &[string_table, 0, 0, STRINGS, strings.len() as u64, 0, 1, 0],
        &[0, 0, 0, function, value, 64][..],
    ];
    let mut bytes: Vec<u8> = words
        .concat()
        .into_iter()
        .flat_map(u64::to_le_bytes)
        .collect();
    bytes.extend(strings);
    store_bytes(folder, "program.elf", &bytes)
}

#[test]
fn sums_balance_with_the_packets() {
    for capture in [SORT, ADPCM] {
        let folder = TempDir::new().expect("a folder");
        let file = make_records(folder.path(), capture, &[]);
        let packets = objects(&["packets", capture]);
        let rows = objects(&["profile", &file]);
        assert!(rows.iter().all(|row| row["schema"] == "etm4.profile.1"));
        let count = |part: &str| {
            let named = |p: &&Value| p["type"].as_str().is_some_and(|name| name.contains(part));
            packets.iter().filter(named).count() as u64
        };
        let known = packets.iter().filter(|packet| packet["unknown"] == false);
        let bits = |text: &str| u64::from_str_radix(&text[2..], 16).expect("bits");
        let cycles: u64 = known
            .map(|p| bits(p["count"].as_str().expect("text")))
            .sum();
        let want = [
            ("targets", "address", "count", count("_ADDR_")),
            (
                "exceptions",
                "exception",
                "count",
                count("I_EXCEPT") - count("I_EXCEPT_RTN"),
            ),
            ("events", "event", "count", count("I_EVENT")),
            ("cycles", "address", "cycles", cycles),
        ];
        for (total, name, key, want) in want {
            assert_eq!(sum(&rows, "source", total), want, "{capture}: {total}");
            assert_eq!(sum(&rows, name, key), want, "{capture}: {name}");
            assert_eq!(
                sum(&rows, "time", total),
                want,
                "{capture}: {total} over time"
            );
        }
        assert!(sum(&rows, "source", "targets") > 1000, "{capture}");
    }
}

#[test]
fn a_profile_stream_gives_the_rows_of_its_record_stream() {
    let folder = TempDir::new().expect("a folder");
    let file = make_records(folder.path(), ADPCM, &[]);
    let mut reader = Reader::new();
    let (mut entries, mut id) = (Vec::new(), 0);
    reader.bytes(&fs::read(&file).expect("made"), |item: Item<'_>| {
        if let Item::Start(start) = item {
            id = start.trace_id;
        }
        entries.extend(entry_of(id, &item));
    });
    reader.finish(|item| panic!("{item:?}"));
    // A core sends entries in a different order than their events.
    entries.reverse();
    let on_chip = store_entries(folder.path(), &entries);
    for format in ["tsv", "text"] {
        let rows = |file: &str| {
            let all = good(&["profile", file, "--format", format]);
            let of_sums = all.lines().filter(|line| !line.contains("\t-\t"));
            of_sums.map(str::to_owned).collect::<Vec<String>>()
        };
        assert_eq!(rows(&on_chip), rows(&file), "{format}");
    }
    let both = objects(&["profile", &file, &on_chip]);
    let one = objects(&["profile", &file]);
    assert_eq!(
        sum(&both, "address", "count"),
        2 * sum(&one, "address", "count")
    );
}

#[test]
fn tsv_has_the_fields_of_json() {
    let folder = TempDir::new().expect("a folder");
    let file = make_records(folder.path(), ADPCM, &[]);
    let rows = objects(&["profile", &file]);
    let table = good(&["profile", &file, "--format", "tsv"]);
    assert_eq!(table.lines().count(), rows.len());
    for (line, object) in table.lines().zip(rows) {
        let mut columns = line.split('\t');
        assert_eq!(columns.next(), object["type"].as_str());
        let id = object.get("id").map_or("-".to_owned(), |id| {
            format!("{:02x}", id.as_u64().expect("an ID"))
        });
        assert_eq!(columns.next(), Some(id.as_str()));
        for field in columns {
            let (key, value) = field.split_once('=').expect("key=value");
            let reported = object[key]
                .as_str()
                .map_or(object[key].to_string(), str::to_owned);
            assert_eq!(reported, value, "{line}");
        }
    }
}

#[test]
fn the_text_has_the_hottest_addresses_first() {
    let folder = TempDir::new().expect("a folder");
    let entries: Vec<Entry> = (1..=30).map(|n| target(0x1000 * n, n as u32)).collect();
    let file = store_entries(folder.path(), &entries);
    let addresses = |more: &[&str]| -> Vec<u64> {
        let text = good(&[&["profile", &file], more].concat());
        let columns = text
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3));
        let hex = columns.filter_map(|column| column.strip_prefix("0x"));
        hex.map(|digits| u64::from_str_radix(digits, 16).expect("hex"))
            .collect()
    };
    let hottest: Vec<u64> = (1..=30).rev().map(|n| 0x1000 * n).collect();
    assert_eq!(addresses(&[]), hottest[..20]);
    assert_eq!(addresses(&["--top", "3"]), hottest[..3]);
    assert_eq!(addresses(&["--top", "100"]), hottest);
    assert!(good(&["profile", &file]).contains("10  more addresses"));
}

#[test]
fn losses_and_marks_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let of = |kind, weight| Entry {
        kind,
        trace_id: 0x10,
        weight,
        key: 0,
    };
    let mut entries = vec![
        of(EntryKind::Start, 1),
        target(0x8000, 5),
        of(EntryKind::Mark, 1),
    ];
    entries.extend([
        of(EntryKind::Lost, 3),
        target(0x8000, 2),
        of(EntryKind::Lost, 4),
    ]);
    let rows = objects(&["profile", &store_entries(folder.path(), &entries)]);
    assert_eq!(rows[0]["axis"], "mark");
    let in_time = |key: &str| -> Vec<u64> {
        let times = rows.iter().filter(|row| row["type"] == "time");
        times
            .map(|row| row[key].as_u64().expect("a number"))
            .collect()
    };
    assert_eq!(
        (in_time("targets"), in_time("losses")),
        (vec![5, 2], vec![0, 2])
    );
    let source = rows
        .iter()
        .find(|row| row["type"] == "source")
        .expect("a source");
    assert_eq!(
        (&source["starts"], &source["losses"]),
        (&1.into(), &2.into())
    );
    assert_eq!(source["lost_words"], 4);
}

/// Checks that every tag of a page is closed in the right order, and returns its tags.
fn tags(page: &str) -> BTreeMap<String, usize> {
    let mut open = Vec::new();
    let mut seen = BTreeMap::new();
    for after in page.split('<').skip(1) {
        let (tag, _) = after.split_once('>').unwrap_or_else(|| panic!("<{after}"));
        let name = tag.split_whitespace().next().expect("a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{after}"),
            None if matches!(name, "!DOCTYPE" | "meta") => {}
            None => open.push(name),
        }
        *seen.entry(name.to_owned()).or_default() += 1;
    }
    assert!(open.is_empty(), "{open:?}");
    seen
}

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let folder = TempDir::new().expect("a folder");
    let file = make_records(folder.path(), ADPCM, &[]);
    let out = folder.path().join("page.html").display().to_string();
    let args = ["profile", &file, "--format", "html", "--top", "4"];
    assert_eq!(good(&[&args[..], &["--out", &out]].concat()), "");
    let page = fs::read_to_string(&out).expect("written");
    assert_eq!(page, good(&args));
    let tags = tags(&page);
    // Address packets, cycles and events over time; no exceptions are in this trace.
    assert_eq!(tags["svg"], 3);
    // All sources, addresses, events.
    assert_eq!(tags["table"], 3);
    for word in ["script", "http", "src=", "href", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("4 hottest of 7 addresses"), "{page}");
}

#[test]
fn names_of_symbols_do_no_harm() {
    let folder = TempDir::new().expect("a folder");
    let name = "<script>alert('1')</script>&\t\"\u{1b}[2J\n";
    let elf = program(folder.path(), name, 0x10);
    let file = store_entries(folder.path(), &[target(0x20, 1)]);
    let report = |format: &str| good(&["profile", &file, "--elf", &elf, "--format", format]);

    let page = report("html");
    assert!(!tags(&page).contains_key("script"));
    assert!(page.contains("&lt;script&gt;alert("), "{page}");
    for format in ["html", "text", "tsv"] {
        assert!(!report(format).contains('\u{1b}'), "{format}");
    }
    let escaped = name.escape_debug().to_string();
    assert!(report("text").contains(&format!("{escaped}+0x10\n")));
    let row = report("tsv")
        .lines()
        .last()
        .map(str::to_owned)
        .expect("a row");
    assert_eq!(row.split('\t').count(), 8, "{row}");
    let rows = objects(&["profile", &file, "--elf", &elf]);
    assert_eq!(rows.last().expect("a row")["symbol"], name);
}

#[test]
fn t32_functions_are_found_with_their_bit_0() {
    let folder = TempDir::new().expect("a folder");
    let elf = program(folder.path(), "blink", 0x41);
    let file = store_entries(
        folder.path(),
        &[target(0x41, 9), target(0x47, 5), target(0x3F, 1)],
    );
    let rows = objects(&["profile", &file, "--elf", &elf]);
    let addresses: Vec<&Value> = rows.iter().filter(|row| row["type"] == "address").collect();
    for (row, (addr, offset)) in addresses.iter().zip([("0x40", "0x0"), ("0x46", "0x6")]) {
        assert_eq!((&row["addr"], &row["is"]), (&addr.into(), &1.into()));
        assert_eq!(
            (&row["symbol"], &row["offset"]),
            (&"blink".into(), &offset.into())
        );
    }
    assert!(addresses[2].get("symbol").is_none(), "{}", addresses[2]);
}

#[test]
fn programs_are_named_where_they_were_loaded() {
    let folder = TempDir::new().expect("a folder");
    let elf = program(folder.path(), "main", 0x10);
    let other = fs::canonicalize(&elf)
        .expect("written")
        .with_file_name("at@home.elf");
    fs::copy(&elf, &other).expect("copied");
    let other = other.display().to_string();
    let addresses = [0x10, 0x5555_0010, 0x7F_0000_0010];
    let entries = addresses.map(|address| target(address, 1));
    let file = store_entries(folder.path(), &entries);
    let moved = format!("{elf}@0x55550000");
    let rows = objects(&[
        "profile",
        &file,
        "--elf",
        &moved,
        "--elf",
        &format!("{other}@0x7f00000000"),
    ]);
    let is_address = |row: &&Value| row["type"] == "address";
    let named = rows.iter().filter(is_address).map(|row| {
        let symbol = row.get("symbol").and_then(Value::as_str);
        (row["addr"].as_str().expect("an address"), symbol)
    });
    let named: BTreeMap<&str, Option<&str>> = named.collect();
    let want = [
        ("0x10", None),
        ("0x55550010", Some("main")),
        ("0x7f00000010", Some("main")),
    ];
    assert_eq!(named, BTreeMap::from(want));
    let stays = objects(&["profile", &file, "--elf", &other]);
    assert!(stays.iter().any(|row| row["symbol"] == "main"), "{stays:?}");
}

const CHANGED_BITS: u64 = 0x5A;

/// A function whose name is in the symbols of this test.
#[inline(never)]
fn called_by_the_test(number: u64) -> u64 {
    number ^ CHANGED_BITS
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_of_this_program_has_its_name_and_line() {
    use object::{Object, ObjectSymbol};

    let name = "called_by_the_test";
    let folder = TempDir::new().expect("a folder");
    let path = std::env::current_exe().expect("a program");
    let mut bytes = fs::read(&path).expect("this program");
    common::for_arm(&mut bytes);
    let path = store_bytes(folder.path(), "program.elf", &bytes);
    let elf = object::File::parse(&bytes[..]).expect("an ELF file");
    let mut symbols = elf.symbols();
    let symbol = symbols.find(|symbol| symbol.name().is_ok_and(|mangled| mangled.contains(name)));
    let address = called_by_the_test(symbol.expect("a symbol").address()) ^ CHANGED_BITS;
    let file = store_entries(folder.path(), &[target(address, 1)]);
    let rows = objects(&["profile", &file, "--elf", &path]);
    let row = rows.last().expect("a row");
    assert_eq!(
        row["symbol"].as_str().map(|symbol| symbol.ends_with(name)),
        Some(true),
        "{row}"
    );
    assert_eq!(row["offset"], "0x0");
    assert!(
        row["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("profile.rs")),
        "{row}"
    );
    let begins = |line: &str| line.starts_with("fn called_by_the_test");
    let line = include_str!("profile.rs")
        .lines()
        .position(begins)
        .expect("the function") as u64
        + 1;
    assert!(
        (line..line + 3).contains(&row["line"].as_u64().expect("a line")),
        "{row}"
    );
}

#[test]
fn wrong_use_is_one_error_that_says_what_to_do() {
    let folder = TempDir::new().expect("a folder");
    let file = store_entries(folder.path(), &[target(0x20, 1)]);
    let damaged = store(folder.path(), "damaged", &[0x0F, 0, 0, 0]);
    let elf = program(folder.path(), "main", 0);
    let whole = fs::read(elf).expect("written");
    let cut = store_bytes(folder.path(), "cut.elf", &whole[..80]);
    let mut for_x86 = whole.clone();
    for_x86[18] = 62;
    let for_x86 = store_bytes(folder.path(), "x86.elf", &for_x86);
    let nowhere = folder.path().join("no/out").display().to_string();
    for (args, words) in [
        (&["profile"][..], &["<FILE>"][..]),
        (
            &["profile", "no-such-file"],
            &["no-such-file", "is the name right"],
        ),
        (&["profile", "testbench"], &["capture.toml", "snapshot.ini"]),
        (&["profile", &damaged], &["word 0", "neither"]),
        (
            &["profile", &file, "--elf", "no-such.elf"],
            &["no-such.elf", "ELF"],
        ),
        (
            &["profile", &file, "--elf", "README.md"],
            &["README.md", "ELF"],
        ),
        (&["profile", &file, "--elf", &cut], &["cut.elf", "ELF"]),
        (
            &["profile", &file, "--elf", "a.elf@0x10000000000000000"],
            &["0x10000000000000000", "64 bits", "a.elf@0x1000"],
        ),
        (
            &["profile", &file, "--elf", &for_x86],
            &["x86.elf", "X86_64, not AArch64 or Arm"],
        ),
        (&["profile", &file, "--out", &nowhere], &["cannot write"]),
    ] {
        refused(args, words);
    }
}

#[test]
fn a_file_that_was_cut_or_is_empty_is_a_warning() {
    let folder = TempDir::new().expect("a folder");
    let [a, b, c, _] = target(0x20, 1).words();
    let file = store(folder.path(), "cut", &[a, b, c, 0, a, b]);
    let ran = etm4(&["profile", &file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("ends after 24 bytes"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("\n1 address packets, 1 addresses"),
        "{}",
        ran.stdout
    );
    let file = store(folder.path(), "empty", &[0; 5]);
    let ran = etm4(&["profile", &file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("nothing is in it"), "{}", ran.stderr);
    let file = store_bytes(folder.path(), "short", &[1; 15]);
    let ran = etm4(&["profile", &file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("ends after 15 bytes"), "{}", ran.stderr);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_bytes_are_added_up_or_refused(
        mut bytes in prop::collection::vec(any::<u8>(), 1..2000),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let folder = TempDir::new().expect("a folder");
        let elf = program(folder.path(), "main", 0);
        let mut elf = fs::read(elf).expect("written");
        for (at, value) in flips {
            let at = at.index(elf.len());
            elf[at] = value;
        }
        let elf = store_bytes(folder.path(), "flipped.elf", &elf);
        // The low four bits are a kind of entry.
        bytes[0] = bytes[0] & 0xF0 | (bytes[0] % 7 + 1);
        let file = store_bytes(folder.path(), "any", &bytes);
        let sound = store_entries(folder.path(), &[target(0x20, 1)]);
        for format in ["text", "tsv", "json", "html"] {
            for args in [&[file.as_str()][..], &[&sound, "--elf", &elf]] {
                let ran = etm4(&[&["profile", "--format", format], args].concat());
                let is_error = ran.stderr.contains("error: ");
                prop_assert_eq!(ran.code == 2, is_error, "{}", ran.stderr);
                // The bytes may have no source.
                let codes = if args[0] == file { 0..=1 } else { 0..=0 };
                prop_assert!(is_error || codes.contains(&ran.code), "{}", ran.stderr);
            }
        }
    }
}
