// SPDX-License-Identifier: MIT OR Apache-2.0
//! `names.vh`: fields, widths and codes of the blocks, as macros for the Verilog of the proofs.

use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::jump::layouts::{
    LANE_FLAGS_W, PREDECODE_W, ROWS_W, WORD_FLAGS_W, WordFlags,
};
use coretrace_hdl_etm::jump::state;
use coretrace_hdl_etm::layouts::{
    CONFIG_W, LaneResult, ROLE_W, ROW_W, Role, STREAM_W, StreamState, mode, outcome, part,
};

/// `` `prefix_field(word) `` for every field of a layout.
fn fields(prefix: &str, fields: &[(&str, u32, u32)]) -> String {
    let line = |&(name, low, width): &(&str, u32, u32)| {
        let high = low + width - 1;
        format!("`define {prefix}_{name}(word) word[{high}:{low}]\n")
    };
    fields.iter().map(line).collect()
}

/// `` `PREFIX_NAME ``, a number of some bits.
fn codes(prefix: &str, width: usize, codes: &[(&str, u64)]) -> String {
    let line = |(name, code)| format!("`define {prefix}_{name} {width}'d{code}\n");
    codes
        .iter()
        .map(|&(name, code)| line((name, code)))
        .collect()
}

/// `` `PREFIX_NAME ``, the codes of counts from 0 on, lowest bits first.
fn lists(prefix: &str, width: usize, lists: &[(&str, Vec<u64>)]) -> String {
    let line = |(name, codes): &(&str, Vec<u64>)| {
        let numbers = codes.iter().rev().map(|code| format!("{width}'d{code}"));
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        format!("`define {prefix}_{name} {{{numbers}}}\n")
    };
    lists.iter().map(line).collect()
}

/// The lanes of buses as the ports of an instance: port, bus and bits of a lane.
fn lanes(name: &str, range: std::ops::Range<usize>, ports: &[(&str, &str, usize)]) -> String {
    let connect = |&(port, bus, width): &(&str, &str, usize)| {
        let first = range.start;
        range
            .clone()
            .map(move |lane| {
                let low = width * lane;
                format!(".{port}_{}({bus}[{}:{low}])", lane - first, low + width - 1)
            })
            .collect::<Vec<_>>()
    };
    let all: Vec<String> = ports.iter().flat_map(connect).collect();
    format!("`define {name} {}\n", all.join(", "))
}

/// Bits that the jump table and the results keep from word to word.
#[derive(Clone, Copy, Default)]
pub struct Pasts {
    pub table: usize,
    pub results: usize,
}

/// The macros for words of `count` lanes.
pub fn names(count: usize, pasts: Pasts) -> String {
    let widths = [
        ("LANES", count),
        ("SETTINGS_W", SOURCE_SETTINGS_W),
        ("CONFIG_W", CONFIG_W),
        ("STREAM_W", STREAM_W),
        ("ROW_W", ROW_W),
        ("ROLE_W", ROLE_W),
        ("ROWS_W", ROWS_W),
        ("WORD_FLAGS_W", WORD_FLAGS_W),
        ("LANE_FLAGS_W", LANE_FLAGS_W),
        ("PREDECODE_W", PREDECODE_W),
        ("RESULT_W", LaneResult::WIDTH),
        ("TABLE_PAST_W", pasts.table),
        ("RESULTS_PAST_W", pasts.results),
        ("STATES", state::STATES),
    ];
    let mut text: String = widths
        .map(|(name, width)| format!("`define {name} {width}\n"))
        .concat();
    text += &fields("stream", StreamState::FIELDS);
    text += &fields("role", Role::FIELDS);
    text += &fields("result", LaneResult::FIELDS);
    text += &fields("flags", WordFlags::FIELDS);
    text += &codes(
        "MODE",
        3,
        &[
            ("UNSYNC", mode::UNSYNC),
            ("HEADER", mode::HEADER),
            ("EXTENSION", mode::EXTENSION),
            ("ASYNC", mode::ASYNC),
            ("UNBOUNDED", mode::UNBOUNDED),
            ("BOUNDED", mode::BOUNDED),
            ("FIXED", mode::FIXED),
            ("INFORMATION", mode::INFORMATION),
        ],
    );
    text += &codes(
        "OUTCOME",
        3,
        &[
            ("RESERVED", outcome::RESERVED),
            ("BAD_SEQUENCE", outcome::BAD_SEQUENCE),
        ],
    );
    text += &codes(
        "PART",
        4,
        &[
            ("INFO", part::INFO),
            ("VMID", part::VMID),
            ("CID", part::CID),
            ("FIELD0", part::FIELD0),
            ("FIELD1", part::FIELD1),
            ("LEAD", part::LEAD),
        ],
    );
    text += &codes(
        "STATE",
        state::STATE_W,
        &[
            ("RESTART", state::RESTART),
            ("UNSYNC", state::UNSYNC),
            ("HEADER", state::HEADER),
            ("EXTENSION", state::EXTENSION),
            ("ASYNC", state::ASYNC),
            ("PLCTL", state::PLCTL),
            ("SHORT", state::SHORT),
            ("EXCEPTION", state::EXCEPTION),
            ("SHORT_FIELD", state::SHORT_FIELD),
            ("TIMESTAMP", state::TIMESTAMP),
            ("TIMESTAMP_FIELD", state::TIMESTAMP_FIELD),
            ("INFO", state::bytes_info(0)),
        ],
    );
    let by_count = |code: &dyn Fn(usize) -> u64, max: usize| (0..=max).map(code).collect();
    text += &lists(
        "STATE",
        state::STATE_W,
        &[
            ("FIELDS", by_count(&state::fields, state::MAX_FIELDS)),
            ("BYTES", by_count(&state::bytes, state::MAX_BYTES)),
            (
                "BYTES_FIELD",
                by_count(&state::bytes_field, state::MAX_BYTES_FIELD),
            ),
            (
                "BYTES_INFO",
                by_count(&state::bytes_info, state::MAX_BYTES_INFO),
            ),
        ],
    );
    text += &lanes(
        "TABLE_LANES",
        0..count,
        &[
            ("octet", "octet", 8),
            ("lane_in", "lane_in", LANE_FLAGS_W),
            ("octet_out", "octet_out", 8),
            ("lane", "lane_out", LANE_FLAGS_W),
            ("predecode", "predecode", PREDECODE_W),
        ],
    );
    text += &lanes(
        "RESULTS_LANES",
        0..count,
        &[
            ("octet", "octet_out", 8),
            ("lane", "lane_out", LANE_FLAGS_W),
            ("predecode", "predecode", PREDECODE_W),
            ("result", "result", LaneResult::WIDTH),
        ],
    );
    for (name, range) in [
        ("WHOLE", 0..count),
        ("FOUR", 0..4.min(count)),
        ("REST", 4.min(count)..count),
    ] {
        let name = format!("{name}_LANES");
        let ports = [("octet", "octet", 8), ("lane_in", "live", LANE_FLAGS_W)];
        text += &lanes(&name, range, &ports);
    }
    text
}
