// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tools of LLVM 19.

use std::path::Path;
use std::process::Command;

use crate::python::{Missing, or_skip};

/// Runs a tool in the root of the repository; what it writes to both outputs. `None` if it is not
/// installed.
///
/// # Panics
/// If it fails, or is missing and the environment says `ETM4_REQUIRE_TOOLS=1`.
pub fn llvm(name: &str, args: &[&str]) -> Option<String> {
    let name = format!("{name}-19");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let ran = Command::new(&name).args(args).current_dir(root).output();
    let ran = or_skip(ran.map_err(|_| Missing(format!("{name} not found"))))?;
    let [out, errors] =
        [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(ran.status.success(), "{name} {args:?}: {errors}{out}");
    Some(errors + &out)
}
