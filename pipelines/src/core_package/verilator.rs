// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Verilator's `-Wall` may find in the exported text, and why it is no mistake.

use super::CORE;

/// Name of the file.
pub const FILE: &str = "etm4_core.vlt";

/// Rules and reasons.
const WAIVERS: [(&str, &str); 5] = [
    ("DECLFILENAME", "One file holds all modules of the core."),
    (
        "VARHIDDEN",
        "An instance may have the name of one of its own ports, as a register `d` has.",
    ),
    (
        "UNUSEDSIGNAL",
        "A block may ignore bits of an input and outputs of its sub-blocks.",
    ),
    (
        "CMPCONST",
        "A block for any lane compares with the end of a range too.",
    ),
    (
        "UNSIGNED",
        "A block for any lane compares with the start of a range too.",
    ),
];

/// The text of the file.
pub fn waivers() -> String {
    let waiver = |(rule, why): (&str, &str)| {
        format!("// {why}\nlint_off -rule {rule} -file \"*{CORE}.v\"\n")
    };
    let list: String = WAIVERS.map(waiver).concat();
    format!("// SPDX-License-Identifier: MIT OR Apache-2.0\n`verilator_config\n{list}")
}
