// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ran when, as a profile of the Firefox Profiler.
//!
//! A piece of time is a sample whose weight is the instructions in it.

use std::collections::HashMap;
use std::io::Write;

use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, ReferenceTimestamp,
    SamplingInterval, StackHandle, ThreadHandle, Timestamp, WeightType,
};

use crate::event::Thread;
use crate::names::Names;
use crate::samples::Samples;
use crate::tree::{CallTree, NodeId, NodeKind};

/// The stacks of a profile that is being made.
struct Stacks<'a, N> {
    tree: &'a CallTree,
    names: &'a N,
    threads: HashMap<Thread, ThreadHandle>,
    stacks: HashMap<NodeId, (ThreadHandle, Option<StackHandle>)>,
}

impl<N: Names> Stacks<'_, N> {
    /// The thread and the stack of a node.
    fn of(&mut self, profile: &mut Profile, node: NodeId) -> (ThreadHandle, Option<StackHandle>) {
        let mut path = Vec::new();
        let mut at = Some(node);
        let mut known = None;
        while let Some(node) = at {
            known = self.stacks.get(&node).copied();
            if known.is_some() {
                break;
            }
            path.push(node);
            at = self.tree.nodes()[node as usize].parent;
        }
        for node in path.into_iter().rev() {
            let made = match (self.tree.nodes()[node as usize].kind, known) {
                (NodeKind::Frame(callee), Some((thread, parent))) => {
                    let name = profile.intern_string(&self.names.name(callee));
                    let info = FrameInfo {
                        frame: Frame::Label(name),
                        category_pair: CategoryHandle::OTHER.into(),
                        flags: FrameFlags::empty(),
                    };
                    let frame = profile.intern_frame(thread, info);
                    (thread, Some(profile.intern_stack(thread, parent, frame)))
                }
                (NodeKind::Thread(thread), _) => (self.thread(profile, thread), None),
                // A frame always has a parent.
                (NodeKind::Frame(_), None) => (self.thread(profile, Thread::default()), None),
            };
            self.stacks.insert(node, made);
            known = Some(made);
        }
        known.unwrap_or_else(|| (self.thread(profile, Thread::default()), None))
    }

    fn thread(&mut self, profile: &mut Profile, thread: Thread) -> ThreadHandle {
        if let Some(&known) = self.threads.get(&thread) {
            return known;
        }
        let begin = Timestamp::from_nanos_since_reference(0);
        let number = self.threads.len() as u32 + 1;
        let name = self.names.thread(&thread);
        let process = profile.add_process(&name, number, begin);
        let handle = profile.add_thread(process, number, begin, true);
        profile.set_thread_name(handle, &name);
        profile.set_thread_samples_weight_type(handle, WeightType::Samples);
        self.threads.insert(thread, handle);
        handle
    }
}

/// Writes the profile. One unit of time becomes `nanoseconds`, and the first piece begins at 0.
///
/// # Errors
/// If it cannot be written.
pub fn firefox(
    out: impl Write,
    tree: &CallTree,
    samples: &Samples,
    names: &impl Names,
    nanoseconds: f64,
) -> serde_json::Result<()> {
    let begin = samples.samples().iter().map(|sample| sample.from).min();
    let begin = begin.unwrap_or_default();
    let time = |time: u64| (time.saturating_sub(begin) as f64 * nanoseconds) as u64;
    let interval = time(begin.saturating_add(samples.least())).max(1);
    let mut profile = Profile::new(
        "etm4",
        ReferenceTimestamp::from_millis_since_unix_epoch(0.0),
        SamplingInterval::from_nanos(interval),
    );
    profile.set_symbolicated(true);
    let mut stacks = Stacks {
        tree,
        names,
        threads: HashMap::new(),
        stacks: HashMap::new(),
    };
    let mut ordered: Vec<_> = samples.samples().iter().collect();
    ordered.sort_by_key(|sample| sample.from);
    for sample in ordered {
        let Some(node) = sample.node else {
            continue;
        };
        let (thread, stack) = stacks.of(&mut profile, node);
        let at = Timestamp::from_nanos_since_reference(time(sample.from));
        let length = time(sample.to).saturating_sub(time(sample.from));
        let mut left = sample.instructions;
        loop {
            // Weights have 31 bits.
            let weight = i32::try_from(left).unwrap_or(i32::MAX);
            let delta = CpuDelta::from_nanos(length);
            profile.add_sample(thread, at, stack, delta, weight);
            left -= weight as u64;
            if left == 0 {
                break;
            }
        }
    }
    serde_json::to_writer(out, &profile)
}
