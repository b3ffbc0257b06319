// SPDX-License-Identifier: MIT OR Apache-2.0
//! A user who asks for the end of a start.

use std::cell::Cell;

use coretrace_target::wrappers::Interruptible;
use coretrace_target::{BusError, Ending, Journal, execute};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, zynqmp};

#[test]
fn a_start_that_is_interrupted_at_any_access_undoes_itself() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let before = World::cold(&topology).at_rest();
    let mut undone = 0;
    for access in 0.. {
        let (mut world, mut journal) = (World::cold(&topology), Journal::default());
        let accesses = Cell::new(0);
        let mut bus = Interruptible::new(&mut world, || {
            accesses.replace(accesses.get() + 1) >= access
        });
        let ending = execute(
            &topology,
            &plan.steps,
            &mut bus,
            &mut Ticks::default(),
            &mut journal,
        );
        let failure = match &ending {
            Ending::Done => break,
            Ending::Undone(failure) => {
                undone += 1;
                failure
            }
            Ending::Refused(failure) => failure,
            Ending::Left(..) => panic!("{access}: {ending:?}"),
        };
        assert_eq!(failure.error, Some(BusError::Interrupted), "{access}");
        assert!(
            failure.advice.contains("start it again"),
            "{}",
            failure.advice
        );
        assert_eq!(world.at_rest(), before, "{access}");
    }
    assert!(undone > 100, "only {undone} were undone");
}
