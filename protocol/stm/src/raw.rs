// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nibbles of a packet, for listings.

/// Nibbles that are kept: the longest packet has 35.
const KEPT: usize = 36;

/// The nibbles of a packet. Only a broken or an overlong ASYNC has more than 36: of it, the last nibble is kept,
/// and those before are all F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawNibbles {
    nibbles: [u8; KEPT],
    len: u64,
}

impl RawNibbles {
    /// No nibble.
    pub const EMPTY: RawNibbles = RawNibbles {
        nibbles: [0; KEPT],
        len: 0,
    };

    /// Appends a nibble.
    pub fn push(&mut self, nibble: u8) {
        let place = (self.len as usize).min(KEPT - 1);
        self.nibbles[place] = nibble;
        self.len += 1;
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The nibbles in the order of the stream.
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        let (nibbles, len) = (self.nibbles, self.len);
        (0..len).map(move |place| match place + 1 == len {
            true => nibbles[(place as usize).min(KEPT - 1)],
            false => nibbles[(place as usize).min(KEPT - 2)],
        })
    }
}
