// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a trace buffer is read at the end of a capture.
//!
//! A stop flushes and stops a buffer, waits until it is Ready, and then clears CTL. Between the two it is
//! Stopped, and RRD gives one word after the other, the oldest first.
//!
//! Source: Arm DDI 0461, RRD and STS.

use coretrace_coresight::map::{ComponentKind, tmc};

use crate::plan::{Action, Builder, Plan, Role, Step};
use crate::rules::RuleId;
use crate::topology::{Index, Topology};
use crate::undo;

/// What RRD gives when there is no word.
pub const NOTHING: u32 = u32::MAX;

impl Plan {
    /// The buffer that a capture reads: the only sink, if it is one.
    pub fn buffer(&self, topology: &Topology) -> Option<Index> {
        let mut sinks = self.route.hops.iter().filter(|hop| hop.outputs.is_empty());
        let sink = sinks.next().filter(|_| sinks.next().is_none())?.component;
        let is_memory = topology.components[sink].kind.is_memory();
        is_memory.then_some(sink)
    }

    /// The steps by which a capture ends the trace and reads its buffer; none if it has no buffer. The end of a
    /// session makes them, and gives each component back behind them.
    pub fn read_out(&self, topology: &Topology) -> Vec<Step> {
        let mut builder = Builder::new(topology);
        let Some(buffer) = self.buffer(topology) else {
            return Vec::new();
        };
        let used = self.route.hops.iter().map(|hop| hop.component).collect();
        for component in undo::sequence(topology, &used) {
            match topology.components[component].kind {
                ComponentKind::Funnel | ComponentKind::Replicator => {}
                _ if component == buffer => {
                    undo::flush(&mut builder, buffer);
                    read(&mut builder, buffer);
                    undo::disable(&mut builder, buffer);
                }
                _ => undo::stop(&mut builder, component),
            }
        }
        builder.steps
    }
}

/// The steps that read a buffer which is Stopped.
pub fn steps(topology: &Topology, buffer: Index) -> Vec<Step> {
    let mut builder = Builder::new(topology);
    read(&mut builder, buffer);
    builder.steps
}

fn read(builder: &mut Builder<'_>, buffer: Index) {
    let (role, rule) = (Role::ReadOut, RuleId::ReadOut);
    let size = builder.topology.components[buffer].base + u64::from(tmc::RSZ.offset);
    let error = tmc::sts::MEM_ERR.mask();
    builder.add(buffer, (&tmc::RRD, 0), role, rule, Action::Drain { size });
    builder.check(buffer, &tmc::STS, role, rule, (error, &[0]));
}
