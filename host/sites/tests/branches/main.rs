// SPDX-License-Identifier: MIT OR Apache-2.0
//! The branch events of a walk are those of the elements of the same stream.

mod captures;
mod followed;
mod golden;
mod random;
