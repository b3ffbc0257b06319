// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks of exported text that have nothing to do with each other.
//!
//! Yosys' solver knows no edges but steps, in which all registers take part. Here a clock is an input
//! that is 1 in the steps in which it rises. Any clock may rise in any step, alone or with others, so
//! that all periods, phases and stops are among the runs.
//!
//! What rises in one step rises in either order. So the first register of a synchroniser takes of
//! each bit that changes in that step the old or the new value, as `takes_either.v` has it; that it
//! is one of them before the next edge is assumed. `synchroniser_takes_either.v` has the claim that
//! it does what the real one does where no bit is in doubt.

/// The text with clocks that are enables. A register of `takes_either.v` knows of the steps itself.
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

/// The text with synchronisers that take of each bit the old or the new value.
pub fn with_unsure_synchronisers(text: &str) -> String {
    let modules = text.split_inclusive("endmodule\n");
    let modules = modules.map(|module| synchroniser(module).unwrap_or_else(|| module.to_owned()));
    modules.collect()
}

/// The module with the other body, if it is a synchroniser.
fn synchroniser(module: &str) -> Option<String> {
    let (ports, body) = module.split_once(");\n")?;
    let (_, register) = body.split_once("(* ASYNC_REG = \"TRUE\" *) reg ")?;
    let (bits, _) = register.split_once(' ')?;
    let body = include_str!("takes_either.v");
    Some(format!("`define BITS {bits}\n{ports});\n{body}endmodule\n"))
}
