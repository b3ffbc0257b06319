// SPDX-License-Identifier: MIT OR Apache-2.0
//! No way without a register leads from TREADY to the streams of the core's paths.

use std::sync::OnceLock;

use etm4_pipelines::Etm4Core;
use etm4_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::is_registered;
use crate::memory::with_any_words;

/// The whole core.
pub fn core() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| exported(Etm4Core::default(), "core"))
}

/// The paths of the core that have a stream.
const PATHS: [&str; 2] = ["path", "profile"];

#[test]
fn no_path_leads_from_tready_to_a_stream_of_the_core() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let is_free = |text: &str, path: &str| {
        is_registered(text, &format!("core__{path}"), "m_axis_tready", "m_axis_*")
    };
    // What a memory says is a register, whichever memory it is.
    let text = with_any_words(core());
    for path in PATHS {
        assert!(is_free(&text, path));
    }
    let start = "assign m_axis_tlast = ";
    let way = format!("{start}m_axis_tready & ");
    assert!(!is_free(&text.replace(start, &way), "path"));
}
