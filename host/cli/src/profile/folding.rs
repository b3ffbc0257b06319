// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folded stacks of a trace that is followed here.

use anyhow::Result;
use coretrace_calls::{CallTree, folded};
use coretrace_capture::Trace;

use crate::calls::Caller;
use crate::follow::FollowArgs;
use crate::traced::Traced;

/// Appends the paths of calls of a trace with their instructions; whether anything was decoded.
///
/// # Errors
/// If the trace or a memory image cannot be read.
pub fn fold(
    out: &mut String,
    trace: &Trace,
    traced: &Traced,
    follow: &FollowArgs,
    sync_limit: u64,
) -> Result<bool> {
    let symbols = traced.symbols()?;
    let mut ignore = |_: &_, _: &_| {};
    let mut caller = Caller::new(&symbols, false, &mut ignore, CallTree::default());
    let followed = follow.follow(trace, traced, sync_limit, &mut caller)?;
    folded(out, &caller.sink, &symbols, |costs| costs.instructions);
    Ok(followed.is_decoded)
}
