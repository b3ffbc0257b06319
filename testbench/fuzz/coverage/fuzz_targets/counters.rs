// SPDX-License-Identifier: MIT OR Apache-2.0
//! `coretrace_test_fuzz::targets::counters` for libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| coretrace_test_fuzz::targets::counters(data));
