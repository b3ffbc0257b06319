//! `cargo export PRESET`.
fn main() {}
