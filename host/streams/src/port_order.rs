// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the streams of two sources of a port say, in the order of the port.

use std::collections::VecDeque;

use crate::place::Place;

/// The number of streams.
const STREAMS: usize = 2;
/// Bits of a lane.
const LANE_W: u32 = 2;

/// Puts the items of two streams, each with its place, into the order of the port. Items of one stream stay in their
/// order; at the same place the first stream comes first.
///
/// Both streams are of one core. Where rows begin again behind a START of a stream, the core was reset.
///
/// Memory: the items that wait. The caller reads the stream that [`PortOrder::wants`] names, so these are the items of one
/// piece of each stream.
#[derive(Clone, Debug)]
pub struct PortOrder<T> {
    streams: [Stream<T>; STREAMS],
}

/// What is known of a stream.
#[derive(Clone, Debug)]
struct Stream<T> {
    items: VecDeque<((u32, u64), T)>,
    /// Resets so far, and rows since the last one.
    resets: u32,
    row: u64,
    lane: u8,
    /// It has begun, and no place came since.
    begins: bool,
    has_ended: bool,
}

impl<T> Default for Stream<T> {
    fn default() -> Stream<T> {
        Stream {
            items: VecDeque::new(),
            resets: 0,
            row: 0,
            lane: 0,
            begins: true,
            has_ended: false,
        }
    }
}

impl<T> Default for PortOrder<T> {
    fn default() -> PortOrder<T> {
        PortOrder {
            streams: Default::default(),
        }
    }
}

impl<T> PortOrder<T> {
    /// The source of a stream was enabled.
    pub fn begin(&mut self, stream: usize) {
        self.streams[stream].begins = true;
    }

    /// What a stream says from now on is at this place.
    pub fn place(&mut self, stream: usize, place: Place) {
        let stream = &mut self.streams[stream];
        let step = place.row.wrapping_sub(stream.row as u32) as i32;
        let first = stream.row == 0 && stream.resets == 0;
        if stream.begins && (first || step < 0) {
            stream.resets += u32::from(!first);
            stream.row = place.row.into();
        } else {
            stream.row = stream.row.saturating_add_signed(step.into());
        }
        (stream.lane, stream.begins) = (place.lane, false);
    }

    /// A stream says this; without a place so far it is in front of everything.
    pub fn push(&mut self, stream: usize, item: T) {
        let stream = &mut self.streams[stream];
        let place = stream.row << LANE_W | u64::from(stream.lane);
        stream.items.push_back(((stream.resets, place), item));
    }

    /// A stream has no more items.
    pub fn end(&mut self, stream: usize) {
        self.streams[stream].has_ended = true;
    }

    /// The stream that must be read on before there is a next item; none if there is one, or nothing is left.
    pub fn wants(&self) -> Option<usize> {
        let waits = |stream: &Stream<T>| stream.items.is_empty() && !stream.has_ended;
        self.streams.iter().position(waits)
    }

    /// The next item: its stream, and its row and lane as one number since the reset, the lane in bits 1:0. None if a
    /// stream must be read on, or nothing is left.
    pub fn pop(&mut self) -> Option<(usize, u64, T)> {
        if self.wants().is_some() {
            return None;
        }
        let fronts = self
            .streams
            .iter()
            .enumerate()
            .filter_map(|(index, stream)| {
                let (key, _) = stream.items.front()?;
                Some((*key, index))
            });
        let (_, index) = fronts.min()?;
        let ((_, place), item) = self.streams[index].items.pop_front()?;
        Some((index, place, item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: u32, lane: u8) -> Place {
        Place { row, lane }
    }

    /// The items in order; an item of a stream is at a place, or behind a START.
    fn ordered(items: &[(usize, Option<Place>, &'static str)]) -> Vec<&'static str> {
        let mut order = PortOrder::default();
        for &(stream, place, item) in items {
            match place {
                Some(place) => order.place(stream, place),
                None => order.begin(stream),
            }
            order.push(stream, item);
        }
        order.end(0);
        order.end(1);
        std::iter::from_fn(|| order.pop().map(|(_, _, item)| item)).collect()
    }

    #[test]
    fn items_of_two_streams_are_in_the_order_of_their_places() {
        let items = [
            (0, Some(at(1, 0)), "a"),
            (0, Some(at(3, 2)), "d"),
            (1, Some(at(1, 1)), "b"),
            (1, Some(at(3, 1)), "c"),
        ];
        assert_eq!(ordered(&items), ["a", "b", "c", "d"]);
    }

    #[test]
    fn rows_go_on_behind_their_greatest_number() {
        let items = [
            (0, Some(at(u32::MAX, 0)), "a"),
            (0, Some(at(2, 0)), "c"),
            (1, Some(at(0, 0)), "?"),
        ];
        // The second stream began behind the end of the rows: nothing says so but its START.
        assert_eq!(ordered(&items), ["?", "a", "c"]);
        let items = [
            (0, Some(at(u32::MAX, 0)), "a"),
            (0, Some(at(2, 0)), "c"),
            (1, Some(at(u32::MAX, 1)), "b"),
            (1, Some(at(3, 1)), "d"),
        ];
        assert_eq!(ordered(&items), ["a", "b", "c", "d"]);
    }

    #[test]
    fn rows_that_begin_again_behind_a_start_are_behind_a_reset() {
        let items = [
            (0, None, "START"),
            (0, Some(at(900, 0)), "a"),
            (0, None, "START"),
            (0, Some(at(5, 0)), "c"),
            (1, None, "START"),
            (1, Some(at(950, 0)), "b"),
            (1, None, "START"),
            (1, Some(at(6, 0)), "d"),
        ];
        let starts = ["START", "START"];
        let got = ordered(&items);
        assert_eq!(got[..2], starts);
        let rest: Vec<&str> = got.into_iter().filter(|it| *it != "START").collect();
        assert_eq!(rest, ["a", "b", "c", "d"]);
    }

    #[test]
    fn the_next_item_waits_for_a_stream_that_has_not_ended() {
        let mut order = PortOrder::default();
        order.push(0, "a");
        assert_eq!((order.wants(), order.pop()), (Some(1), None));
        order.end(1);
        assert_eq!(order.pop(), Some((0, 0, "a")));
        assert_eq!(order.wants(), Some(0));
        order.end(0);
        assert_eq!((order.wants(), order.pop()), (None, None));
    }
}
