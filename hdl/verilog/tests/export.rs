// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the export refuses, names and shares. The replay tests of `coretrace-test-verilog` show
//! that repaired kernels behave as in Rust.

use std::path::Path;

use coretrace_hdl_verilog::{Direction, Finding, lint_source, ports, verilog};
use rust_hdl::prelude::*;

fn findings<B: Block>(uut: B) -> Vec<Finding> {
    match verilog(uut, "top_name") {
        Ok(text) => panic!("nothing was refused:\n{text}"),
        Err(findings) => findings.to_vec(),
    }
}

/// Asserts that exactly one thing is refused: `subject`, for the reason that contains `reason`.
fn assert_refused<B: Block>(uut: B, subject: &str, reason: &str) {
    let findings = findings(uut);
    let is_it = |f: &Finding| f.subject == subject && f.message.contains(reason);
    assert!(findings.len() == 1 && is_it(&findings[0]), "{findings:#?}");
}

/// A block around a kernel that is refused for one reason. The attribute comes from the call,
/// because `self` does.
macro_rules! refused {
    ($($test:ident $block:ident $subject:literal $reason:literal { $($kernel:tt)* })*) => {$(
        #[derive(LogicBlock, Default)]
        struct $block {
            pub clock: Signal<In, Clock>,
            pub a: Signal<In, Bits<8>>,
            pub s: Signal<In, Bits<3>>,
            pub k: Signal<In, Bit>,
            pub y: Signal<Out, Bits<8>>,
            held: Signal<Local, Bits<8>>,
            store: DFF<Bits<8>>,
        }
        impl Logic for $block {
            $($kernel)*
        }
        #[test]
        fn $test() {
            assert_refused($block::default(), $subject, $reason);
        }
    )*};
}

refused! {
    s6_a_narrowed_shift Narrowed "a >> 2" "cast to fewer bits" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = bit_cast::<8, 4>(bit_cast::<4, 8>(self.a.val() >> 2));
        }
    }
    bits_of_an_expression SelectsSum "a + held" "is not a signal" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = bit_cast::<8, 4>((self.a.val() + self.held.val()).get_bits::<4>(2));
        }
    }
    s10_a_local_in_an_if_before_it_is_assigned ReadsInIf "held" "read before" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.y.next = 0.into();
            if self.held.val() == 3 {
                self.y.next = 1.into();
            }
            self.held.next = self.a.val();
        }
    }
    s10_a_local_in_a_match_before_it_is_assigned ReadsInMatch "held" "read before" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            match self.held.val().index() {
                3 => { self.y.next = 1.into(); }
                _ => { self.y.next = 0.into(); }
            }
            self.held.next = self.a.val();
        }
    }
    s10_a_local_that_only_one_branch_assigns ReadsHalf "held" "read before" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            if self.k.val() {
                self.held.next = self.a.val();
            }
            self.y.next = self.held.val();
            self.held.next = self.a.val();
        }
    }
    s11_an_input_of_a_sub_block_is_read_back ReadsBack "store$d" "input of a sub-block" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = self.store.d.val();
        }
    }
    s14_a_slice_that_may_pass_the_top PassesTop "s" "past the top of `a`" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = bit_cast::<8, 4>(self.a.val().get_bits::<4>(self.s.val().index()));
        }
    }
    arithmetic_in_an_index Arithmetic "s + 3'd1" "arithmetic used as an index" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = 0.into();
            if self.a.val().get_bit((self.s.val() + 1).index()) {
                self.y.next = 1.into();
            }
        }
    }
    a_latch_behind_an_if IfLatch "y" "latch" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            if self.k.val() {
                self.y.next = self.held.val();
            }
        }
    }
    a_latch_in_an_arm MatchLatch "held" "latch" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.y.next = self.a.val();
            match self.s.val().index() {
                0 => { self.held.next = 0.into(); }
                1 => {}
                _ => { self.held.next = 1.into(); }
            }
        }
    }
    an_output_of_a_sub_block_is_written WritesChild "store$q" "output of a sub-block" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.store.q.next = self.a.val();
            self.y.next = self.held.val();
        }
    }
    an_input_of_the_block_is_written WritesInput "a" "input of the block" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.store.q.val();
            self.a.next = self.held.val();
            self.y.next = self.held.val();
        }
    }
    a_signal_that_nothing_assigns Unassigned "held" "never assigned" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.y.next = self.a.val();
        }
    }
    an_input_of_a_sub_block_that_nothing_assigns Undriven "store$d" "never assigned" {
        #[hdl_gen]
        fn update(&mut self) {
            self.store.clock.next = self.clock.val();
            self.held.next = self.a.val();
            self.y.next = self.held.val();
        }
    }
    a_name_that_only_rust_knows Unknown "FIVE" "does not exist" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = self.held.val() + FIVE;
        }
    }
    a_literal_that_does_not_fit TooBig "300" "does not fit in 8 bits" {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, store);
            self.held.next = self.a.val();
            self.y.next = 0.into();
            if self.held.val() == 300 {
                self.y.next = 1.into();
            }
        }
    }
}

const FIVE: u64 = 5;

#[derive(LogicBlock)]
struct Frozen {
    pub y: Signal<Out, Bits<8>>,
    wide: Constant<Bit>,
}

impl Logic for Frozen {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 1.into();
        if self.wide.val() {
            self.y.next = 2.into();
        }
    }
}

#[test]
fn a_branch_on_constants_alone_is_refused() {
    let uut = Frozen {
        y: Signal::default(),
        wide: Constant::new(true),
    };
    assert_refused(uut, "y", "constants only");
}

#[derive(LogicBlock, Default)]
struct Through {
    pub from: Signal<In, Clock>,
    pub to: Signal<Out, Clock>,
}

impl Logic for Through {
    #[hdl_gen]
    fn update(&mut self) {
        self.to.next = self.from.val();
    }
}

#[test]
fn s12_a_clock_through_a_kernel_is_refused() {
    assert_refused(Through::default(), "to", "routes a clock");
}

#[derive(LogicBlock, Default)]
struct Keywords {
    pub table: Signal<In, Bit>,
    pub unique: Signal<Out, Bit>,
}

impl Logic for Keywords {
    #[hdl_gen]
    fn update(&mut self) {
        self.unique.next = self.table.val();
    }
}

#[test]
fn words_of_verilog_and_systemverilog_are_refused() {
    let subjects: Vec<_> = findings(Keywords::default())
        .into_iter()
        .map(|f| f.subject)
        .collect();
    assert_eq!(subjects, ["table", "unique"]);
}

#[derive(LogicBlock, Default)]
struct Silent {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Silent {
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
    fn connect(&mut self) {
        self.y.connect();
    }
}

#[test]
fn s16_a_block_without_hdl_is_refused() {
    assert_refused(Silent::default(), "top_name", "no hdl()");
}

#[derive(LogicBlock, Default)]
#[allow(non_snake_case)]
struct Clash {
    pub a: Signal<In, Bit>,
    pub inner__a: Signal<Out, Bit>,
    inner: Inverter,
}

impl Logic for Clash {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.a.next = self.a.val();
        self.inner__a.next = self.inner.y.val();
    }
}

#[test]
fn a_top_named_like_a_port_is_refused() {
    let findings = verilog(Inverter::default(), "a").expect_err("`a` is a port");
    assert_eq!(findings[0].subject, "a");
}

#[test]
fn two_names_with_one_spelling_are_refused() {
    assert_refused(Clash::default(), "inner__a", "two things");
}

#[derive(LogicBlock, Default)]
struct Inverter {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
}

/// A grid of equal blocks, two indices deep, and a register.
#[derive(LogicBlock, Default)]
struct Grid {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<6>>,
    pub y: Signal<Out, Bits<6>>,
    cell: [[Inverter; 3]; 2],
    store: DFF<Bits<6>>,
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, store);
        self.store.d.next = 0.into();
        for i in 0..2 {
            for j in 0..3 {
                self.cell[i][j].a.next = self.a.val().get_bit(3 * i + j);
                if self.cell[i][2 - j].y.val() {
                    self.store.d.next = self.store.q.val();
                }
            }
        }
        self.y.next = self.store.q.val();
    }
}

#[test]
fn s15_a_simulated_block_is_refused() {
    let mut uut = Grid::default();
    uut.connect_all();
    uut.a.next = 5.into();
    coretrace_hdl_dataflow::sim::cycle(&mut uut, |uut, clock| uut.clock.next = clock);
    let findings = findings(uut);
    assert!(
        findings
            .iter()
            .any(|f| f.subject == "a" && f.message.contains("fresh"))
    );
}

fn grid(top: &str) -> String {
    verilog(Grid::default(), top).unwrap_or_else(|findings| panic!("{findings}"))
}

#[test]
fn modules_carry_the_name_of_their_top_and_no_dollar() {
    let text = grid("etm4_grid");
    assert!(!text.contains('$'), "{text}");
    let modules = text.lines().filter_map(|line| line.strip_prefix("module "));
    let names: Vec<_> = modules.map(|rest| rest.trim_end_matches(" (")).collect();
    assert_eq!(
        names,
        ["etm4_grid", "etm4_grid__store", "etm4_grid__cell_0_0"]
    );
}

#[test]
fn equal_blocks_share_a_module_and_every_index_is_resolved() {
    let text = grid("etm4_grid");
    assert_eq!(
        text.matches("etm4_grid__cell_0_0 cell_").count(),
        6,
        "{text}"
    );
    assert!(text.contains("assign cell_1_2__a = a[5];"), "{text}");
    assert!(text.contains("if (cell_1_0__y) begin"), "{text}");
}

#[test]
fn the_header_names_licence_top_and_version() {
    let head: Vec<_> = grid("etm4_grid")
        .lines()
        .take(2)
        .map(str::to_string)
        .collect();
    assert_eq!(head[0], "// SPDX-License-Identifier: MIT OR Apache-2.0");
    let version = env!("CARGO_PKG_VERSION");
    let made = format!("// etm4_grid, version {version}, made by cargo export; do not edit.");
    assert_eq!(head[1], made);
}

#[test]
fn equal_blocks_give_equal_bytes() {
    assert_eq!(grid("etm4_grid"), grid("etm4_grid"));
}

#[test]
fn ports_are_listed_in_order_with_their_values() {
    let mut uut = Grid::default();
    uut.connect_all();
    uut.a.next = 0x2b.into();
    coretrace_hdl_dataflow::sim::settle(&mut uut);
    let found: Vec<_> = ports(&uut)
        .into_iter()
        .map(|p| (p.name, p.width, p.direction, p.is_clock, p.hex))
        .collect();
    let port = |name: &str, width, direction, is_clock, hex: &str| {
        (
            name.to_string(),
            width,
            direction,
            is_clock,
            hex.to_string(),
        )
    };
    assert_eq!(
        found,
        [
            port("clock", 1, Direction::Input, true, "0"),
            port("a", 6, Direction::Input, false, "2b"),
            port("y", 6, Direction::Output, false, "00"),
        ]
    );
}

/// A vendor's buffer as rust-hdl wraps it.
#[derive(LogicBlock, Default)]
struct Wrapped {
    pub i: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
}

impl Logic for Wrapped {
    fn update(&mut self) {
        self.o.next = self.i.val();
    }
    fn connect(&mut self) {
        self.o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Wrapper(Wrapper {
            code: "BUF buf_0(.I(i), .O(o));".into(),
            cores: "(* blackbox *)\nmodule BUF(input I, output O);\nendmodule".into(),
        })
    }
}

#[derive(LogicBlock, Default)]
struct TwoWrapped {
    pub i: Signal<In, Bit>,
    pub o: Signal<Out, Bit>,
    first: Wrapped,
    second: Wrapped,
}

impl Logic for TwoWrapped {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.i.next = self.i.val();
        self.second.i.next = self.first.o.val();
        self.o.next = self.second.o.val();
    }
}

#[test]
fn wrapped_cores_are_passed_on_and_declared_once() {
    let text =
        verilog(TwoWrapped::default(), "two").unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(text.matches("module BUF(").count(), 1, "{text}");
    assert!(text.contains("output wire o"), "{text}");
    assert!(text.contains("two__first second ("), "{text}");
}

const KERNELS: &str = r#"
// for i in 0..=3 outside of kernels is allowed
fn free() { for _ in 0..=3 {} }
#[hdl_gen]
fn update(&mut self) {
    // for i in 0..=3 in a comment is allowed
    for i in 0..=3 {
        self.y.next = "..=".into();
    }
    match self.k.val() {
        3 if self.g.val() => {}
        _ => {}
    }
    if self.k.val().index() + 1 == 4 { self.y.next = 0.into(); }
}
fn also_free() { match 1 { n if n > 0 => {} _ => {} } }
"#;

#[test]
fn s8_and_s9_are_found_in_the_source() {
    let found: Vec<_> = lint_source("kernels.rs", KERNELS)
        .into_iter()
        .map(|f| (f.place, f.subject))
        .collect();
    let at = |line: usize, subject: &str| (format!("kernels.rs:{line}"), subject.to_string());
    assert_eq!(found, [at(7, "..="), at(11, "if"), at(14, ".index()")]);
}

/// All Rust files below a directory.
fn sources(dir: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a source directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn no_kernel_of_the_project_holds_what_only_the_source_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![];
    for dir in ["hdl", "pipelines/src"] {
        sources(&root.join(dir), &mut files);
    }
    assert!(
        files
            .iter()
            .any(|file| file.ends_with("pipelines/src/lib.rs"))
    );
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let findings = lint_source(&file.display().to_string(), &text);
        assert!(findings.is_empty(), "{findings:#?}");
    }
}
