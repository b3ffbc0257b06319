//! Tests across crates: golden lists, co-simulation, coverage, throughput.
