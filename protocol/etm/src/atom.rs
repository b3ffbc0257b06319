// SPDX-License-Identifier: MIT OR Apache-2.0
//! Atoms: how the outcomes of branches are packed into one header byte.
//!
//! Source: Arm IHI 0064, Atom instruction trace packets.

/// A run of atoms, oldest first.
///
/// Every Atom packet fits one rule: atom `i` is bit `min(i, 3)` of `bits`, except the last one,
/// which is bit 4. So a run of 24 atoms takes 10 bits, and nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Atoms {
    /// Number of atoms, 0 to 24.
    pub count: u8,
    /// Bit 0 to 3: the first four but the last one, the fourth is repeated. Bit 4: the last.
    /// 1 is E (taken), 0 is N.
    pub bits: u8,
}

impl Atoms {
    /// Packs up to five atoms, bit `i` of `pattern` is atom `i`.
    const fn short(count: u8, pattern: u8) -> Atoms {
        let head = (1 << (count - 1)) - 1;
        let last = (pattern >> (count - 1)) & 1;
        Atoms {
            count,
            bits: (pattern & head) | last << 4,
        }
    }

    /// Whether atom `index` (0 is the oldest) is E. `None` past the end.
    pub const fn get(self, index: u8) -> Option<bool> {
        if index >= self.count {
            return None;
        }
        let bit = match index {
            _ if index + 1 == self.count => 4,
            0..=2 => index,
            _ => 3,
        };
        Some(self.bits >> bit & 1 == 1)
    }

    /// The atoms as bits, the oldest in bit 0; 1 is E.
    #[inline]
    pub const fn pattern(self) -> u32 {
        // Of no atoms all bits are 0, and so is what is shifted.
        let last = (self.count as u32).wrapping_sub(1) % 32;
        let bits = self.bits as u32;
        let repeated = (bits >> 3 & 1).wrapping_neg();
        let before = bits & 7 | repeated & !7;
        before & ((1 << last) - 1) | (bits >> 4 & 1) << last
    }

    /// The atoms, oldest first; `true` is E.
    pub fn iter(self) -> impl Iterator<Item = bool> {
        (0..self.count).filter_map(move |i| self.get(i))
    }
}

/// The atoms that a header carries: Atom packets, and the atoms inside Mispredict, Cancel
/// formats 2 and 3 and Unnumbered Data Synchronization Markers. Other headers carry none.
pub const fn atoms(header: u8) -> Atoms {
    let low = header & 0x1F;
    match header {
        // E's, then the last atom: E in C0-D4, N in E0-F4.
        0xC0..=0xD4 => Atoms {
            count: low + 4,
            bits: 0b11111,
        },
        0xE0..=0xF4 => Atoms {
            count: low + 4,
            bits: 0b01111,
        },
        0xF6 | 0xF7 => Atoms::short(1, header & 1),
        0xD8..=0xDB => Atoms::short(2, header & 3),
        0xF8..=0xFF => Atoms::short(3, header & 7),
        0xDC => Atoms::short(4, 0b1110),
        0xDD => Atoms::short(4, 0b0000),
        0xDE => Atoms::short(4, 0b1010),
        0xDF => Atoms::short(4, 0b0101),
        0xD5 => Atoms::short(5, 0b00000),
        0xD6 => Atoms::short(5, 0b01010),
        0xD7 => Atoms::short(5, 0b10101),
        0xF5 => Atoms::short(5, 0b11110),
        0x31 | 0x35 => Atoms::short(1, 1),
        0x32 | 0x36 => Atoms::short(2, 3),
        0x33 | 0x37 => Atoms::short(1, 0),
        0x38..=0x3F if header & 1 == 1 => Atoms::short(1, 1),
        0x29..=0x2C => {
            let count = header & 7;
            Atoms::short(count, (1 << count) - 1)
        }
        _ => Atoms { count: 0, bits: 0 },
    }
}

/// [`atoms`] of every header.
pub const ATOMS: [Atoms; 256] = {
    let mut table = [Atoms { count: 0, bits: 0 }; 256];
    let mut header = 0;
    while header < 256 {
        table[header] = atoms(header as u8);
        header += 1;
    }
    table
};

/// Number of P0 elements that a Cancel packet of format 2 or 3 cancels.
pub const fn cancel_count(header: u8) -> u32 {
    match header {
        0x38..=0x3F => (header as u32 >> 1 & 3) + 2,
        0x34..=0x37 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::String;

    fn text(header: u8) -> String {
        atoms(header)
            .iter()
            .map(|e| if e { 'E' } else { 'N' })
            .collect()
    }

    #[test]
    fn cancels_of_formats_2_and_3_say_how_many_elements() {
        let format2 = [1; 4].iter();
        let format3 = [2, 2, 3, 3, 4, 4, 5, 5].iter();
        for (header, &want) in (0x34..=0x3F).zip(format2.chain(format3)) {
            assert_eq!(cancel_count(header), want, "{header:#04x}");
        }
        let others = (0..0x34).chain(0x40..=0xFF);
        assert!(others.into_iter().all(|header| cancel_count(header) == 0));
    }

    #[test]
    fn a_pattern_has_a_bit_for_each_atom() {
        for header in 0..=255 {
            let bit = |(place, e)| u32::from(e) << place;
            let want: u32 = atoms(header).iter().enumerate().map(bit).sum();
            assert_eq!(atoms(header).pattern(), want, "{header:#04x}");
        }
    }

    #[test]
    fn atoms_are_those_of_the_specification() {
        for (header, want) in [
            (0xF6, "N"),
            (0xF7, "E"),
            (0xD9, "EN"),
            (0xDA, "NE"),
            (0xF9, "ENN"),
            (0xFB, "EEN"),
            (0xFC, "NNE"),
            (0xDC, "NEEE"),
            (0xDD, "NNNN"),
            (0xDE, "NENE"),
            (0xDF, "ENEN"),
            (0xD5, "NNNNN"),
            (0xD6, "NENEN"),
            (0xD7, "ENENE"),
            (0xF5, "NEEEE"),
            (0xC0, "EEEE"),
            (0xE0, "EEEN"),
            // Unnumbered Data Synchronization Markers.
            (0x28, ""),
            (0x29, "E"),
            (0x2A, "EE"),
            (0x2B, "EEE"),
            (0x2C, "EEEE"),
            (0x2D, ""),
            // Mispredict, and Cancel of formats 2 and 3.
            (0x30, ""),
            (0x31, "E"),
            (0x32, "EE"),
            (0x33, "N"),
            (0x34, ""),
            (0x35, "E"),
            (0x36, "EE"),
            (0x37, "N"),
            (0x38, ""),
            (0x39, "E"),
            (0x3A, ""),
            (0x3F, "E"),
        ] {
            assert_eq!(text(header), want, "header {header:#04x}");
        }
        assert_eq!(text(0xD4), "E".repeat(24));
        assert_eq!(text(0xF4), "E".repeat(23) + "N");
    }
}
