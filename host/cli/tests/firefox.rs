// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profile that `etm4 flow` writes for the Firefox Profiler, read back strictly by the tables of its format.

mod common;

use std::collections::BTreeMap;

use common::{good, shared};
use serde_json::Value;

const SORT: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";

/// Weights of stacks, `a;b;c`.
type Stacks = BTreeMap<String, u64>;

/// The stacks of the folded listing.
fn folded(args: &[&str]) -> Stacks {
    let text = good(&[args, &["--format", "folded"]].concat());
    let rows = text.lines().map(|line| {
        let (stack, count) = line.rsplit_once(' ').expect("a count");
        (stack.to_owned(), count.parse().expect("a number"))
    });
    rows.collect()
}

/// The version of Firefox's processed profile whose tables these are.
const VERSION: u64 = 55;

const META: &[&str] = &[
    "categories",
    "debug",
    "extensions",
    "interval",
    "markerSchema",
    "pausedRanges",
    "preprocessedProfileVersion",
    "processType",
    "product",
    "sampleUnits",
    "sourceCodeIsNotOnSearchfox",
    "startTime",
    "symbolicated",
    "usesOnlyOneStackType",
    "version",
];

const PROFILE: &[&str] = &[
    "counters",
    "libs",
    "meta",
    "pages",
    "profilerOverhead",
    "threads",
];

const THREAD: &[&str] = &[
    "frameTable",
    "funcTable",
    "isMainThread",
    "markers",
    "name",
    "nativeSymbols",
    "pausedRanges",
    "pid",
    "processName",
    "processShutdownTime",
    "processStartupTime",
    "processType",
    "registerTime",
    "resourceTable",
    "samples",
    "showMarkersInTimeline",
    "stackTable",
    "stringArray",
    "tid",
    "unregisterTime",
];

/// The tables of a thread, with their columns.
const TABLES: [(&str, &[&str]); 7] = [
    (
        "frameTable",
        &[
            "address",
            "category",
            "column",
            "func",
            "inlineDepth",
            "innerWindowID",
            "line",
            "nativeSymbol",
            "subcategory",
        ],
    ),
    (
        "funcTable",
        &[
            "columnNumber",
            "fileName",
            "isJS",
            "lineNumber",
            "name",
            "relevantForJS",
            "resource",
        ],
    ),
    (
        "markers",
        &["category", "data", "endTime", "name", "phase", "startTime"],
    ),
    (
        "nativeSymbols",
        &["address", "functionSize", "libIndex", "name"],
    ),
    ("resourceTable", &["host", "lib", "name", "type"]),
    (
        "samples",
        &["stack", "threadCPUDelta", "timeDeltas", "weight"],
    ),
    ("stackTable", &["frame", "prefix"]),
];

/// An object has these keys and no more.
fn check_keys(object: &Value, keys: &[&str], place: &str) {
    let mut found: Vec<&str> = object
        .as_object()
        .unwrap_or_else(|| panic!("{place} is no object"))
        .keys()
        .map(String::as_str)
        .collect();
    found.sort_unstable();
    assert_eq!(found, keys, "{place}");
}

/// A table of a thread, every column of which has its length.
struct Table<'a>(&'a Value, usize);

impl<'a> Table<'a> {
    fn of(thread: &'a Value, name: &str, columns: &[&str]) -> Table<'a> {
        let table = &thread[name];
        let mut keys = [columns, &["length"]].concat();
        if name == "samples" {
            keys.push("weightType");
        }
        keys.sort_unstable();
        check_keys(table, &keys, name);
        let length = table["length"].as_u64().expect("a length") as usize;
        for column in columns {
            let values = table[*column].as_array().expect("a column");
            assert_eq!(values.len(), length, "{name}.{column}");
        }
        Table(table, length)
    }

    fn column(&self, name: &str) -> &'a [Value] {
        self.0[name].as_array().expect("a column")
    }

    /// A column of indices that are below this.
    fn indices(&self, name: &str, below: usize) -> Vec<usize> {
        let index = |value: &Value| value.as_u64().expect("an index") as usize;
        let indices: Vec<usize> = self.column(name).iter().map(index).collect();
        assert!(indices.iter().all(|index| *index < below), "{name}");
        indices
    }

    /// The same, some of which may be absent.
    fn optional(&self, name: &str, below: usize) -> Vec<Option<usize>> {
        let index =
            |value: &Value| (!value.is_null()).then(|| value.as_u64().expect("an index") as usize);
        let indices: Vec<Option<usize>> = self.column(name).iter().map(index).collect();
        assert!(
            indices.iter().flatten().all(|index| *index < below),
            "{name}"
        );
        indices
    }
}

/// Reads a thread of a profile strictly; the weights of its stacks.
fn read_thread(thread: &Value, categories: &[Value]) -> Stacks {
    check_keys(thread, THREAD, "thread");
    let [
        frames,
        functions,
        markers,
        symbols,
        resources,
        samples,
        stacks,
    ] = TABLES.map(|(name, columns)| Table::of(thread, name, columns));
    let strings: Vec<&str> = thread["stringArray"]
        .as_array()
        .expect("strings")
        .iter()
        .map(|string| string.as_str().expect("text"))
        .collect();
    for (name, begin, end) in [
        ("process", "processStartupTime", "processShutdownTime"),
        ("thread", "registerTime", "unregisterTime"),
    ] {
        assert!(thread[begin].as_f64() >= Some(0.0), "{name}");
        assert!(thread[end].is_null() || thread[end].as_f64() >= thread[begin].as_f64());
    }
    // Labels have no code, and no marker is written.
    assert_eq!((symbols.1, resources.1, markers.1), (0, 0, 0));

    let names = functions.indices("name", strings.len());
    let has_no_resource = |value: &Value| value.as_i64() == Some(-1);
    assert!(functions.column("resource").iter().all(has_no_resource));
    for flag in ["isJS", "relevantForJS"] {
        assert!(
            functions.column(flag).iter().all(Value::is_boolean),
            "{flag}"
        );
    }
    let of = frames.indices("func", functions.1);
    frames.optional("nativeSymbol", symbols.1);
    let category = frames.indices("category", categories.len());
    for (category, sub) in category.into_iter().zip(frames.column("subcategory")) {
        let all = categories[category]["subcategories"].as_array();
        assert!(sub.as_u64() < all.map(|all| all.len() as u64), "{sub}");
    }
    for address in frames.column("address") {
        assert!(address.as_i64() >= Some(-1), "{address}");
    }

    let frame = stacks.indices("frame", frames.1);
    let prefix = stacks.optional("prefix", stacks.1);
    let mut paths: Vec<String> = Vec::new();
    for (stack, (frame, prefix)) in frame.into_iter().zip(prefix).enumerate() {
        assert!(prefix.is_none_or(|prefix| prefix < stack), "{stack}");
        let name = strings[names[of[frame]]];
        let before = prefix.map(|prefix| format!("{};", paths[prefix]));
        paths.push(before.unwrap_or_default() + name);
    }

    assert_eq!(samples.0["weightType"], "samples");
    for name in ["timeDeltas", "threadCPUDelta"] {
        // Times ascend.
        let is_time = |value: &Value| value.as_f64() >= Some(0.0);
        assert!(samples.column(name).iter().all(is_time), "{name}");
    }
    let mut weights = Stacks::new();
    let of_samples = samples.optional("stack", stacks.1).into_iter();
    for (stack, weight) in of_samples.zip(samples.column("weight")) {
        let path = stack.map_or("", |stack| &paths[stack]);
        let weight = weight.as_u64().expect("a weight");
        *weights.entry(path.to_owned()).or_default() += weight;
    }
    weights.retain(|_, weight| *weight > 0);
    weights
}

/// Reads a profile strictly; the weights of its stacks, which begin with the thread if there are several.
fn read_firefox(text: &str) -> Stacks {
    let profile: Value = serde_json::from_str(text).expect("JSON");
    check_keys(&profile, PROFILE, "profile");
    let meta = &profile["meta"];
    check_keys(meta, META, "meta");
    assert_eq!(meta["preprocessedProfileVersion"], VERSION);
    assert_eq!(
        (&meta["product"], &meta["symbolicated"]),
        (&"etm4".into(), &true.into())
    );
    assert!(meta["interval"].as_f64() > Some(0.0));
    assert_eq!(meta["startTime"], 0.0);
    let categories = meta["categories"].as_array().expect("categories");
    for category in categories {
        check_keys(category, &["color", "name", "subcategories"], "category");
    }
    let threads = profile["threads"].as_array().expect("threads");
    let mut all = Stacks::new();
    let mut tids = Vec::new();
    for thread in threads {
        tids.push(thread["tid"].as_str().expect("text"));
        let name = thread["name"].as_str().expect("a name");
        for (stack, weight) in read_thread(thread, categories) {
            let path = match (threads.len(), stack.is_empty()) {
                (1, _) => stack,
                (_, true) => name.to_owned(),
                (_, false) => format!("{name};{stack}"),
            };
            *all.entry(path).or_default() += weight;
        }
    }
    tids.sort_unstable();
    tids.dedup();
    assert_eq!(
        tids.len(),
        threads.len(),
        "threads have numbers of their own"
    );
    all
}

#[test]
fn firefox_tables_are_well_formed_and_have_the_folded_stacks() {
    let sort = vec!["flow", SORT, "--elf", PROGRAM];
    let mut all = vec![sort, vec!["flow", "testbench/traces/adpcm-a32"]];
    let shared = shared("corpus-flow").map(|folder| folder.join("flow-frames"));
    let frames = shared.map(|folder| folder.display().to_string());
    all.extend(frames.as_ref().map(|frames| vec!["flow", frames]));
    for args in all {
        let profile = good(&[&args[..], &["--format", "firefox"]].concat());
        assert_eq!(read_firefox(&profile), folded(&args), "{args:?}");
    }
}

#[test]
fn a_trace_of_which_nothing_is_known_is_a_profile_without_threads() {
    let profile = good(&["flow", SORT, "--from", "9000000i", "--format", "firefox"]);
    assert_eq!(read_firefox(&profile), Stacks::new());
}
