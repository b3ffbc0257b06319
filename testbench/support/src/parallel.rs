// SPDX-License-Identifier: MIT OR Apache-2.0
//! A check for many presets, seeds or faults.

use std::fmt::Debug;
use std::thread;

/// Runs a check for all items in parallel, each in a thread named after its item. Returns the
/// results in the order of the items.
///
/// # Panics
/// If a check panics.
pub fn in_parallel<I: Debug + Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    check: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let check = &check;
    thread::scope(|scope| {
        let spawn = |item: I| {
            thread::Builder::new()
                .name(format!("{item:?}"))
                .spawn_scoped(scope, move || check(item))
                .expect("a thread")
        };
        let threads: Vec<_> = items.into_iter().map(spawn).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        results
            .map(|result| result.expect("every check passes"))
            .collect()
    })
}

/// Bytes of a stack: the largest blocks take more than a thread has, compiled without optimisation.
const STACK: usize = 64 << 20;

/// What `run` returns, on a stack for the largest blocks.
///
/// # Panics
/// If `run` does.
pub fn on_large_stack<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let large = thread::Builder::new().stack_size(STACK);
        let running = large.spawn_scoped(scope, run).expect("a thread");
        let result = running.join();
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
