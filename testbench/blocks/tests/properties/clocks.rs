// SPDX-License-Identifier: MIT OR Apache-2.0
//! Unrelated clocks for exported text.
//!
//! Yosys' solver has no edges, only steps in which all registers are clocked. Here a clock is an
//! input that is 1 in the steps in which it rises. Any clock may rise in any step, alone or with
//! others, so the runs cover all periods, phases and stops.
//!
//! Clocks that rise in the same step do so in either order. So the first register of a synchroniser
//! samples the old or the new value of each bit that changes in that step, as in `takes_either.v`.
//! That it has settled before the next edge is assumed. `synchroniser_takes_either.v` claims that
//! it equals the real one if no bit is in doubt.

/// The text with clocks that are enables. A register of `takes_either.v` uses the steps directly.
pub fn with_free_clocks(text: &str) -> String {
    let text = text.replace("\n);\n", "\n);\n  wire step;\n");
    let mut parts = text.split("always @(posedge ");
    let mut enabled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_step = part.starts_with("step)");
        enabled += if is_step {
            "always @(posedge "
        } else {
            "always @(posedge step) if ("
        };
        enabled += part;
    }
    enabled
}

/// The text with synchronisers that sample the old or the new value of each bit.
pub fn with_unsure_synchronisers(text: &str) -> String {
    let modules = text.split_inclusive("endmodule\n");
    let modules = modules.map(|module| synchroniser(module).unwrap_or_else(|| module.to_owned()));
    modules.collect()
}

/// The module with the new body, if it is a synchroniser.
fn synchroniser(module: &str) -> Option<String> {
    let (ports, body) = module.split_once(");\n")?;
    let (_, register) = body.split_once("(* ASYNC_REG = \"TRUE\" *) reg ")?;
    let (bits, _) = register.split_once(' ')?;
    let body = include_str!("takes_either.v");
    Some(format!("`define BITS {bits}\n{ports});\n{body}endmodule\n"))
}
