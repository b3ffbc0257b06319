// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stretches of a program with the most bytes.

use std::collections::VecDeque;

use coretrace_test_gen::trace_unit::Observer;

/// Instructions of the stretches that are looked at.
pub const WINDOWS: [u64; 2] = [1000, 10_000];

/// Finds the worst stretch of at least so many instructions.
#[derive(Clone, Debug)]
struct Window {
    instructions: u64,
    /// Instructions and bytes at earlier places. All but the first are less than a stretch ago.
    places: VecDeque<(u64, u64)>,
    /// Bytes per instruction.
    worst: f64,
}

impl Window {
    fn new(instructions: u64) -> Window {
        Window {
            instructions,
            places: VecDeque::from([(0, 0)]),
            worst: 0.0,
        }
    }

    fn add(&mut self, instructions: u64, bytes: u64) {
        self.places.push_back((instructions, bytes));
        let is_far = |place: &(u64, u64)| instructions - place.0 >= self.instructions;
        while self.places.get(1).is_some_and(is_far) {
            self.places.pop_front();
        }
        if let Some(first) = self.places.front().copied().filter(is_far) {
            let rate = (bytes - first.1) as f64 / (instructions - first.0) as f64;
            self.worst = self.worst.max(rate);
        }
    }
}

/// The traffic of a trace unit.
#[derive(Clone, Debug)]
pub struct Traffic {
    windows: [Window; WINDOWS.len()],
    newest: (u64, u64),
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic {
            windows: WINDOWS.map(Window::new),
            newest: (0, 0),
        }
    }
}

impl Observer for Traffic {
    fn progress(&mut self, instructions: u64, bytes: u64) {
        self.newest = (instructions, bytes);
        for window in &mut self.windows {
            window.add(instructions, bytes);
        }
    }
}

impl Traffic {
    /// Bytes per instruction in the worst stretch of each of [`WINDOWS`]; those of the whole program
    /// if it is shorter.
    pub fn worst(&self) -> [f64; WINDOWS.len()] {
        let (instructions, bytes) = self.newest;
        let all = bytes as f64 / instructions.max(1) as f64;
        let worst = |window: &Window| window.worst.max(all);
        [worst(&self.windows[0]), worst(&self.windows[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_finds_the_stretch_with_the_most_bytes() {
        let mut traffic = Traffic::default();
        let mut bytes = 0;
        for place in 1..=3000u64 {
            // 1000 instructions with 500 bytes among many with one for each 100.
            let is_busy = (1200..1700).contains(&place);
            bytes += u64::from(is_busy || place % 50 == 0);
            traffic.progress(2 * place, bytes);
        }
        let [worst, longer] = traffic.worst();
        assert!((0.5..0.52).contains(&worst), "{worst}");
        assert!((longer - bytes as f64 / 6000.0).abs() < 1e-9, "{longer}");
    }
}
