// SPDX-License-Identifier: MIT OR Apache-2.0
//! The settings of a trace unit that are compared.

use coretrace_test_gen::trace_unit::TraceUnit;

/// Settings of a trace unit.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    pub name: &'static str,
    return_stack: bool,
    broadcast: bool,
    threshold: Option<u32>,
    timestamps: Option<u64>,
    has_context: bool,
}

const PLAIN: Configuration = Configuration {
    name: "plain",
    return_stack: false,
    broadcast: false,
    threshold: None,
    timestamps: None,
    has_context: false,
};

const RETURN_STACK: Configuration = Configuration {
    name: "return stack",
    return_stack: true,
    ..PLAIN
};

/// Those that are compared, from the smallest to the largest streams.
pub const CONFIGURATIONS: [Configuration; 8] = [
    RETURN_STACK,
    PLAIN,
    Configuration {
        name: "timestamps 1000",
        timestamps: Some(1000),
        ..RETURN_STACK
    },
    Configuration {
        name: "cycles 256",
        threshold: Some(256),
        ..RETURN_STACK
    },
    Configuration {
        name: "cycles 16",
        threshold: Some(16),
        ..RETURN_STACK
    },
    Configuration {
        name: "cycles 4",
        threshold: Some(4),
        ..RETURN_STACK
    },
    Configuration {
        name: "broadcast",
        broadcast: true,
        ..PLAIN
    },
    Configuration {
        name: "all",
        broadcast: true,
        threshold: Some(4),
        timestamps: Some(1000),
        has_context: true,
        ..PLAIN
    },
];

impl Configuration {
    /// A trace unit with them. All synchronize after 4096 bytes.
    pub fn unit(&self, ipc: f64) -> TraceUnit {
        TraceUnit {
            return_stack: if self.return_stack { 3 } else { 0 },
            broadcast: self.broadcast,
            cycle_threshold: self.threshold,
            timestamp_cycles: self.timestamps,
            cid: self.has_context.then_some(0x1234),
            vmid: self.has_context.then_some(7),
            sync_bytes: Some(4096),
            ipc,
            ..TraceUnit::default()
        }
    }
}
