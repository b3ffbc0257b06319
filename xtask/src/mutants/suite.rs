// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tests that must catch a mutant.

/// Tests that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The decoders for one source, against the model.
    Decoders,
    /// Frames and demultiplexer, against the model.
    Port,
    /// The record and the profile stream, against the model.
    Streams,
    /// The core from its port to its streams, against the model.
    Core,
    /// The places of records in the port, against the model.
    Places,
    /// The blocks that follow a program, against the model.
    Flow,
    /// The encoders of a compressed trace and their blocks, against the model.
    Compressors,
    /// The decoders of software trace and the headers of data trace, against the model.
    Software,
    /// Every counter of the core at damaged ports, against the model.
    Counters,
    /// The proofs of the profile, on the exported Verilog.
    Properties,
}

impl Suite {
    pub const ALL: [Suite; 10] = [
        Suite::Decoders,
        Suite::Port,
        Suite::Streams,
        Suite::Core,
        Suite::Places,
        Suite::Flow,
        Suite::Compressors,
        Suite::Software,
        Suite::Counters,
        Suite::Properties,
    ];

    /// The packages and test targets for `cargo test`.
    pub fn targets(self) -> &'static [&'static str] {
        match self {
            Suite::Decoders => &["-p", "coretrace-pipelines", "--test", "equals_model"],
            Suite::Port => &["-p", "coretrace-hdl-coresight", "--lib"],
            Suite::Streams => &["-p", "coretrace-test-suites", "--test", "paths"],
            Suite::Core => &["-p", "coretrace-test-suites", "--test", "core"],
            Suite::Places => &["-p", "coretrace-test-suites", "--test", "one_port"],
            Suite::Flow => &["-p", "coretrace-hdl-flow", "--lib", "--tests"],
            Suite::Compressors => &["-p", "coretrace-hdl-compress", "--test", "compressors"],
            Suite::Software => &["-p", "coretrace-hdl-software", "--test", "software_records"],
            Suite::Counters => &["-p", "coretrace-test-faults", "--test", "core"],
            Suite::Properties => &["-p", "coretrace-test-blocks", "--test", "properties"],
        }
    }

    /// The part of the test names that selects the suite; empty for all tests of the targets.
    pub fn filter(self) -> &'static str {
        match self {
            Suite::Properties => "profile::events_and_entries",
            Suite::Places => "core_list",
            _ => "",
        }
    }
}
