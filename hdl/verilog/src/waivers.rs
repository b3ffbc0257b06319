// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `-Wall` warnings of Verilator that exported text may cause, and why they are harmless.

/// Rules and reasons.
const WAIVERS: [(&str, &str); 5] = [
    ("DECLFILENAME", "One file holds all modules of a top."),
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

/// The name of the file for a top.
pub fn waiver_file(top: &str) -> String {
    format!("{top}.vlt")
}

/// The text of the file: configuration of Verilator for `TOP.v` alone.
pub fn waivers(top: &str) -> String {
    let waiver = |(rule, why)| format!("// {why}\nlint_off -rule {rule} -file \"*{top}.v\"\n");
    let list: String = WAIVERS.map(waiver).concat();
    format!(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Made by cargo export; do not edit.\n\
         `verilator_config\n{list}"
    )
}
