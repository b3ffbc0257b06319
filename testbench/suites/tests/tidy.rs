// SPDX-License-Identifier: MIT OR Apache-2.0
//! The documents and the tree agree: what they name exists, every file has its header, and the
//! prose is plain.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_pipelines::package::package;
use coretrace_pipelines::{DecoderTop, Preset};

/// The first line of every source file, after the comment sign.
const SPDX: &str = "SPDX-License-Identifier: MIT OR Apache-2.0";

/// Documents whose links and paths are checked.
const DOCUMENTS: [&str; 21] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/alchitry.md",
    "docs/at-scale.md",
    "docs/bandwidth.md",
    "docs/build-a-pipeline.md",
    "docs/change-a-packet.md",
    "docs/first-board.md",
    "docs/formats.md",
    "docs/integration.md",
    "docs/pgo.md",
    "docs/records.md",
    "docs/results.md",
    "docs/target.md",
    "docs/terms.md",
    "docs/testplan.md",
    "docs/trust.md",
    "docs/use-the-decoder.md",
];

/// Files that a command or a test writes.
const MADE: [&str; 3] = ["docs/coverage.md", "docs/csr.md", "docs/faults.md"];

/// The most characters of a test's name.
const TEST_NAME: usize = 70;

/// Words and phrases that make prose hard to read; also in identifiers, between underscores.
const BANNED: [&str; 20] = [
    "told",
    "tell",
    "tells",
    "telling",
    "untold",
    "heard",
    "hearing",
    "anew",
    "under way",
    "comes to",
    "come to",
    "came to",
    "of no meaning",
    "stands",
    "and else",
    "the word behind",
    "has to",
    "have to",
    "had to",
    "having to",
];

/// Phrases that may have a banned word.
const ALLOWED: [&str; 2] = ["stands for", "stands still"];

/// Files without prose of the project: text of others, and this list.
const OTHER_TEXT: [&str; 3] = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "testbench/suites/tests/tidy.rs",
];

/// Endings of files with prose or names.
const TEXT: [&str; 10] = [
    ".md", ".py", ".rs", ".sh", ".tcl", ".toml", ".v", ".vh", ".xdc", ".yml",
];

/// States of a feature in the test plan.
const STATES: [&str; 4] = ["none", "smoke", "random", "proven"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file of the tree by its path from the root, except build output.
fn files() -> Vec<String> {
    fn walk(folder: &Path, base: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the tree") {
            let path = entry.expect("an entry").path();
            let local = path.strip_prefix(base).expect("a path below the root");
            let name = local.to_str().expect("a path of text").replace('\\', "/");
            match (path.is_dir(), name.as_str()) {
                (true, "target" | ".git") => {}
                (true, _) => walk(&path, base, out),
                (false, _) => out.push(name),
            }
        }
    }
    let mut out = Vec::new();
    walk(&root(), &root(), &mut out);
    out
}

/// A text without the blocks that commands wrote: their paths are those of the day they ran.
fn hand_written(text: &str) -> String {
    let mut is_made = false;
    let mut kept = String::new();
    for line in text.lines() {
        is_made |= line.contains(": begin, made by ");
        if !is_made {
            kept += line;
            kept.push('\n');
        }
        is_made &= !line.ends_with(": end -->");
    }
    kept
}

/// The text in backticks or fenced blocks, and the rest of the text.
fn code_and_prose(text: &str) -> (Vec<String>, String) {
    let (mut code, mut prose) = (Vec::new(), String::new());
    for (index, block) in text.split("```").enumerate() {
        if index % 2 == 1 {
            code.push(block.to_owned());
            continue;
        }
        for (index, span) in block.split('`').enumerate() {
            if index % 2 == 1 {
                code.push(span.to_owned());
            } else {
                prose.push_str(span);
            }
        }
    }
    (code, prose)
}

/// The targets of Markdown links that lead to files.
fn links(prose: &str) -> Vec<&str> {
    let targets = prose.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

/// The words in code that are paths from the root of the repository.
fn paths(code: &[String]) -> Vec<&str> {
    let is_path = |word: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        let is_outside = |start: &&str| word.starts_with(start);
        let inside = !["/", "-", "./", "../"].iter().any(is_outside);
        // A part of so many, such as 3/8, is none.
        let is_name = word.contains('/') && word.contains(|c: char| c.is_ascii_alphabetic());
        is_name && word.chars().all(plain) && inside && !word.starts_with("target/")
    };
    let words = code.iter().flat_map(|code| code.split_whitespace());
    words
        .map(|word| word.split("::").next().unwrap_or_default())
        .map(|word| word.trim_end_matches([',', '.', ':', ';', '!', '?', ')', '"', '\'']))
        .filter(is_path)
        .collect()
}

/// The names of the tests in a source file. The test macros of the project are called with lines
/// such as `name Block ... {` where they have `fn $test()`, and `name: Block<4>,` where they have
/// `fn $name()`.
fn tests_in(source: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for after in source.split("#[test]").skip(1) {
        let signature = after.split_once("fn ").map_or("", |(_, rest)| rest);
        names.insert(signature.split('(').next().unwrap_or_default());
    }
    if names.remove("$test") {
        for line in source.lines().filter(|line| line.ends_with('{')) {
            let mut words = line.split_whitespace();
            let (name, block) = (words.next(), words.next());
            if block.is_some_and(|block| block.starts_with(|c: char| c.is_ascii_uppercase())) {
                names.extend(name);
            }
        }
    }
    if names.remove("$name") {
        let rows = source
            .lines()
            .filter_map(|line| line.trim().split_once(": "));
        names.extend(rows.map(|(name, _)| name));
    }
    names
}

/// The words of a text in lower case. A stop between two words is an empty word; line ends and the
/// comment signs at the start of a line are not.
fn words(text: &str) -> Vec<String> {
    const STOPS: [char; 8] = [',', '.', ';', ':', '?', '!', '(', ')'];
    let is_sign = |c: char| c.is_whitespace() || "/!#*-".contains(c);
    let mut words = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches(is_sign).to_lowercase();
        for part in line.split_inclusive(STOPS) {
            let found = part.split(|c: char| !c.is_alphanumeric());
            words.extend(found.filter(|word| !word.is_empty()).map(str::to_owned));
            if part.ends_with(STOPS) {
                words.push(String::new());
            }
        }
    }
    words
}

/// The banned words and phrases of a text.
fn banned_in(text: &str) -> Vec<&'static str> {
    let words = words(text);
    let begins = |from: usize, phrase: &str| {
        let mut found = words[from..].iter();
        phrase
            .split(' ')
            .all(|word| found.next().is_some_and(|found| found == word))
    };
    let is_allowed = |from: usize| ALLOWED.iter().any(|phrase| begins(from, phrase));
    let is_in =
        |phrase: &&str| (0..words.len()).any(|from| begins(from, phrase) && !is_allowed(from));
    BANNED.into_iter().filter(is_in).collect()
}

/// The rows of the test plan: feature, tests, state.
fn test_plan(text: &str) -> Vec<[&str; 3]> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        <[&str; 3]>::try_from(cells).ok()
    })
    .filter(|row| *row != ["feature", "tests", "state"])
    .collect()
}

/// The names of schemas between quotes: `etm4.`, a word, and a number.
fn schemas(source: &str) -> BTreeSet<String> {
    let quoted = source.split('"').map(|text| text.trim_end_matches('\\'));
    let is_schema = |text: &&str| {
        let [first, word, number] = text.split('.').collect::<Vec<_>>()[..] else {
            return false;
        };
        let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
        first == "etm4" && word.chars().all(is_word) && number.parse::<u32>().is_ok()
    };
    quoted.filter(is_schema).map(str::to_owned).collect()
}

#[test]
fn every_test_of_the_test_plan_exists() {
    let plan = read("docs/testplan.md");
    let mut named = 0;
    for [feature, tests, _] in test_plan(&plan) {
        for test in tests.split("<br>").filter(|test| *test != "none") {
            let (path, name) = test
                .trim_matches('`')
                .split_once("::")
                .unwrap_or_else(|| panic!("{feature}: `{test}` is not file::test"));
            let source = read(path);
            assert!(
                tests_in(&source).contains(name),
                "{feature}: {path} has no test {name}"
            );
            named += 1;
        }
    }
    assert!(named > 100, "only {named} tests are named");
}

#[test]
fn every_ignored_test_is_in_a_stage() {
    let stages = read("xtask/src/stages/list.rs");
    let is_test = |file: &&String| file.ends_with(".rs") && !OTHER_TEXT.contains(&file.as_str());
    let files = files();
    let ignored: Vec<&String> = files
        .iter()
        .filter(is_test)
        .filter(|file| read(file).contains("#[ignore"))
        .collect();
    assert!(ignored.len() > 10, "only {} files", ignored.len());
    for file in ignored {
        let (_, target) = file.split_once("/tests/").unwrap_or(("", file));
        let target = target.split(['/', '.']).next().unwrap_or_default();
        let chosen = format!("--test {target} ");
        assert!(stages.contains(&chosen), "no stage runs {file}");
    }
}

#[test]
fn a_feature_of_the_test_plan_is_untested_exactly_if_it_says_so() {
    for [feature, tests, state] in test_plan(&read("docs/testplan.md")) {
        assert!(STATES.contains(&state), "{feature}: {state} is not a state");
        assert_eq!(tests == "none", state == "none", "{feature}");
    }
}

#[test]
fn every_link_and_path_of_the_documents_exists() {
    for document in DOCUMENTS {
        let text = hand_written(&read(document));
        let (code, prose) = code_and_prose(&text);
        let folder = root().join(document);
        let folder = folder.parent().expect("a folder");
        for link in links(&prose) {
            assert!(folder.join(link).exists(), "{document}: no file {link}");
        }
        for path in paths(&code) {
            assert!(root().join(path).exists(), "{document}: no file {path}");
        }
    }
}

#[test]
fn every_schema_that_the_code_prints_is_in_the_documents() {
    let documents: Vec<String> = files()
        .into_iter()
        .filter(|path| path.starts_with("docs/") && path.ends_with(".md"))
        .map(|path| read(&path))
        .collect();
    let mut found = BTreeSet::new();
    let is_printed = |path: &String| path.ends_with(".rs") && path.contains("/src/");
    for path in files().into_iter().filter(is_printed) {
        found.extend(schemas(&read(&path)));
    }
    assert!(found.len() > 15, "{found:?}");
    for schema in found {
        let quoted = format!("`{schema}`");
        assert!(
            documents.iter().any(|text| text.contains(&quoted)),
            "{schema} is in no document"
        );
    }
}

#[test]
fn the_results_have_a_row_for_every_preset() {
    let results = read("docs/results.md");
    for preset in Preset::ALL {
        let row = format!("| `{}` |", preset.name());
        assert!(results.contains(&row), "docs/results.md: no row {row}");
    }
}

#[test]
fn the_readme_fits_into_200_lines() {
    assert!(read("README.md").lines().count() <= 200);
}

#[test]
fn the_map_of_the_architecture_fits_below_230_lines() {
    assert!(read("ARCHITECTURE.md").lines().count() < 230);
}

#[test]
fn every_source_file_begins_with_its_licence() {
    let files = files();
    let is_source = |file: &&String| file.ends_with(".rs") || file.ends_with(".sh");
    assert!(files.iter().filter(is_source).count() > 100);
    for file in files
        .iter()
        .filter(|file| is_source(file) || *file == ".ci/run")
    {
        let text = read(file);
        let mut lines = text.lines().skip_while(|line| line.starts_with("#!/"));
        let first = lines.next().unwrap_or_default();
        assert!(first.ends_with(SPDX), "{file} begins with: {first}");
    }
}

#[test]
fn unsafe_code_of_what_users_install_is_in_one_file() {
    // The workspace denies it, so that whatever has it says so.
    let lints = [
        "allow(unsafe_code",
        "expect(unsafe_code",
        "warn(unsafe_code",
    ];
    let is_installed = |file: &&String| {
        let mut layers = ["protocol/", "host/"].into_iter();
        file.ends_with(".rs") && layers.any(|layer| file.starts_with(layer))
    };
    let files = files();
    let has_lint = |file: &&String| lints.iter().any(|lint| read(file).contains(lint));
    let installed = files.iter().filter(is_installed);
    let found: Vec<&String> = installed.filter(has_lint).collect();
    assert_eq!(found, ["host/target-buses/src/linux/words.rs"]);
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let lint = &manifest["workspace"]["lints"]["rust"]["unsafe_code"];
    assert_eq!(lint.as_str(), Some("deny"));
    let is_manifest = |file: &&String| {
        file.ends_with("Cargo.toml") && (file.starts_with("host/") || file.starts_with("protocol/"))
    };
    for file in files.iter().filter(is_manifest) {
        assert!(read(file).contains("[lints]\nworkspace = true"), "{file}");
    }
}

#[test]
fn no_test_has_a_name_of_more_than_70_characters() {
    for file in files().iter().filter(|file| file.ends_with(".rs")) {
        for name in tests_in(&read(file)) {
            let length = name.chars().count();
            assert!(length <= TEST_NAME, "{file}: {length} characters: {name}");
        }
    }
}

#[test]
fn no_text_of_the_tree_has_a_banned_word() {
    let mut findings = Vec::new();
    for file in files() {
        let is_text = TEXT.iter().any(|end| file.ends_with(end));
        if is_text && !OTHER_TEXT.contains(&file.as_str()) {
            let found = banned_in(&read(&file));
            findings.extend(found.into_iter().map(|word| format!("{file}: {word}")));
        }
    }
    assert!(findings.is_empty(), "{}", findings.join("\n"));
}

#[test]
fn made_files_ask_not_to_be_edited() {
    for file in MADE {
        let text = read(file);
        let first = text.lines().next().unwrap_or_default();
        assert!(first.contains("do not edit"), "{file} begins with: {first}");
    }
    for (file, text) in package(Preset::Decoder(DecoderTop::Etm4Byte)).expect("the preset exports")
    {
        if [".v", ".vh", ".vlt"].iter().any(|end| file.ends_with(end)) {
            let head: Vec<&str> = text.lines().take(2).collect();
            assert!(head[0].ends_with(SPDX), "{file} begins with {head:?}");
            assert!(
                head[1].contains("do not edit"),
                "{file} begins with {head:?}"
            );
        }
    }
}

#[test]
fn the_checks_of_this_file_find_what_they_look_for() {
    let text = "one\n<!-- a: begin, made by x -->\ntwo\n<!-- a: end -->\nthree\n";
    assert_eq!(hand_written(text), "one\nthree\n");

    let text = "See [here](a/b.md#c) and [there](https://x.y/z), `hdl/x.rs::name`, `target/t`.\n\
                ```sh\ncargo etm4 packets testbench/t --id 1\n# hdl/y.rs: text\n```\n";
    let (code, prose) = code_and_prose(text);
    assert_eq!(links(&prose), ["a/b.md"]);
    assert_eq!(paths(&code), ["hdl/x.rs", "testbench/t", "hdl/y.rs"]);

    assert_eq!(
        banned_in("let is_told = x; // It has\n    // to wait."),
        ["told", "has to"]
    );
    assert_eq!(banned_in("All it has. To wait, retell."), [""; 0]);
    assert_eq!(banned_in("A bit stands for it."), [""; 0]);
    assert_eq!(banned_in("It stands here, and stands still."), ["stands"]);

    let source = r#"const A: &str = "etm4.packet.1"; "{\"schema\":\"etm4.b-c.2\"" "etm4.core""#;
    let found: Vec<String> = schemas(source).into_iter().collect();
    assert_eq!(found, ["etm4.b-c.2", "etm4.packet.1"]);
    let source = "#[test]\nfn one() {}\n#[test]\n#[ignore]\nfn two() {}\nfn three() {}\n";
    assert_eq!(tests_in(source), BTreeSet::from(["one", "two"]));
    let source = "#[test]\nfn $test() {}\nmade! {\n    four Four \"a\" {\n        if x {\n";
    assert_eq!(tests_in(source), BTreeSet::from(["four"]));
}
