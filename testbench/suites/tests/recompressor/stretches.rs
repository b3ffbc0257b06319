// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was executed, as stretches of instructions that follow each other.

use coretrace_abi::compressed::branch::{Branch, Event};
use coretrace_replay::{Blocks, ImageCode};

/// Addresses of the first instruction of each stretch and behind the last one.
#[derive(Default)]
pub struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    pub fn add(&mut self, start: u64, end: u64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ if start == end => {}
            _ => self.0.push((start, end)),
        }
    }

    /// Those of the lines of a walk.
    pub fn of_walk(walk: &str) -> Stretches {
        let mut stretches = Stretches::default();
        for line in walk.lines() {
            let mut fields = line.split(' ');
            let mut field = || u64::from_str_radix(fields.next().expect("a field"), 16);
            stretches.add(field().expect("an address"), field().expect("an address"));
        }
        stretches
    }

    /// Those that a reader with the memory of the program finds in blocks.
    pub fn of_blocks(memory: &[u8], code: &ImageCode) -> Stretches {
        let mut stretches = Stretches::default();
        for block in Blocks::new(memory) {
            let mut start = block.header.address;
            for event in block.events(code).expect("an encoder") {
                let (end, next) = match event.expect("an event") {
                    Event::Branch(Branch { address, next, .. }) => (address + 4, next),
                    Event::Discontinuity { instructions, next } => {
                        (start + 4 * u64::from(instructions), next)
                    }
                };
                stretches.add(start, end);
                start = next;
            }
        }
        stretches
    }

    /// Demands all of these stretches but the last `most_missing`, and one more up to its last branch. Two may be
    /// missing anyway: one behind the last event, up to an exception, and the one behind that, without a branch.
    pub fn check(&self, want: &Stretches, most_missing: usize, name: &str) {
        let (Stretches(got), Stretches(want)) = (self, want);
        let (last, whole) = got.split_last().expect("a stretch");
        let all = got.iter().zip(want).zip(0..whole.len());
        for ((got, want), number) in all {
            assert_eq!(got, want, "{name}, stretch {number}");
        }
        let missing = want.len() - got.len();
        assert!(missing <= most_missing, "{name}: {missing} are missing");
        let of_want = want[whole.len()];
        assert!(
            last.0 == of_want.0 && last.1 <= of_want.1,
            "{name}: {last:x?}"
        );
    }
}
