// SPDX-License-Identifier: MIT OR Apache-2.0
//! `coretrace_test_fuzz::targets::core_capture` for libFuzzer.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| coretrace_test_fuzz::targets::core_capture(data));
