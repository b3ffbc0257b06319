// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame decoder and demultiplexer meet their specification, for all frames, rows and trace IDs.

use coretrace_hdl_coresight::{Demux, FrameDecoder};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::Claim;

fn frame_decoder() -> Claim {
    Claim {
        text: exported(FrameDecoder::default(), "frame_decoder"),
        block: "frame_decoder".into(),
        rules: include_str!("frame_decoder.v"),
        macros: vec![],
        depth: 8,
    }
}

fn demux() -> Claim {
    Claim {
        text: exported(Demux::<4>::default(), "demux"),
        block: "demux".into(),
        rules: include_str!("demux.v"),
        macros: vec![],
        depth: 4,
    }
}

#[test]
fn every_frame_is_taken_apart_as_specified() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    frame_decoder().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_frame_decoders_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    frame_decoder().refute_each(&[
        // A late change is taken as early.
        ("if (~a0) begin", "if (1'b1) begin"),
        ("if (~a1) begin", "if (1'b1) begin"),
        // A late change in the second pair of a row is ignored.
        ("current__d = next_id", "current__d = id3"),
        // The auxiliary byte is taken as data.
        ("({3'd0, ~last} << 3)", "({3'd0, 1'b1} << 3)"),
        // The ID from before a loss stays.
        ("current_valid__q & (~lost__q)", "current_valid__q"),
        // A loss is reported with every row.
        ("lost__d = 1'b0", "lost__d = lost__q"),
        // The low bits of data come from elsewhere.
        ("aux__d = aux__q >> 2", "aux__d = aux__q >> 1"),
    ]);
}

#[test]
fn every_row_is_shared_out_as_specified() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    demux().prove();
}

#[test]
#[ignore = "nightly: a refutation"]
fn wrong_demultiplexers_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    demux().refute_each(&[
        // Reserved IDs begin elsewhere.
        (
            "(lane_id_0 & 7'h70) == 7'h70",
            "(lane_id_0 & 7'h78) == 7'h78",
        ),
        // A source that is not enabled gets its bytes.
        ("if (enables[2])", "if (1'b1)"),
        // The bytes of two sources are swapped.
        ("lane_id_0 == ids_1", "lane_id_0 == ids_0"),
        // An invalid row counts.
        ("if (s_axis_tvalid)", "if (1'b1)"),
    ]);
}
