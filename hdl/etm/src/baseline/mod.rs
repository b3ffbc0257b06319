// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoders that exist to be compared with: measured and proven against, not shipped.
//!
//! | block | what it does |
//! |---|---|
//! | [`StateChain`] | the stream state in one-hot code, stepped once for every lane in one cycle |
//! | [`OneHotDecoder`] | the jump-ahead decoder with this chain in place of its table |

mod chain;
mod onehot_decoder;

pub use chain::StateChain;
pub use onehot_decoder::OneHotDecoder;
