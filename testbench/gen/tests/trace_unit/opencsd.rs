// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD as a witness.
