// SPDX-License-Identifier: MIT OR Apache-2.0
//! The exported Verilog of each block; see `tests`.
