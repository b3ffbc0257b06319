// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow-table`: the table of a program.

mod common;

use std::fs;
use std::ops::Range;
use std::path::Path;

use common::{etm4, good, refused_in_one_line, store_bytes};
use coretrace_abi::flow_table::{LostReason, Trigger};
use coretrace_abi::registers::flow_csr::{TableHigh, TableLow, TableWrite};
use coretrace_isa::Isa;
use coretrace_sites::FlowTable;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64/sort.elf";

#[test]
fn the_table_of_a_program_has_its_branches() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("sort.table");
    let out = path.to_str().expect("text");
    let ran = etm4(&[
        "flow-table",
        "--elf",
        SORT,
        "--out",
        out,
        "--site-bits",
        "10",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let table = FlowTable::from_bytes(&fs::read(&path).expect("a table")).expect("a table");
    // The first branch of the program is a return.
    assert_eq!(table.rank(Isa::A64, 0, 0x40_0000), Ok(1));
    let exit = table.exit(1);
    assert!(exit.indirect && !exit.outside && !exit.link, "{exit:?}");
    assert_eq!(
        table.rank(Isa::A64, 0, 0x50_0000),
        Err(LostReason::NotLoaded)
    );
    let sites: usize = ran
        .stdout
        .trim_start()
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("a number");
    assert!(
        ran.stdout.contains(" of     1024  branches"),
        "{}",
        ran.stdout
    );
    assert!((20..200).contains(&sites), "{}", ran.stdout);
    let piped = etm4(&["flow-table", "--elf", SORT]);
    assert_eq!((piped.code, piped.stderr.as_str()), (0, ""));
    assert!(
        piped.stdout.contains(" of    32768  branches"),
        "{}",
        piped.stdout
    );
}

/// The writes of registers for the sort, with further options.
fn writes(options: &[&str]) -> Vec<(u32, u32)> {
    let sizes = ["--site-bits", "12", "--frame-bits", "6", "--axi", "-"];
    let ran = etm4(&[&["flow-table", "--elf", SORT][..], &sizes, options].concat());
    assert_eq!(ran.code, 0);
    let words = |line: &str| {
        let (offset, value) = line.split_once(' ').expect("two words");
        let hex = |word: &str| u32::from_str_radix(&word[2..], 16).expect("a number");
        (hex(offset), hex(value))
    };
    ran.stdout.lines().map(words).collect()
}

#[test]
fn the_writes_for_a_recompressor_have_the_branches_and_no_window() {
    let flow = writes(&[]);
    let branches = writes(&["--branches", "a64"]);
    let (tables, rules) = (flow.len() - 13, flow.len() - 12);
    assert_eq!(branches[..tables], flow[..tables]);
    // A word for each site and each row.
    assert_eq!(branches.len() - flow.len(), 3 * (4096 + 4096) - 1);
    assert_eq!(branches[branches.len() - 12..], flow[rules..]);
    let first = |kind: u32| (0x68, 1 << 31 | kind << 24);
    for kind in 4..6 {
        assert!(branches[tables..].contains(&first(kind)), "memory {kind}");
    }
    let sizes = ["--site-bits", "12", "--frame-bits", "6", "--axi", "-"];
    let t32 = [
        &["flow-table", "--elf", SORT, "--branches", "t32"][..],
        &sizes,
    ]
    .concat();
    refused_in_one_line(&t32, &["T32", "a64 or a32"]);
}

#[test]
fn the_writes_for_a_core_are_a_line_each() {
    let writes = writes(&[]);
    // Pages, buckets, rows, exits and runs, three writes a word; no window; and the rules, one for all contexts.
    assert_eq!(writes.len(), 3 * (2 * 1024 + 4096 + 2 * 4096 + 4) + 1);
    assert_eq!(writes[writes.len() - 13], (0x58, 0));
    let of_rules = &writes[writes.len() - 12..];
    assert_eq!(of_rules[0], (0x70, 0xFFFF_0001));
    assert!(of_rules[1..].iter().all(|(_, value)| *value == 0));
    let first = |kind: u32| {
        let place = 1 << 31 | kind << 24;
        writes.iter().any(|&(_, value)| value == place)
    };
    assert!((0..4).chain([6]).all(first));
    let other = ["flow-table", "--elf", SORT, "--axi", "-"];
    refused_in_one_line(&other, &["--site-bits 12 --frame-bits 6"]);
}

#[test]
fn code_that_fits_into_no_table_is_refused() {
    let small = ["flow-table", "--elf", SORT, "--site-bits", "4"];
    refused_in_one_line(&small, &["--site-bits", "room"]);
    refused_in_one_line(&["flow-table"], &["--elf", "no code"]);
    let wide = ["flow-table", "--elf", SORT, "--site-bits", "40"];
    refused_in_one_line(&wide, &["40 bits", "15"]);
    let images: Vec<String> = (0..5)
        .map(|vmid| format!("{SORT}@0x1000,vmid={vmid}"))
        .collect();
    let images = images.iter().flat_map(|image| ["--image", image]);
    let many: Vec<&str> = ["flow-table"].into_iter().chain(images).collect();
    refused_in_one_line(&many, &["5 rules of address spaces", "has 4"]);
}

#[test]
fn each_context_has_its_own_code() {
    let image = |cid| format!("{SORT}@0x1000,cid={cid}");
    let ran = etm4(&["flow-table", "--image", &image(1), "--image", &image(7)]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout.contains("2 of        4  address spaces"),
        "{}",
        ran.stdout
    );
}

#[test]
fn triggers_are_in_the_table_and_wrong_ones_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("sort.table");
    let out = path.to_str().expect("text");
    let table = |triggers: &[&str]| {
        let triggers = triggers.iter().flat_map(|trigger| ["--trigger", trigger]);
        let args = ["flow-table", "--elf", SORT, "--out", out].into_iter();
        let ran = etm4(&args.chain(triggers).collect::<Vec<_>>());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        FlowTable::from_bytes(&fs::read(&path).expect("a table")).expect("a table")
    };
    let with = table(&["start=walk", "stop=return:walk", "event=0x400280"]);
    let sites = 1..with.used_sites() as u32;
    let at = |trigger| {
        let has = |site: &u32| with.trigger_at(*site) == Some(trigger);
        sites.clone().filter(has).count()
    };
    let behind = |site: &u32| with.trigger_behind(*site) == Some(Trigger::Stop);
    assert_eq!(
        [at(Trigger::Start), at(Trigger::Stop), at(Trigger::Event)],
        [1, 0, 1]
    );
    let returns: Vec<u32> = sites.clone().filter(behind).collect();
    assert!(!returns.is_empty());
    for site in returns {
        let exit = with.exit(site);
        assert!(exit.indirect && !exit.link && !exit.outside, "{exit:?}");
    }
    assert_eq!(with.without_triggers(), table(&[]));

    for (trigger, says) in [("begin=walk", "start=PLACE"), ("start", "no place")] {
        let ran = etm4(&["flow-table", "--elf", SORT, "--trigger", trigger]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
    for (trigger, says) in [
        ("start=wolk", "wolk"),
        ("start=0x4004", "0x4004"),
        ("start=0xwalk", "0xwalk"),
    ] {
        refused_in_one_line(
            &["flow-table", "--elf", SORT, "--trigger", trigger],
            &[says],
        );
    }
    let both = ["--trigger", "start=walk", "--trigger", "stop=walk"];
    refused_in_one_line(
        &[&["flow-table", "--elf", SORT][..], &both].concat(),
        &["two triggers"],
    );
}

/// A table of the sort, made with these options.
fn table(folder: &Path, name: &str, options: &[&str]) -> (String, FlowTable) {
    let path = folder.join(name).display().to_string();
    let args = ["flow-table", "--elf", SORT, "--out", &path];
    good(&[&args[..], options].concat());
    let table = FlowTable::from_bytes(&fs::read(&path).expect("a table")).expect("a table");
    (path, table)
}

#[test]
fn code_is_where_a_running_process_has_it() {
    let folder = TempDir::new().expect("a folder");
    let maps = "\
5500000000-5500001000 r-xp 00000000 fe:00 11    /usr/bin/sort.elf
5500010000-5500011000 rw-p 00000000 fe:00 11    /usr/bin/sort.elf
7f80000000-7f80100000 r-xp 00020000 fe:00 12    /lib/libc.so.6
";
    let maps = store_bytes(folder.path(), "maps", maps.as_bytes());
    let (_, table) = table(folder.path(), "table", &["--maps", &maps]);
    assert_eq!(table.rank(Isa::A64, 0, 0x55_0000_0000), Ok(1));
    for elsewhere in [0x40_0000, 0x55_0001_0000] {
        let rank = table.rank(Isa::A64, 0, elsewhere);
        assert_eq!(rank, Err(LostReason::NotLoaded), "{elsewhere:#x}");
    }
    let ran = etm4(&["flow-table", "--elf", SORT, "--maps", &maps]);
    assert_eq!(ran.code, 0);
    let said = "note: /lib/libc.so.6 was mapped and no --elf names it";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(!ran.stderr.contains("sort.elf"), "{}", ran.stderr);
    refused_in_one_line(
        &["flow-table", "--elf", SORT, "--maps", SORT],
        &["cannot read"],
    );
}

#[test]
fn what_is_loaded_later_changes_no_number_and_few_words() {
    let folder = TempDir::new().expect("a folder");
    let sizes = ["--site-bits", "12", "--frame-bits", "6"];
    let (before, mut first) = table(folder.path(), "before", &sizes);
    let later = format!("{SORT}@0x300000");
    let axi = folder.path().join("axi").display().to_string();
    let options = ["--later", &later, "--loaded", &before, "--axi", &axi];
    let (_, both) = table(folder.path(), "both", &[&sizes[..], &options].concat());
    for address in [0x40_0000, 0x40_01A0, 0x40_0280] {
        let rank = |table: &FlowTable| table.rank(Isa::A64, 0, address);
        assert_eq!(rank(&both), rank(&first), "{address:#x}");
    }
    let behind = both.rank(Isa::A64, 0, 0x30_0000).expect("it is loaded");
    assert!(behind as usize > first.used_sites(), "{behind}");

    // With the writes the first table is the other one.
    let text = fs::read_to_string(&axi).expect("writes");
    let words = apply(&mut first, &axi);
    assert!(words < 200, "{words} words");
    assert!(first == both);
    let others: Vec<&str> = text.lines().skip(3 * words).collect();
    assert_eq!(others.len(), 13);
    assert!(others[0].ends_with(" 0x00000000"), "{}", others[0]);
    let small = [
        "flow-table",
        "--elf",
        SORT,
        "--loaded",
        &before,
        "--axi",
        "-",
    ];
    let wide = ["--site-bits", "13", "--frame-bits", "6"];
    refused_in_one_line(&[&small[..], &wide].concat(), &["--site-bits 12"]);
    let beside = format!("{SORT}@0x400800");
    refused_in_one_line(
        &["flow-table", "--elf", SORT, "--later", &beside],
        &["loaded later", "compile what is in it together"],
    );
}

/// Does the writes of a file; how many words of the table they are.
fn apply(table: &mut FlowTable, path: &str) -> usize {
    let text = fs::read_to_string(path).expect("writes");
    let (mut high, mut low, mut words) = (0, 0, 0);
    for line in text.lines() {
        let (offset, value) = line.split_once(' ').expect("two words");
        let number = |text: &str| u32::from_str_radix(&text[2..], 16).expect("a number");
        let (offset, value) = (number(offset), number(value));
        match offset {
            TableHigh::OFFSET => high = value,
            TableLow::OFFSET => low = value,
            TableWrite::OFFSET => {
                let index = (value & 0xFF_FFFF) as usize;
                let word = u64::from(high) << 32 | u64::from(low);
                words += 1;
                match value >> 24 & 7 {
                    0 => table.pages_mut()[index] = word,
                    1 => table.rows_mut()[index] = word,
                    2 => table.exits_mut()[index] = low,
                    3 => table.runs_mut()[index] = low as u8,
                    _ => table.buckets_mut()[index] = low as u16,
                }
            }
            _ => {}
        }
    }
    words
}

#[test]
fn a_shadow_copy_is_written_beside_the_active_table_and_swapped() {
    let folder = TempDir::new().expect("a folder");
    let sizes = ["--site-bits", "12", "--frame-bits", "6"];
    let (mut path, active) = table(folder.path(), "active", &sizes);
    let place = |name: &str| folder.path().join(name).display().to_string();
    let mut memories = active.clone();
    let mut used = active.used();
    let mut at = 0x40_0000;
    for round in 1..4 {
        let elf = format!("{SORT}@{:#x}", 0x100_0000 * round);
        let (ahead, swap, out) = (place("ahead"), place("swap"), place(&format!("out{round}")));
        let args = [
            "flow-table",
            "--elf",
            &elf,
            "--out",
            &out,
            "--shadow-of",
            &path,
        ];
        let files = ["--axi", &ahead, "--swap", &swap];
        good(&[&args[..], &sizes, &files].concat());
        let bytes = fs::read(&out).expect("a table");
        let shadow = FlowTable::from_bytes(&bytes).expect("a table");
        let own = shadow.used();
        let is_apart = |one: &Range<usize>, other: &Range<usize>| {
            one.end <= other.start || other.end <= one.start
        };
        assert!(is_apart(&own.sites, &used.sites), "{own:?} {used:?}");
        assert!(is_apart(&own.frames, &used.frames), "{own:?} {used:?}");

        // Ahead of the swap the program that is followed has all its words.
        let before = memories.clone();
        let rank = |table: &FlowTable, address| table.rank(Isa::A64, 0, address);
        apply(&mut memories, &ahead);
        for site in used.sites.start as u32..used.sites.end as u32 {
            assert_eq!(memories.exit(site), before.exit(site), "site {site}");
            assert_eq!(memories.run(site), before.run(site), "site {site}");
        }
        for unit in (0..0x280).step_by(4) {
            assert_eq!(rank(&memories, at + unit), rank(&before, at + unit));
        }
        let swapped = apply(&mut memories, &swap);
        assert!((1..100).contains(&swapped), "{swapped} words in the gap");
        assert_eq!(rank(&memories, at), Err(LostReason::NotLoaded));
        at = 0x100_0000 * round;
        for unit in (0..0x280).step_by(4) {
            assert_eq!(rank(&memories, at + unit), rank(&shadow, at + unit));
            assert!(rank(&shadow, at + unit).is_ok());
        }
        for site in own.sites.start as u32..own.sites.end as u32 {
            assert_eq!(memories.exit(site), shadow.exit(site), "site {site}");
            assert_eq!(memories.run(site), shadow.run(site), "site {site}");
        }
        (path, used) = (out, own);
    }
    let args = ["flow-table", "--elf", SORT, "--shadow-of", &path];
    let axi = ["--axi", "-"];
    refused_in_one_line(&[&args[..], &sizes, &axi].concat(), &["--swap"]);
    refused_in_one_line(&args, &["another size"]);
}

#[test]
fn a_table_has_only_the_code_that_is_wanted() {
    let folder = TempDir::new().expect("a folder");
    let only = ["--only", "qs.constprop.0", "--only", "0x4001a0-0x4001d8"];
    let (_, table) = table(folder.path(), "table", &only);
    for (address, is_in) in [
        (0x40_019C, false),
        (0x40_01A0, true),
        (0x40_01D4, true),
        (0x40_01D8, false),
        (0x40_027C, false),
        (0x40_0280, true),
    ] {
        let site = table.rank(Isa::A64, 0, address);
        let is_code = site.is_ok_and(|site| !table.exit(site).outside);
        assert_eq!(is_code, is_in, "{address:#x}");
    }
    let refused = |only: &str, says: &str| {
        refused_in_one_line(&["flow-table", "--elf", SORT, "--only", only], &[says]);
    };
    refused("wolk", "no function is called wolk");
    refused("0x400000-0x300000", "no range of addresses");
    refused("0x900000-0xa00000", "there is no code at");
    refused("0x9", "no function is at 0x9");
}
