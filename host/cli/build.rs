// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gives the program the commit that it is made of.

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // Without a repository, as in a crate of a registry, there is no commit.
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    println!(
        "cargo::rustc-env=ETM4_COMMIT={}",
        commit.as_deref().unwrap_or("no commit")
    );
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}
