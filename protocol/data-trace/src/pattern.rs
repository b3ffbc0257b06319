// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eight bits of a byte, some fixed and some named.

use anyhow::{Result, bail, ensure};

/// The bits of a byte, from bit 7: 0, 1, or a letter. A run of one letter is a field of that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    mask: u8,
    value: u8,
    fields: Vec<BitField>,
}

/// A named field of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// Its name.
    pub name: char,
    low: u32,
    width: u32,
}

impl BitField {
    /// Its value in a byte.
    pub fn of(&self, byte: u8) -> u64 {
        u64::from(byte) >> self.low & self.most()
    }

    /// The byte with this value in it.
    pub fn put(&self, byte: u8, value: u64) -> u8 {
        let mask = (self.most() << self.low) as u8;
        byte & !mask | (value << self.low) as u8 & mask
    }

    /// Its bits.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Its largest value.
    pub fn most(&self) -> u64 {
        (1 << self.width) - 1
    }
}

impl Pattern {
    /// Reads eight characters.
    ///
    /// # Errors
    /// If they are not eight of 0, 1 and ASCII letters, or a letter has two runs.
    pub fn new(text: &str) -> Result<Pattern> {
        ensure!(text.len() == 8, "{text:?} has not eight bits");
        let mut pattern = Pattern {
            mask: 0,
            value: 0,
            fields: Vec::new(),
        };
        let mut before = '0';
        for (bit, letter) in (0..8).rev().zip(text.chars()) {
            match letter {
                '0' | '1' => {
                    pattern.mask |= 1 << bit;
                    pattern.value |= u8::from(letter == '1') << bit;
                }
                'a'..='z' | 'A'..='Z' if letter == before => {
                    if let Some(field) = pattern.fields.last_mut() {
                        field.low = bit;
                        field.width += 1;
                    }
                }
                'a'..='z' | 'A'..='Z' => {
                    ensure!(
                        pattern.field(letter).is_none(),
                        "{text:?} has {letter} twice"
                    );
                    pattern.fields.push(BitField {
                        name: letter,
                        low: bit,
                        width: 1,
                    });
                }
                _ => bail!("{text:?} has {letter:?}, which is no bit"),
            }
            before = letter;
        }
        Ok(pattern)
    }

    /// Whether a byte has the fixed bits.
    pub fn matches(&self, byte: u8) -> bool {
        byte & self.mask == self.value
    }

    /// The fixed bits, with 0 in the fields.
    pub fn value(&self) -> u8 {
        self.value
    }

    /// The fields, from bit 7.
    pub fn fields(&self) -> &[BitField] {
        &self.fields
    }

    /// The field with this name.
    pub fn field(&self, name: char) -> Option<BitField> {
        self.fields.iter().copied().find(|field| field.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_runs_of_a_letter() {
        let pattern = Pattern::new("01AAAB1c").unwrap();
        assert!(pattern.matches(0b0111_0110) && !pattern.matches(0b1111_0110));
        let values: Vec<_> = pattern
            .fields()
            .iter()
            .map(|field| field.of(0b0110_1010))
            .collect();
        assert_eq!(values, [0b101, 0, 0]);
        assert_eq!(pattern.field('A').unwrap().put(0b0100_0011, 6), 0b0111_0011);
        for wrong in ["0101", "0101AABA", "0101 101", "0000000é"] {
            assert!(Pattern::new(wrong).is_err(), "{wrong}");
        }
    }
}
