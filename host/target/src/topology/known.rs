// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which addresses of a topology are in the areas that a preset describes.

use std::ops::Range;

use coretrace_coresight::map::COMPONENT_BYTES;

use super::{PRESETS, Receiver, Topology};

impl Topology {
    /// The first range that is in no area of any preset: only the user knows what is there.
    pub fn unknown(&self) -> Option<Range<u64>> {
        let presets = PRESETS.iter().filter_map(|preset| preset.topology().ok());
        let areas: Vec<Range<u64>> = presets.flat_map(|preset| preset.areas()).collect();
        let is_known = |range: &Range<u64>| {
            let mut areas = areas.iter();
            areas.any(|area| area.start <= range.start && range.end <= area.end)
        };
        self.ranges().into_iter().find(|range| !is_known(range))
    }

    /// From its lowest to its highest component, and the registers of its clocks and cores.
    fn areas(&self) -> Vec<Range<u64>> {
        let bases = self.components.iter().map(|component| component.base);
        let bases: Vec<u64> = bases.chain(self.rom).collect();
        let ends = bases.iter().min().zip(bases.iter().max());
        let components = ends.map(|(first, last)| *first..*last + COMPONENT_BYTES);
        let clocks = self
            .clocks
            .iter()
            .map(|clock| clock.address..clock.address + 4);
        let receivers = self.receivers.iter().flat_map(Receiver::ranges);
        components
            .into_iter()
            .chain(clocks)
            .chain(receivers)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Preset;

    #[test]
    fn a_preset_is_known_and_what_is_outside_of_its_areas_is_not() {
        for preset in PRESETS {
            assert_eq!(preset.topology().expect(preset.name).unknown(), None);
        }
        let zynqmp = || Preset::find("zynqmp").expect("a preset").topology();
        let mut moved = zynqmp().expect("a topology");
        moved.components[1].base = 0xFE80_5000;
        assert_eq!(moved.unknown(), None);
        moved.components[1].base = 0xFE00_0000;
        assert_eq!(moved.unknown(), Some(0xFE00_0000..0xFE00_1000));
        let mut clocked = zynqmp().expect("a topology");
        clocked.clocks[0].address += 4;
        let register = clocked.clocks[0].address;
        assert_eq!(clocked.unknown(), Some(register..register + 4));
    }
}
