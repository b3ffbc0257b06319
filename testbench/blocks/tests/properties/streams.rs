// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of the core obey AXI4-Stream, because each ends in a FIFO of one clock, whose output
//! is stable until it is accepted (`fifos`), and between the FIFO and the stream there are neither
//! registers nor other inputs, except that no stream sends during a reset.

use std::sync::OnceLock;

use coretrace_hdl_flow::BeatQueue;
use coretrace_hdl_sink::profile::ProfileAccumulator;
use coretrace_hdl_sink::records::RecordEncoder;
use coretrace_pipelines::{Etm4Core, FlowCore};
use coretrace_test_support::on_large_stack;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{is_registered, mutated, yosys};
use crate::memory::with_any_words;

/// The whole core.
pub fn core() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| exported(Etm4Core::default(), "core"))
}

/// The whole core that follows a program.
pub fn flow_core() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| on_large_stack(|| exported(FlowCore::default(), "flow")))
}

/// The paths of the core that have a stream.
const PATHS: [&str; 2] = ["encoder", "profile"];

#[test]
fn no_path_leads_from_tready_to_a_stream_of_the_core() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let is_free = |text: &str, path: &str| {
        is_registered(text, &format!("core__{path}"), "m_axis_tready", "m_axis_*")
    };
    // The output of every memory is a register.
    let text = with_any_words(core());
    for path in PATHS {
        assert!(is_free(&text, path));
    }
    let start = "assign m_axis_tlast = ";
    let way = format!("{start}m_axis_tready & ");
    assert!(!is_free(&text.replace(start, &way), "encoder"));
}

/// Whether the stream of a path is the output of its last FIFO, split into fields, and depends on
/// nothing else; and whether its TREADY goes only to that FIFO. Large blocks before the FIFO are
/// black boxes, to save time.
fn shows_its_fifo(text: &str, fifo: &str, black_boxes: &str) -> bool {
    let script = format!(
        "read_verilog block.v; hierarchy -check -top path; setattr -mod -set keep_hierarchy 1 {fifo}; \
         blackbox {black_boxes}; \
         proc; flatten; opt_clean; cd path; \
         select -set cone o:m_axis_tdata o:m_axis_tvalid o:m_axis_tlast %u %u %ci*:-{fifo}; \
         select -assert-none @cone i:* %i; \
         select -assert-none @cone t:$dff t:$sdff t:$dffe t:$sdffe t:$mem_v2 %u %u %u %u %i; \
         select -assert-none @cone %ci1:+{fifo}[fills_up] t:{fifo} %i; \
         select -assert-count 1 @cone %ci1:+{fifo}[m_axis_tdata] t:{fifo} %i; \
         select -assert-count 1 i:m_axis_tready %co1 c:* %i; \
         select -assert-count 1 i:m_axis_tready %co1:+{fifo}[m_axis_tready] t:{fifo} %i"
    );
    let (succeeded, log) = yosys(&[("block.v", text)], &script).expect("Yosys runs");
    let last = log.lines().rev().find(|line| line.starts_with("ERROR"));
    assert!(
        succeeded || last.is_some_and(|line| line.contains("ERROR: Assertion failed")),
        "{log}"
    );
    succeeded
}

#[test]
#[ignore = "nightly: half a minute"]
fn each_stream_of_the_core_ends_in_a_fifo() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let shows = |text: &str| shows_its_fifo(text, "path__beat_fifo", "path__rows path__events");
    let records = exported(RecordEncoder::<0>::default(), "path");
    assert!(shows(&records));
    assert!(shows(&exported(ProfileAccumulator::default(), "path")));
    for (path, stream) in [("encoder", "records"), ("profile", "profile")] {
        for (signal, gate) in [("tdata", ""), ("tvalid", " & sends"), ("tlast", "")] {
            let wire = format!("assign m_axis_{stream}_{signal} = {path}__m_axis_{signal}{gate};");
            assert!(core().contains(&wire), "{wire}");
        }
        let wire = format!("{path}__m_axis_tready = m_axis_{stream}_tready;");
        assert!(core().contains(&wire), "{wire}");
    }
    let valid = "assign m_axis_tvalid = ";
    let text = mutated(&records, valid, &format!("{valid}unit_state__q[0] & "));
    assert!(!shows(&text));
    let ready = "beat_fifo__m_axis_tready = ";
    let text = mutated(&records, ready, &format!("{ready}s_valid & "));
    assert!(!shows(&text));
}

#[test]
fn the_stream_of_the_flow_core_ends_in_a_fifo() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let beats = exported(BeatQueue::<6>::default(), "path");
    let shows = |text: &str| shows_its_fifo(text, "path__beats", "path__step");
    assert!(shows(&beats));
    let wires = [
        "assign m_axis_flow_tdata = path__m_axis_tdata;",
        "assign m_axis_flow_tvalid = path__m_axis_tvalid & sends;",
        "assign m_axis_flow_tlast = path__m_axis_tlast;",
        "path__m_axis_tready = m_axis_flow_tready;",
    ];
    for wire in wires {
        assert!(flow_core().contains(wire), "{wire}");
    }
    // The path, its walks, their stream.
    for inner in ["unit", "streams_0", "beats"] {
        for signal in ["tdata", "tvalid", "tlast"] {
            let wire = format!("assign m_axis_{signal} = {inner}__m_axis_{signal};");
            assert!(flow_core().contains(&wire), "{wire}");
        }
        let wire = format!("assign {inner}__m_axis_tready = m_axis_tready;");
        assert!(flow_core().contains(&wire), "{wire}");
    }
    let valid = "assign m_axis_tvalid = ";
    let text = mutated(&beats, valid, &format!("{valid}sum_valid & "));
    assert!(!shows(&text));
}
