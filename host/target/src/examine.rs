// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at a part of a session before its end accesses it: its clocks run, and it is what the topology says.
//!
//! The start has seen both, but meanwhile a clock may have stopped, or another bitstream may have been loaded.

use crate::bus::{Bus, Time};
use crate::journal::Journal;
use crate::plan::{Builder, Clocks, Part, Role, Step, clocks, identify, identify_receiver};
use crate::run::{Failure, run};
use crate::topology::Topology;

/// What to do about a part that cannot be examined.
const UNSEEN: &str = "what the session set up there is left as it is: see that its clocks run and that nothing else is there, then `etm4 target stop`";

/// Reads whether the clocks of a part run, and what it is. Returns the check that failed: then no other access
/// may be made.
pub(crate) fn examine(
    topology: &Topology,
    part: Part,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Option<Failure> {
    for step in steps(topology, part) {
        if let Err((seen, error)) = run(&step, bus, time, &mut Journal::default()) {
            return Some(Failure {
                step,
                seen,
                error,
                advice: UNSEEN.to_owned(),
            });
        }
    }
    None
}

fn steps(topology: &Topology, part: Part) -> Vec<Step> {
    let mut builder = Builder::new(topology);
    match part {
        Part::Clock(_) => {}
        Part::Component(component) => {
            clocks(&mut builder, &[component], Clocks::Read);
            for step in &mut builder.steps {
                step.place = format!("{}: {}", topology.components[component].name, step.place);
                step.part = part;
            }
            identify(&mut builder, component);
        }
        Part::Receiver(receiver) => identify_receiver(&mut builder, receiver),
    }
    builder.steps.retain(|step| step.role != Role::Owner);
    builder.steps
}
