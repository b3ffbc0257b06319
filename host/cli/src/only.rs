// SPDX-License-Identifier: MIT OR Apache-2.0
//! The code of a flow table, where not all of a program is in it.

use std::ops::Range;

use anyhow::{Context, Result, ensure};
use coretrace_flow::Image;
use coretrace_program::Symbols;

use crate::places::places;

/// Addresses of code.
pub struct Only(Vec<Range<u64>>);

impl Only {
    /// What the user names of this memory; all of it if nothing is named.
    ///
    /// # Errors
    /// If a place is none, or nothing is there.
    pub fn new(named: &[String], images: &[Image], symbols: &Symbols<'_>) -> Result<Only> {
        let mut ranges = Vec::new();
        for place in named {
            let of_place = ranges_of(place, symbols)?;
            let is_code = |range: &Range<u64>| images.iter().any(|it| it.cut(range).is_some());
            ensure!(of_place.iter().any(is_code), "there is no code at {place}");
            ranges.extend(of_place);
        }
        if named.is_empty() {
            ranges.push(0..u64::MAX);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        Ok(Only(ranges))
    }

    /// The parts of images that it has.
    pub fn of(&self, images: Vec<Image>) -> Vec<Image> {
        let parts = |image: Image| {
            let mut next = 0;
            let part = |range: &Range<u64>| {
                let part = image.cut(&(range.start.max(next)..range.end));
                next = next.max(range.end);
                part
            };
            self.0.iter().filter_map(part).collect::<Vec<_>>()
        };
        images.into_iter().flat_map(parts).collect()
    }
}

/// The addresses of a function, of that at an address, or between two addresses.
fn ranges_of(place: &str, symbols: &Symbols<'_>) -> Result<Vec<Range<u64>>> {
    if let Some((start, end)) = place.split_once("-0x") {
        let hex = |digits| u64::from_str_radix(digits, 16).ok();
        let ends = start.strip_prefix("0x").and_then(hex).zip(hex(end));
        let range = ends.map(|(start, end)| start..end);
        let range = range
            .filter(|range| !range.is_empty())
            .with_context(|| format!("{place} is no range of addresses: 0x1000-0x2000 is one"))?;
        return Ok(vec![range]);
    }
    let ranges = places(place, symbols)?.into_iter().map(|entry| {
        let function = symbols.function(entry.start);
        let function = function.with_context(|| format!("no function is at {place}"))?;
        let start = function.start;
        let mut end = function.part.end;
        // Symbols within it cut it into parts.
        while let Some(behind) = symbols
            .function(end)
            .filter(|it| it.start == start && it.part.end > end)
        {
            end = behind.part.end;
        }
        Ok(start..end)
    });
    ranges.collect()
}
