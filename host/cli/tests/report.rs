// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page of `etm4 report`, as text and in a browser.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{etm4, good, root, store_bytes};
use object::build::elf::Builder;
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";
/// The function of it that sorts.
const SORTER: &str = "qs.constprop.0";
const ADPCM: &str = "testbench/traces/adpcm-a32";
/// A name that ends elements and quotes where it is not escaped.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&\"'<!--";

/// The page of a trace.
fn page(folder: &TempDir, args: &[&str]) -> String {
    let path = folder.path().join("report.html");
    let path = path.to_str().expect("text");
    assert_eq!(good(&[&["report"], args, &["--out", path]].concat()), "");
    fs::read_to_string(path).expect("a page")
}

/// The page of the sorting program, whose function that sorts has this name.
fn sort_page(folder: &TempDir, sorter: &str) -> String {
    let bytes = fs::read(root().join(PROGRAM)).expect("a program");
    let mut program = Builder::read(&bytes[..]).expect("an ELF file");
    let mut symbols = program.symbols.iter_mut();
    let symbol = symbols.find(|symbol| &symbol.name[..] == SORTER.as_bytes());
    symbol.expect("a symbol").name = sorter.as_bytes().to_vec().into();
    let mut bytes = Vec::new();
    program.write(&mut bytes).expect("an ELF file");
    let program = store_bytes(folder.path(), "sort.elf", &bytes);
    page(folder, &[SORT, "--elf", &program])
}

/// The data of the drawings.
fn data(page: &str) -> Value {
    let (_, behind) = page.split_once("id=\"data\">").expect("data");
    let (json, _) = behind.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn the_headline_says_what_was_traced_and_that_it_is_complete() {
    let folder = TempDir::new().expect("a folder");
    let page = sort_page(&folder, SORTER);
    for text in [
        "<h1>sort-a64</h1>",
        "<b id=\"instructions\">150,000</b>",
        "Complete: no losses, no gaps",
        "<b>c_low</b>",
        "<dt>Calls</dt><dd>7,617</dd>",
        "<dt>Exceptions</dt><dd>211</dd>",
        "time is counted in instructions",
    ] {
        assert!(page.contains(text), "no {text}");
    }
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = data(&page);
    let own = data["metrics"][0]["own"].as_array().expect("numbers");
    let sum: u64 = own.iter().map(|own| own.as_u64().expect("a number")).sum();
    assert_eq!(sum, 150_000);
}

#[test]
fn a_report_and_a_profile_find_the_same_gaps() {
    let Some(captures) = common::shared("corpus-flow") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let mut found = 0;
    for name in ["flow-cut", "flow-spec-sync", "flow-a64-rs"] {
        let capture = captures.join(name);
        let capture = capture.to_str().expect("text");
        let rows = good(&["profile", capture, "--format", "json"]);
        let rows = rows.lines().map(serde_json::from_str);
        let gaps = rows.map(|row: Result<Value, _>| row.expect("JSON")["gaps"].as_u64());
        let gaps: u64 = gaps.flatten().sum();
        let page = page(&folder, &[capture]);
        let card = format!("<dt>Gaps</dt><dd>{gaps}</dd>");
        assert!(page.contains(&card), "{name}: {card}");
        found += gaps;
    }
    assert!(found > 30, "{found}");
}

#[test]
fn lines_have_the_texts_of_sources_beside_the_program() {
    let folder = TempDir::new().expect("a folder");
    let args = [SORT, "--elf", PROGRAM];
    // The debug information names `./sort.c`, which is not in the folder where the tests run.
    let swap = "static void qs(u32*v,int lo,int hi,cmp_t c)";
    assert!(page(&folder, &args).contains(swap));
    let without = page(&folder, &[&args[..], &["--no-source"]].concat());
    assert!(!without.contains(swap));
}

#[test]
fn what_is_missing_is_in_the_headline() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("report.html");
    let path = path.to_str().expect("text");
    let ran = etm4(&["report", "testbench/traces/framed", "--out", path]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = fs::read_to_string(path).expect("a page");
    assert!(page.contains("Nothing could be followed"), "{page}");
    assert!(page.contains("without an image"), "{page}");
}

#[test]
fn a_trace_with_times_has_them_in_the_unit_that_is_known() {
    let folder = TempDir::new().expect("a folder");
    let page_in_ticks = page(&folder, &[ADPCM]);
    assert!(page_in_ticks.contains(" ticks</b>"), "ticks");
    assert!(page_in_ticks.contains("How many ticks are a second is not known"));
    let in_seconds = page(&folder, &[ADPCM, "--frequency", "1e6"]);
    assert!(in_seconds.contains(" ms</b>"), "milliseconds");
}

#[test]
fn a_timeline_has_what_an_itm_of_the_same_trace_reports() {
    let folder = TempDir::new().expect("a folder");
    // The second timestamp of the trace.
    let trace = common::beside_itm(folder.path(), ADPCM, 0x1234_5678_9B02);
    let path = folder.path().join("report.html");
    let out = path.to_str().expect("text");
    let ran = etm4(&["report", &trace, "--out", out]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let data = data(&fs::read_to_string(path).expect("a page"));
    let rows = data["marks"].as_array().expect("rows").iter();
    let rows: Vec<String> = rows
        .map(|row| {
            let name = row["pieces"][2].as_u64().expect("a name") as usize;
            let (label, name) = (row["label"].as_str(), data["names"][name].as_str());
            format!("{} {}", label.expect("text"), name.expect("text"))
        })
        .collect();
    let want = ["ITM port 0 Hi", "exceptions exception 15"];
    assert_eq!(rows, want.map(|row| format!("ID 30: {row}")));
}

#[test]
fn names_of_functions_are_shown_and_never_run() {
    let folder = TempDir::new().expect("a folder");
    let page = sort_page(&folder, HOSTILE);
    assert!(!page.contains("<img") && !page.contains("<!--"), "{page}");
    assert!(page.contains("&lt;/script&gt;&lt;img"), "{page}");
    assert_eq!(page.matches("</script>").count(), 2);
    let names = data(&page)["names"].clone();
    let names = names.as_array().expect("names");
    assert!(names.iter().any(|name| name == HOSTILE), "{names:?}");
}

/// Opens the page in frames as wide as a desktop and a telephone, uses it, and reports.
const FRAMES: &str = r#"<!DOCTYPE html>
<html><body><script id="page" type="application/json">PAGE</script>
<pre id="result"></pre><script>
// What is drawn, by the drawing: texts, and how many boxes have a color.
const recorder = `<script>
  window.drawn = {};
  const of = (canvas) => (drawn[canvas.id] ??= { texts: [], colors: {} });
  const context = CanvasRenderingContext2D.prototype;
  const { fillText, fillRect } = context;
  context.fillText = function (text, ...place) {
    of(this.canvas).texts.push(text);
    fillText.call(this, text, ...place);
  };
  context.fillRect = function (...place) {
    const colors = of(this.canvas).colors;
    colors[this.fillStyle] = (colors[this.fillStyle] ?? 0) + 1;
    fillRect.apply(this, place);
  };
</` + "script>";
const text = JSON.parse(document.getElementById("page").textContent).replace("<head>", "<head>" + recorder);
const results = [];
for (const width of [1280, 390]) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    const wide = () => page.documentElement.scrollWidth;
    const widths = [wide()];
    for (const function_ of page.querySelectorAll("details")) function_.open = true;
    widths.push(wide());
    const view = frame.contentWindow;
    const shown = () => JSON.parse(JSON.stringify(view.drawn));
    const first = shown();
    const lanes = page.getElementById("lanes");
    const lane = lanes.getBoundingClientRect();
    const details = [];
    for (let y = 50; y < lane.height; y += 20) {
      const place = { clientX: lane.left + lane.width / 2, clientY: lane.top + y, bubbles: true };
      lanes.dispatchEvent(new view.PointerEvent("pointermove", place));
      details.push(page.getElementById("lane-detail").textContent);
    }
    const flames = page.getElementById("flames");
    const box = flames.getBoundingClientRect();
    const at = { clientX: box.left + 20, clientY: box.top + 50, bubbles: true };
    flames.dispatchEvent(new view.PointerEvent("pointermove", at));
    flames.dispatchEvent(new view.MouseEvent("click", at));
    const search = page.getElementById("search");
    view.drawn = {};
    search.value = "c_low";
    search.dispatchEvent(new view.Event("input"));
    const searched = shown();
    for (const button of page.querySelectorAll("button")) button.click();
    widths.push(wide());
    results.push({
      inner: view.innerWidth,
      widths,
      detail: page.getElementById("flame-detail").textContent,
      found: page.getElementById("found").textContent,
      shown: page.querySelectorAll(".function:not([hidden])").length,
      first,
      details,
      searched,
      cards: Object.fromEntries([...page.querySelectorAll(".cards div")].map((card) =>
        [card.querySelector("dt").textContent, card.querySelector("dd").textContent])),
      functions: page.getElementById("functions").textContent,
      instructions: page.getElementById("instructions").textContent,
      colored: flames.getContext("2d").getImageData(30, 10, 1, 1).data[3],
    });
    document.getElementById("result").textContent = JSON.stringify(results);
  });
  frame.srcdoc = text;
  document.body.append(frame);
}
</script></body></html>
"#;

fn texts(value: &Value) -> Vec<&str> {
    let texts = value.as_array().expect("texts").iter();
    texts.map(|text| text.as_str().expect("text")).collect()
}

/// The timeline has calls with their names, and a scale with its unit.
fn check_timeline(result: &Value, sorter: &str) {
    let drawn = texts(&result["first"]["lanes"]["texts"]);
    for text in ["ID 10", "_start", "run"] {
        assert!(drawn.contains(&text), "no {text} in {drawn:?}");
    }
    let scale = drawn
        .iter()
        .filter_map(|text| text.strip_suffix(" instructions"));
    let scale: Vec<u64> = scale
        .map(|number| number.replace(',', "").parse().expect("a number"))
        .collect();
    assert!(scale.len() > 1 && scale.is_sorted(), "{scale:?}");
    assert!(scale[0] == 0 && scale.last() <= Some(&150_000), "{scale:?}");
    let details = texts(&result["details"]);
    let of = |name: &str| details.iter().find_map(|text| text.strip_prefix(name));
    for name in ["_start", "run", sorter] {
        let detail = of(name).unwrap_or_else(|| panic!("no {name} in {details:?}"));
        assert!(detail.starts_with(": from "), "{detail}");
        assert!(detail.ends_with(" instructions"), "{detail}");
    }
}

/// What is not found is dim, in both drawings.
fn check_search(result: &Value) {
    const DIM: &str = "#e6eaee";
    for drawing in ["flames", "lanes"] {
        let dim = |when: &str| result[when][drawing]["colors"][DIM].as_u64();
        assert_eq!(dim("first"), None, "{drawing}");
        assert!(dim("searched") > Some(1), "{drawing}");
    }
    let found = texts(&result["searched"]["flames"]["texts"]);
    assert!(found.contains(&"c_low"), "{found:?}");
    let colors = result["searched"]["flames"]["colors"].as_object();
    assert!(
        colors.is_some_and(|colors| colors.len() > 1),
        "c_low is not dim"
    );
}

/// Every figure of the headline is that of the profile.
fn check_headline(result: &Value, profile: &str) {
    let rows = profile.lines().map(serde_json::from_str);
    let rows: Vec<Value> = rows.map(|row: Result<_, _>| row.expect("JSON")).collect();
    let of = |kind: &'static str| rows.iter().filter(move |row| row["type"] == kind);
    let sum = |kind, key: &str| of(kind).filter_map(|row| row[key].as_u64()).sum::<u64>();
    let want = [
        ("Instructions", sum("source", "instructions")),
        ("Calls", sum("function", "calls")),
        ("Exceptions", sum("source", "exceptions")),
        ("Losses", sum("source", "losses")),
        ("Gaps", sum("source", "gaps")),
        ("Without image", sum("source", "without_image")),
        ("Sources", of("source").count() as u64),
    ];
    let number = |text: &Value| text.as_str().expect("text").replace(',', "").parse::<u64>();
    let cards = result["cards"].as_object().expect("cards");
    assert_eq!(cards.len(), want.len(), "{cards:?}");
    for (label, value) in want {
        assert_eq!(number(&cards[label]), Ok(value), "{label}");
    }
    assert_eq!(
        number(&result["functions"]),
        Ok(of("function").count() as u64)
    );
}

/// The program of the browser, or nothing if the test must be skipped.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let is_there = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let found = names.into_iter().find(is_there);
    if found.is_none() {
        let required = std::env::var("ETM4_REQUIRE_TOOLS").as_deref() == Ok("1");
        assert!(
            !required,
            "no chromium, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
        println!("SKIPPED: chromium not found");
    }
    found
}

/// What the browser makes of a page: the document at its end, and its messages.
fn browse(browser: &str, folder: &Path, page: &Path) -> (String, String) {
    let data = format!("--user-data-dir={}", folder.join("browser").display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            "--virtual-time-budget=5000",
            "--dump-dom",
            &data,
        ])
        .arg(page)
        .output()
        .expect("the browser starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

#[test]
#[ignore = "starts a browser; the nightly stage viewers runs it"]
fn a_browser_shows_the_page_at_any_width_with_an_empty_console() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().expect("a folder");
    let profile = good(&["profile", SORT, "--elf", PROGRAM, "--format", "json"]);
    for sorter in [SORTER, HOSTILE] {
        let page = sort_page(&folder, sorter);
        let page = serde_json::to_string(&page)
            .expect("JSON")
            .replace('<', "\\u003c");
        let frames = folder.path().join("frames.html");
        fs::write(&frames, FRAMES.replace("PAGE", &page)).expect("written");
        let (document, messages) = browse(browser, folder.path(), &frames);
        assert!(!messages.contains("CONSOLE"), "{messages}");
        let (_, behind) = document.split_once("id=\"result\">").expect("a result");
        let (json, _) = behind.split_once("</pre>").expect("an end");
        let json = json
            .replace("&amp;", "&")
            .replace("&lt;", "<")
            .replace("&gt;", ">");
        let results: Value = serde_json::from_str(&json).expect("JSON");
        let results = results.as_array().expect("two frames");
        assert_eq!(results.len(), 2, "{messages}");
        for result in results {
            let inner = result["inner"].as_u64().expect("a width");
            for width in result["widths"].as_array().expect("widths") {
                assert!(width.as_u64() <= Some(inner), "{result}");
            }
            assert_eq!(result["instructions"], "150,000");
            assert_eq!(result["shown"], 1, "{result}");
            let found = result["found"].as_str().expect("text");
            assert!(found.starts_with("1 name, 42.8 %"), "{found}");
            let detail = result["detail"].as_str().expect("text");
            assert!(detail.starts_with(sorter), "{detail}");
            assert_eq!(result["colored"], 255, "{result}");
            check_timeline(result, sorter);
            check_search(result);
            check_headline(result, &profile);
        }
    }
}

#[test]
#[ignore = "starts a browser; the nightly stage viewers runs it"]
fn a_browser_draws_a_timeline_with_marks_with_an_empty_console() {
    let Some(browser) = browser() else { return };
    let folder = TempDir::new().expect("a folder");
    let trace = common::beside_itm(folder.path(), ADPCM, 0x1234_5678_9B02);
    let path = folder.path().join("report.html");
    good(&["report", &trace, "--out", path.to_str().expect("text")]);
    let (document, messages) = browse(browser, folder.path(), &path);
    assert!(!messages.contains("CONSOLE"), "{messages}");
    assert!(document.contains("id=\"lanes\""), "{document}");
}
