// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of the best-known session, core 0 of a Zynq UltraScale+ to its trace port, and the state that
//! they reach.

use std::fs;
use std::path::Path;

use coretrace_target::{Bus, Ending, Journal, execute, text};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, zynqmp};

#[test]
fn the_steps_of_a_start_and_a_stop_are_those_of_the_golden_file() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let (mut world, mut journal) = (World::cold(&topology), Journal::default());
    let ending = execute(
        &topology,
        &plan.steps,
        &mut world,
        &mut Ticks::default(),
        &mut journal,
    );
    assert_eq!(ending, Ending::Done);
    let stop = coretrace_target::undo_steps(&topology, &journal);
    let found = format!("start\n{}stop\n{}", text(&plan.steps), text(&stop));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions/zynqmp.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &found).expect("written");
    }
    assert_eq!(fs::read_to_string(&file).expect("the golden file"), found);
}

#[test]
fn a_start_reaches_the_values_that_the_manuals_ask_for() {
    let topology = zynqmp();
    let plan = plan(&topology, &[0], &["tpiu"]);
    let mut world = World::cold(&topology);
    let mut run = |steps: &[_]| {
        execute(
            &topology,
            steps,
            &mut world,
            &mut Ticks::default(),
            &mut Journal::default(),
        )
    };
    assert_eq!(run(&plan.steps), Ending::Done);
    for (address, value) in [
        (0xFE98_0004, 0x8000_0000),
        (0xFE98_0308, 0x40),
        (0xFE98_0304, 3),
        (0xFE96_0000, 0xFF),
        (0xFE96_0004, 0),
        (0xFE95_0028, 2),
        (0xFE95_0304, 3),
        (0xFE95_0034, 0),
        (0xFE95_0020, 1),
        (0xFE93_0000, 0x304),
        (0xFE94_0028, 2),
        (0xFE94_0304, 3),
        (0xFE94_0034, 0),
        (0xFE94_0020, 1),
        (0xFE92_0000, 0x301),
        (0xFEC4_0304, 8),
        (0xFEC4_0310, 8),
        (0xFEC4_0004, 1),
        (0xFEC4_000C, 0),
    ] {
        assert_eq!(world.read32(address), Ok(value), "{address:#X}");
    }
    // Every component is claimed, and its lock is open.
    for hop in &plan.route.hops {
        let base = topology.components[hop.component].base;
        assert_eq!(world.read32(base + 0xFA4), Ok(2), "{base:#X}");
        assert_eq!(world.read32(base + 0xFB4), Ok(1), "{base:#X}");
    }
}
