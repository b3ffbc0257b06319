// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that a core makes from a decoder's results, compared with the model.

mod bench;
mod profile;
mod records;
