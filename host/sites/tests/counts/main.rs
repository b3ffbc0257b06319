// SPDX-License-Identifier: MIT OR Apache-2.0
//! The walk over tables against the elements of a trace: taken and not taken branches, entries and
//! pairs are the same.

mod captures;
mod followed;
mod random;
mod reference;
mod workloads;
