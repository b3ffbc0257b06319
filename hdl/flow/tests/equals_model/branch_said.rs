// SPDX-License-Identifier: MIT OR Apache-2.0
//! What blocks say of branches, in the words of the model.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_hdl_dataflow::Wide;
use coretrace_sites::BranchStep;

/// The values of the ports of an event.
pub struct Ports {
    pub begins: bool,
    pub pc: Wide,
    pub next_pc: Wide,
    pub kind: u64,
    pub taken: bool,
    pub is_discontinuity: bool,
    pub instructions: u64,
}

impl Ports {
    pub fn said(&self) -> BranchStep {
        let address = |port: &Wide| ((port.field(0, 62) << 2) as i64) as u64;
        let next = address(&self.next_pc);
        let instructions = self.instructions as u32;
        match () {
            () if self.begins => BranchStep::Start(next),
            () if self.is_discontinuity => {
                BranchStep::Event(Event::Discontinuity { instructions, next })
            }
            () => BranchStep::Event(Event::Branch(Branch {
                address: address(&self.pc),
                kind: BranchKind(self.kind as u8),
                taken: self.taken,
                next,
                instructions,
            })),
        }
    }
}

/// The event at the outputs of a block, if there is one.
macro_rules! branch_said {
    ($uut:expr) => {
        $uut.branch_valid.val().then(|| {
            $crate::branch_said::Ports {
                begins: $uut.begins.val(),
                pc: $uut.pc.val().to_wide(),
                next_pc: $uut.next_pc.val().to_wide(),
                kind: $uut.kind.val().to_u64(),
                taken: $uut.taken_branch.val(),
                is_discontinuity: $uut.is_discontinuity.val(),
                instructions: $uut.instructions.val().to_u64(),
            }
            .said()
        })
    };
}
pub(crate) use branch_said;

/// Demands the same events.
pub fn assert_same(want: &[BranchStep], got: &[BranchStep], name: &str) {
    if let Some(first) = want.iter().zip(got).position(|(want, got)| want != got) {
        let around = |steps: &[BranchStep]| {
            let steps = steps.iter().skip(first.saturating_sub(3)).take(6);
            steps.map(|step| format!("{step:x?}\n")).collect::<String>()
        };
        let (want, got) = (around(want), around(got));
        panic!("{name}, event {first}:\n{want}got\n{got}");
    }
    assert_eq!(got.len(), want.len(), "{name}");
}
