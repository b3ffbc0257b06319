//! The `etm4` command line tool.
fn main() {}
