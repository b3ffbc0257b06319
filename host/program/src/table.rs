// SPDX-License-Identifier: MIT OR Apache-2.0
//! The symbols of an ELF file by address.

use std::cmp::Reverse;
use std::collections::HashMap;

use object::{
    File, Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionIndex, Symbol, SymbolKind,
};

use crate::elf::is_loaded;

/// Disjoint stretches of addresses, each with the innermost symbol there.
#[derive(Debug, Default)]
pub struct SymbolTable<'a> {
    stretches: Vec<Stretch<'a>>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch<'a> {
    start: u64,
    end: u64,
    symbol: Function<'a>,
}

/// A symbol and its file addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// Its first address.
    pub start: u64,
    /// The address behind its last one.
    pub end: u64,
    /// Its name, as it is in the file.
    pub name: &'a str,
    /// It is said to be a function, and not a label or data.
    pub is_function: bool,
    /// Other files may have the same name for something else.
    pub is_local: bool,
}

/// A symbol whose end is not known yet, in the order in which later ones are taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate<'a> {
    start: u64,
    is_function: bool,
    size: u64,
    is_global: bool,
    name: Reverse<&'a str>,
    /// The end of its section or segment.
    limit: u64,
}

impl<'a> SymbolTable<'a> {
    /// The symbols of a file; those for the dynamic linker if it has no others.
    pub fn new(elf: &File<'a>) -> SymbolTable<'a> {
        let limits = Limits::new(elf);
        let mut candidates: Vec<Candidate<'a>> = elf
            .symbols()
            .filter_map(|symbol| limits.candidate(&symbol))
            .collect();
        if candidates.is_empty() {
            candidates.extend(
                elf.dynamic_symbols()
                    .filter_map(|symbol| limits.candidate(&symbol)),
            );
        }
        candidates.sort_unstable();
        SymbolTable {
            stretches: stretches(&ranges(&candidates)),
        }
    }

    /// The symbol of a file address, and the offset of the address in it.
    pub fn at(&self, address: u64) -> Option<(&'a str, u64)> {
        let (symbol, _) = self.stretch_at(address)?;
        Some((symbol.name, address - symbol.start))
    }

    /// The symbol of a file address, and the address up to which it is that of all addresses.
    pub fn stretch_at(&self, address: u64) -> Option<(Function<'a>, u64)> {
        let behind = self.stretches.partition_point(|it| it.start <= address);
        let stretch = self.stretches[..behind].last()?;
        (address < stretch.end).then_some((stretch.symbol, stretch.end))
    }

    /// The first address behind this one at which a symbol begins to be that of the addresses.
    pub fn next_stretch(&self, address: u64) -> Option<u64> {
        let behind = self.stretches.partition_point(|it| it.start <= address);
        Some(self.stretches.get(behind)?.start)
    }

    /// Every symbol that is that of some address, by its first address.
    pub fn symbols(&self) -> Vec<Function<'a>> {
        let mut symbols: Vec<Function<'a>> = self.stretches.iter().map(|it| it.symbol).collect();
        symbols.sort_unstable_by_key(|symbol| (symbol.start, symbol.end, symbol.name));
        symbols.dedup();
        symbols
    }
}

/// What a symbol cannot go beyond.
struct Limits {
    sections: HashMap<SectionIndex, (u64, u64)>,
    segments: Vec<(u64, u64)>,
}

impl Limits {
    fn new(elf: &File<'_>) -> Limits {
        let range = |address: u64, size| (address, address.saturating_add(size));
        let sections = elf.sections().filter(is_loaded);
        let segments = elf.segments();
        Limits {
            sections: sections
                .map(|section| (section.index(), range(section.address(), section.size())))
                .collect(),
            segments: segments
                .map(|segment| range(segment.address(), segment.size()))
                .collect(),
        }
    }

    /// A symbol that names code or data in memory.
    fn candidate<'a>(&self, symbol: &Symbol<'a, '_>) -> Option<Candidate<'a>> {
        let name = symbol.name().ok()?;
        let kind = symbol.kind();
        let is_kind = matches!(
            kind,
            SymbolKind::Text | SymbolKind::Data | SymbolKind::Unknown
        );
        if !is_kind || !symbol.is_definition() || name.is_empty() || is_mapping_symbol(name) {
            return None;
        }
        // Bit 0 of the address of a T32 function is set.
        let start = symbol.address() & !1;
        let is_inside = |(low, high): &&(u64, u64)| (*low..*high).contains(&start);
        let range = match symbol.section_index() {
            Some(index) => self.sections.get(&index).filter(is_inside),
            None => self.segments.iter().find(is_inside),
        };
        Some(Candidate {
            start,
            is_function: kind == SymbolKind::Text,
            size: symbol.size(),
            is_global: symbol.is_global(),
            name: Reverse(name),
            limit: range?.1,
        })
    }
}

/// `$x`, `$a`, `$t` and `$d` mark code and data, alone or with a dot and anything behind it.
fn is_mapping_symbol(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    matches!(name, "$x" | "$a" | "$t" | "$d")
}

/// Gives each symbol its end: by its size, or at the next one if it has none.
fn ranges<'a>(candidates: &[Candidate<'a>]) -> Vec<Function<'a>> {
    let mut next = u64::MAX;
    let mut start_behind = u64::MAX;
    let mut ranges = Vec::with_capacity(candidates.len());
    for candidate in candidates.iter().rev() {
        if candidate.start < start_behind {
            next = start_behind;
            start_behind = candidate.start;
        }
        let end = match candidate.size {
            0 => next,
            size => candidate.start.saturating_add(size),
        };
        ranges.push(Function {
            start: candidate.start,
            end: end.min(candidate.limit),
            name: candidate.name.0,
            is_function: candidate.is_function,
            is_local: !candidate.is_global,
        });
    }
    ranges.reverse();
    ranges
}

/// Makes stretches of symbols sorted by address, of which some may be inside others.
fn stretches<'a>(ranges: &[Function<'a>]) -> Vec<Stretch<'a>> {
    let mut stretches = Vec::new();
    let mut open: Vec<Function<'a>> = Vec::new();
    let mut at = 0;
    for range in ranges {
        close(&mut stretches, &mut open, &mut at, range.start);
        open.push(*range);
    }
    close(&mut stretches, &mut open, &mut at, u64::MAX);
    stretches
}

/// Adds the stretches of the open symbols from one address to another.
fn close<'a>(
    stretches: &mut Vec<Stretch<'a>>,
    open: &mut Vec<Function<'a>>,
    at: &mut u64,
    to: u64,
) {
    while let Some(symbol) = open.last().copied() {
        let (start, end) = (symbol.start.max(*at), symbol.end.min(to));
        if start < end {
            stretches.push(Stretch { start, end, symbol });
            *at = end;
        }
        if symbol.end > to {
            break;
        }
        open.pop();
    }
    *at = to.max(*at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_innermost_symbol_of_an_address_is_found(
            symbols in prop::collection::vec((0_u64..60, 0_u64..20, 1_u64..80), 0..20),
        ) {
            let candidate = |&(start, size, room): &(u64, u64, u64)| Candidate {
                start,
                is_function: true,
                size,
                is_global: true,
                name: Reverse(""),
                limit: start + room,
            };
            let mut candidates: Vec<Candidate<'_>> = symbols.iter().map(candidate).collect();
            candidates.sort_unstable();
            let table = SymbolTable { stretches: stretches(&ranges(&candidates)) };
            let holds = |candidate: &Candidate<'_>, address: u64| {
                let starts = candidates.iter().map(|other| other.start);
                let next = starts.filter(|&start| start > candidate.start).min();
                let end = match candidate.size {
                    0 => next.unwrap_or(u64::MAX),
                    size => candidate.start + size,
                };
                (candidate.start..end.min(candidate.limit)).contains(&address)
            };
            for address in 0..160 {
                let innermost = candidates.iter().rfind(|it| holds(it, address));
                let want = innermost.map(|it| ("", address - it.start));
                prop_assert_eq!(table.at(address), want, "{}", address);
            }
        }
    }
}
