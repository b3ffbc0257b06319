// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests across crates; see `tests`.
