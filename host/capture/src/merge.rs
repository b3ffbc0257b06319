// SPDX-License-Identifier: MIT OR Apache-2.0
//! One order for what several sources of a port report.

use std::collections::VecDeque;

/// The most items that wait for an earlier one of another source.
const WINDOW: usize = 1 << 12;

/// What gave an item its place in a merged list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The time: no item of the same clock before it is later.
    Time,
    /// Only where it is in the port: its source shares its clock with no other, its time is not known, or
    /// it came too late.
    Place,
}

/// An item of a merged list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged<T> {
    /// The source, by its index.
    pub source: usize,
    /// Where it is in the port.
    pub place: u64,
    /// Its time in ticks of the source's clock, if that is known.
    pub time: Option<u64>,
    /// What gave it its place in the list.
    pub order: Order,
    /// What the source reports.
    pub item: T,
}

/// Merges what sources report. Items of one source stay in their order, those of sources with a common
/// clock are in the order of their times, and clocks among each other are in the order of the port. At most
/// 4096 items wait for an earlier one of another source.
#[derive(Clone, Debug)]
pub struct Merge<T> {
    /// The clock of each source. A source without one that others have too has a clock of its own.
    clocks: Vec<usize>,
    /// Which of these clocks several sources have.
    is_common: Vec<bool>,
    /// The items of each source that wait, each with the number of items before it.
    waiting: Vec<VecDeque<(u64, Merged<T>)>>,
    /// Items so far.
    items: u64,
    /// The latest time of each clock in the list.
    latest: Vec<Option<u64>>,
}

impl<T: Clone> Merge<T> {
    /// Sources, by the number of the clock of each; none if its clock is not that of another source.
    pub fn new(clocks: &[Option<u8>]) -> Merge<T> {
        let first = |(index, clock): (usize, &Option<u8>)| {
            let same = clocks.iter().position(|it| it == clock && it.is_some());
            same.unwrap_or(index)
        };
        let clocks: Vec<usize> = clocks.iter().enumerate().map(first).collect();
        let sources = |clock: usize| clocks.iter().filter(|it| **it == clock).count();
        Merge {
            is_common: (0..clocks.len()).map(|clock| sources(clock) > 1).collect(),
            waiting: vec![VecDeque::new(); clocks.len()],
            items: 0,
            latest: vec![None; clocks.len()],
            clocks,
        }
    }

    /// Takes the next item of the port, whatever its source is. `sink` gets the items that no later one can come
    /// before.
    pub fn push(&mut self, item: Merged<T>, mut sink: impl FnMut(&Merged<T>)) {
        self.waiting[item.source].push_back((self.items, item));
        self.items += 1;
        while let Some((source, is_certain)) = self.next() {
            let is_full = self.waiting.iter().map(VecDeque::len).sum::<usize>() > WINDOW;
            if !is_certain && !is_full {
                break;
            }
            self.give(source, &mut sink);
        }
    }

    /// No more items come.
    pub fn finish(&mut self, mut sink: impl FnMut(&Merged<T>)) {
        while let Some((source, _)) = self.next() {
            self.give(source, &mut sink);
        }
    }

    /// The source of the next item, and whether nothing can come before that.
    fn next(&self) -> Option<(usize, bool)> {
        let fronts = || {
            let fronts = self.waiting.iter().filter_map(VecDeque::front);
            fronts.map(|(number, item)| (self.clocks[item.source], *number, item))
        };
        let is_earliest = |clock: usize, number: u64| {
            let same = fronts().filter(|(other, ..)| *other == clock);
            let first = same.min_by_key(|(_, number, item)| (item.time, *number));
            first.is_some_and(|(_, earliest, _)| earliest == number)
        };
        let candidates = fronts().filter(|(clock, number, _)| is_earliest(*clock, *number));
        let (clock, _, item) = candidates.min_by_key(|(_, number, _)| *number)?;
        let mut same = self.clocks.iter().zip(&self.waiting);
        let is_certain = same.all(|(other, waiting)| *other != clock || !waiting.is_empty());
        Some((item.source, is_certain))
    }

    fn give(&mut self, source: usize, sink: &mut impl FnMut(&Merged<T>)) {
        let clock = self.clocks[source];
        let latest = &mut self.latest[clock];
        if let Some((_, mut item)) = self.waiting[source].pop_front() {
            let is_timed = self.is_common[clock] && item.time.is_some() && item.time >= *latest;
            item.order = if is_timed { Order::Time } else { Order::Place };
            *latest = item.time.max(*latest);
            sink(&item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source, place and time of each item in the list, and whether the time gave its place.
    fn merged(
        clocks: &[Option<u8>],
        items: &[(usize, u64, Option<u64>)],
    ) -> Vec<(usize, u64, bool)> {
        let mut merge = Merge::new(clocks);
        let mut list = Vec::new();
        let mut sink = |it: &Merged<()>| list.push((it.source, it.place, it.order == Order::Time));
        for &(source, place, time) in items {
            let order = Order::Place;
            let item = Merged {
                source,
                place,
                time,
                order,
                item: (),
            };
            merge.push(item, &mut sink);
        }
        merge.finish(&mut sink);
        list
    }

    #[test]
    fn without_a_common_clock_the_port_gives_the_order() {
        let items = [
            (0, 1, Some(90)),
            (1, 2, Some(10)),
            (0, 3, Some(91)),
            (2, 4, None),
        ];
        let list = merged(&[None, Some(1), Some(2)], &items);
        assert_eq!(
            list,
            [(0, 1, false), (1, 2, false), (0, 3, false), (2, 4, false)]
        );
    }

    #[test]
    fn a_common_clock_gives_the_order_and_unknown_times_come_first() {
        let items = [
            (0, 1, Some(20)),
            (0, 2, Some(40)),
            (1, 3, None),
            (1, 4, Some(30)),
        ];
        let list = merged(&[Some(1), Some(1)], &items);
        assert_eq!(
            list,
            [(1, 3, false), (0, 1, true), (1, 4, true), (0, 2, true)]
        );
    }

    #[test]
    fn an_item_that_comes_behind_a_full_window_is_marked() {
        let window = WINDOW as u64;
        let early = (0..=window).map(|place| (0, place, Some(place)));
        let items: Vec<_> = early.chain([(1, window, Some(0))]).collect();
        let list = merged(&[Some(1), Some(1)], &items);
        assert_eq!(list[..3], [(0, 0, true), (1, window, true), (0, 1, true)]);
        let early = (0..2 * window).map(|place| (0, place, Some(place)));
        let items: Vec<_> = early.chain([(1, 2 * window, Some(0))]).collect();
        let late = merged(&[Some(1), Some(1)], &items);
        let place = late.iter().position(|it| it.0 == 1).expect("the late one");
        assert_eq!((place as u64, late[place].2), (window, false));
    }
}
