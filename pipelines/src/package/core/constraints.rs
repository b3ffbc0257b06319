// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_core_ip.xdc`: the constraints of a core by the names below the packaged IP.
//!
//! Vivado applies the constraints of an IP to each of its instances, whatever synthesis calls its
//! modules. The core is the cell `core` there, see the wrapper.

/// The constraints of a core below its IP, from those by the names inside the core.
pub fn of_ip(name: &str, crossings: &str) -> String {
    let is_call = |line: &&str| !line.starts_with('#');
    let calls: Vec<&str> = crossings.lines().filter(is_call).collect();
    let calls = calls
        .join("\n")
        .replace("[get_cells {", "[get_cells {core/");
    format!(
        "# SPDX-License-Identifier: MIT OR Apache-2.0\n\
         # The constraints of {name}.xdc, where they are explained, by the names below the packaged IP.\n\
         # Made by cargo export; do not edit.\n\
         {}\n",
        calls.trim_end()
    )
}
