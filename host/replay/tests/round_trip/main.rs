// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events through every encoder and back.

mod blocks;
mod element_blocks;
mod encoder;
mod notes;
mod program;
mod random;
mod vectors;
