// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ports of an event, at an encoder or a compressor.

use coretrace_abi::compressed::branch::Event;
use coretrace_test_verilog::engine::{Engine, Field};

/// The ports of an event.
#[derive(Clone, Copy)]
pub struct EventPorts {
    event_valid: Field,
    /// Not all encoders use it.
    pc: Option<Field>,
    next_pc: Field,
    kind: Field,
    taken: Field,
    is_discontinuity: Field,
    instructions: Field,
}

impl EventPorts {
    pub fn new(engine: &Engine) -> EventPorts {
        let input = |port| engine.input(port).expect("an input");
        EventPorts {
            event_valid: input("event_valid"),
            pc: engine.input("pc").ok(),
            next_pc: input("next_pc"),
            kind: input("kind"),
            taken: input("taken"),
            is_discontinuity: input("is_discontinuity"),
            instructions: input("instructions"),
        }
    }

    /// An event, or none.
    pub fn drive(self, frame: &mut [u8], event: Option<Event>) {
        self.event_valid.set(frame, event.is_some().into());
        let Some(event) = event else {
            return;
        };
        self.instructions.set(frame, event.instructions().into());
        self.next_pc.set(frame, event.next() >> 2);
        self.is_discontinuity.set(frame, 1);
        if let Event::Branch(branch) = event {
            self.is_discontinuity.set(frame, 0);
            if let Some(pc) = self.pc {
                pc.set(frame, branch.address >> 2);
            }
            self.kind.set(frame, branch.kind.0.into());
            self.taken.set(frame, branch.taken.into());
        }
    }

    /// No event, but execution begins here.
    pub fn begin(self, frame: &mut [u8], start: u64) {
        self.event_valid.set(frame, 1);
        self.next_pc.set(frame, start >> 2);
    }
}
