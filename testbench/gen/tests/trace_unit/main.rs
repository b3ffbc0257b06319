// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace unit model: its streams, followed by independent decoders, give what was executed.

mod golden;
mod made;
mod opencsd;
mod walk;
