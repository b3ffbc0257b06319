// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a trace contradicts the images: they are not what was executed.

use std::collections::BTreeMap;

/// Addresses that are kept of each doubt.
const KEPT: usize = 3;

/// How a trace contradicts an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// A branch without a condition was not taken. Not known in T32, where an IT instruction may give
    /// it one.
    NotTaken,
    /// The program went on at another address than the image says.
    OtherTarget,
    /// An exception returns to where the program cannot have been.
    ReturnAddress,
    /// A return without a call.
    EmptyStack,
}

/// How often, and where first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// How often.
    pub count: u64,
    /// The first addresses, three at most.
    pub first: Vec<u64>,
}

/// All doubts, by the index of the image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    places: BTreeMap<(usize, Doubt), Places>,
}

impl Doubts {
    /// Adds the doubts of what comes behind.
    pub fn append(&mut self, behind: &Doubts) {
        for (key, Places { count, first }) in &behind.places {
            let places = self.places.entry(*key).or_default();
            places.count += count;
            let room = KEPT - places.first.len();
            places.first.extend(first.iter().take(room));
        }
    }

    pub(crate) fn add(&mut self, image: usize, doubt: Doubt, address: u64) {
        let places = self.places.entry((image, doubt)).or_default();
        places.count += 1;
        if places.first.len() < KEPT {
            places.first.push(address);
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.places.values().map(|places| places.count).sum()
    }

    /// Those of each image that has any, with its index, in the order of the images.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Doubt, &Places)> {
        let all = self.places.iter();
        all.map(|(&(image, doubt), places)| (image, doubt, places))
    }
}
