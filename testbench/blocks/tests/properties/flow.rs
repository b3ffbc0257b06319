// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `flow_core` counts: each sum takes every event of its site once, the return stack is a list, and
//! what arrives at a site departs from it. The last is about all runs of a bounded length, through
//! tables of any words, which may be damaged.

use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_flow::{
    CountWindow, EXIT_FLAGS_W, HOP_W, Hop, ReturnStack, SITE_CYCLES_W, SiteCounters, TOKEN_W,
    Token, WalkReport, WalkTables, Walker,
};
use coretrace_test_gen::rounds;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

use crate::exported;
use crate::induction::{Claim, mutated};
use crate::memory::{with_any_tables, with_one_place};

/// Bits of a site, for proofs of the walk: no fewer than those of a number of atoms.
const SW: usize = 5;
/// Bits of the flags of a site in memory.
const FLAGS_W: usize = EXIT_FLAGS_W + 1;
/// Cycles of a walk that a fault shows up in, and of one in the gate.
const CYCLES: u32 = 13;
const FEW_CYCLES: u32 = 11;

/// The sums of four sites, with amounts of two bits.
fn counters() -> Claim {
    Claim {
        text: with_one_place(&exported(SiteCounters::<2, 2>::default(), "counters")),
        block: "counters".into(),
        rules: include_str!("site_counters.v"),
        macros: vec![("A", "2".into())],
        depth: 12,
    }
}

/// The walker, its tables, and what reports its steps; or what of them is counted between triggers.
#[derive(LogicBlock, Default)]
struct Walk {
    clock: Signal<In, Clock>,
    reset: Signal<In, Bit>,
    returns: Signal<In, Bit>,
    token_valid: Signal<In, Bit>,
    token: Signal<In, Bus<TOKEN_W>>,
    ete: Signal<In, Bit>,
    windowed: Signal<In, Bit>,
    cycles: Signal<In, Bus<SITE_CYCLES_W>>,
    has_site: Signal<In, Bit>,
    site: Signal<In, Bits<SW>>,
    end_site: Signal<In, Bits<SW>>,
    hop: Signal<Out, Bus<HOP_W>>,
    hop_at: Signal<Out, Bits<SW>>,
    hop_base: Signal<Out, Bits<SW>>,
    hop_left_at: Signal<Out, Bits<SW>>,
    hop_ended_at: Signal<Out, Bits<SW>>,
    walker: Walker<SW>,
    tables: WalkTables<SW>,
    report: WalkReport<SW, 1>,
    window: CountWindow<SW, 1>,
}

impl Logic for Walk {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, walker, tables, report, window);
        self.walker.reset.next = self.reset.val();
        self.walker.returns.next = self.returns.val();
        self.walker.token_valid.next = self.token_valid.val();
        self.walker.token.next = self.token.val();
        self.walker.ete.next = self.ete.val();
        self.walker.has_site.next = self.has_site.val();
        self.walker.site.next = self.site.val();
        self.walker.end_site.next = self.end_site.val();
        self.walker.aims.next = false;
        self.walker.aim.next = 0.into();
        self.tables.exit_site.next = self.walker.exit_site.val();
        self.tables.exit_read.next = self.walker.exit_read.val();
        self.walker.exit.next = self.tables.exit.val();
        self.walker.flags.next = self.tables.flags.val();
        self.tables.run_site.next = self.walker.run_site.val();
        self.walker.run_word.next = self.tables.run_word.val();
        self.tables.exit_write.next = false;
        self.tables.run_write.next = false;
        self.tables.write_site.next = 0.into();
        self.tables.write_exit.next = 0.into();
        self.tables.write_flags.next = 0.into();
        self.tables.write_run.next = 0.into();
        self.report.reset.next = self.reset.val();
        self.report.step.next = self.walker.step.val();
        self.report.passes.next = self.walker.passes.val();
        self.report.goes_back.next = self.walker.goes_back.val();
        self.report.run_fails.next = self.walker.run_fails.val();
        self.report.run.next = self.walker.run.val();
        self.report.run_damaged.next = self.walker.run_damaged.val();
        self.report.trigger_at.next = self.walker.trigger_at.val();
        self.report.trigger_behind.next = self.walker.trigger_behind.val();
        self.report.is_end.next = self.walker.is_end.val();
        self.report.exit_damaged.next = self.walker.exit_damaged.val();
        self.report.reached.next = self.walker.reached.val();
        self.report.at.next = self.walker.at.val();
        self.report.base.next = self.walker.base.val();
        self.report.left_at.next = self.walker.left_at.val();
        self.window.reset.next = self.reset.val();
        self.window.windowed.next = self.windowed.val();
        self.window.hop.next = self.report.hop.val();
        self.window.at.next = self.report.hop_at.val();
        self.window.base.next = self.report.hop_base.val();
        self.window.left_at.next = self.report.hop_left_at.val();
        self.window.ended_at.next = self.report.hop_ended_at.val();
        self.window.indirect.next = self.report.indirect.val();
        self.window.cycles.next = self.cycles.val();
        self.hop.next = self.report.hop.val();
        self.hop_at.next = self.report.hop_at.val();
        self.hop_base.next = self.report.hop_base.val();
        self.hop_left_at.next = self.report.hop_left_at.val();
        self.hop_ended_at.next = self.report.hop_ended_at.val();
        if self.windowed.val() {
            self.hop.next = self.window.m_hop.val();
            self.hop_at.next = self.window.m_at.val();
            self.hop_base.next = self.window.m_base.val();
            self.hop_left_at.next = self.window.m_left_at.val();
            self.hop_ended_at.next = self.window.m_ended_at.val();
        }
    }
}

/// Hops of tokens of up to this many cycles, through any table.
fn walk(cycles: u32) -> Claim {
    let fields = |word: &str, fields: &[(&str, u32, u32)]| {
        let macros = fields.iter().map(|(name, low, width)| {
            let range = format!("{word}[{}:{low}]", low + width - 1);
            (&*format!("{word}_{name}").leak(), range)
        });
        macros.collect::<Vec<(&str, String)>>()
    };
    let mut macros = fields("token", Token::FIELDS);
    macros.extend(fields("hop", Hop::FIELDS));
    macros.push(("SW", SW.to_string()));
    macros.push(("FLAGS_W", FLAGS_W.to_string()));
    Claim {
        text: with_any_tables(&exported(Walk::default(), "walk")),
        block: "walk".into(),
        rules: include_str!("conservation.v"),
        macros,
        depth: cycles,
    }
}

/// A stack of values of two bits; all of its memory is a wire.
fn stack() -> Claim {
    let words: Vec<String> = (0..16).rev().map(|word| format!("words[{word}]")).collect();
    let all = format!("wire [31:0] all = {{{}}};\n", words.join(", "));
    let read = "assign read_data = words";
    let text = exported(ReturnStack::<2>::default(), "stack");
    Claim {
        text: mutated(&text, read, &format!("{all}{read}")),
        block: "stack".into(),
        rules: include_str!("return_stack.v"),
        macros: vec![("W", "2".into())],
        // A full stack is one of 16 steps.
        depth: 20,
    }
}

#[test]
fn a_sum_takes_every_event_of_its_site_once() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    counters().prove();
}

#[test]
fn a_return_stack_is_a_list_of_the_last_sixteen_calls() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    stack().prove();
}

#[test]
fn what_arrives_at_a_site_departs_from_it() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    assert!(!walk(rounds(FEW_CYCLES, CYCLES)).fails().expect("a verdict"));
}

#[test]
#[ignore = "nightly: a refutation"]
fn sums_and_stacks_that_miss_something_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    counters().refute_each(&[
        // The event of the cycle before is missed, and the one two before.
        ("follows1_s0 <= n", "follows1_s0 <= 1'h0 & n"),
        ("missed1_s0 <= n", "missed1_s0 <= 1'h0 & n"),
        ("valid2_s0 <= n", "valid2_s0 <= 1'h0 & n"),
        // An event at another site is taken for one at this site.
        ("== site1_s0", "| 1'h1"),
        // A sum is added to where it is to be cleared, and the other way round.
        ("clears1_s0 <= n", "clears1_s0 <= ~n"),
        // What is on its way at a reset counts.
        ("= valid1_s0 & n1;", "= valid1_s0;"),
    ]);
    stack().refute_each(&[
        ("free__d = place__q", "free__d = free__q"),
        ("place__d = free__q", "place__d = place__q"),
        ("new_top = below__read_data", "new_top = top__q"),
        ("if (flush | reset)", "if (reset)"),
        ("depth__q != most", "1'b1"),
        ("is_filled__d = depth__q != 5'd1", "is_filled__d = 1'b0"),
    ]);
}

#[test]
#[ignore = "nightly: a refutation"]
fn walks_that_lose_a_flow_or_find_one_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    walk(CYCLES).refute_each(&[
        // The site behind N atoms is another one.
        ("last__d = walk__at", "last__d = walk__at ^ 5'd1"),
        // A flow that has begun begins again, and one that is new does not.
        ("fresh_s1 <= n", "fresh_s1 <= 1'h1 | n"),
        ("fresh_s1 <= n", "fresh_s1 <= 1'h0 & n"),
        // A place that is lost has a flow, and one that is known has none.
        ("lost_s1 <= n", "lost_s1 <= 1'h0 & n"),
        ("lost_s1 <= n", "lost_s1 <= 1'h1 | n"),
        // An address is not compared with the place.
        ("same_s1 <= n", "same_s1 <= 1'h1 | n"),
        // A flow ends elsewhere.
        ("hop_ended_at <= {n", "hop_ended_at <= {5'h0 & n"),
        // A source address in front of the place goes on with the flow, and so does one that nothing leads to.
        ("goes_back_s1 <= n", "goes_back_s1 <= 1'h0 & n"),
        ("was_led_s1 <= n", "was_led_s1 <= 1'h1 | n"),
    ]);
}
