// SPDX-License-Identifier: MIT OR Apache-2.0
//! The grammar: which packets there are, and what their fields do.

use anyhow::{Context, Result, bail, ensure};

use crate::effect::Effect;
use crate::pattern::Pattern;

/// Bytes of a packet, at most.
pub const LONGEST: usize = 64;

/// The header of the packets that have a second byte in their place.
pub const EXTENSION: u8 = 0;

/// The second byte of an A-Sync.
pub const ASYNC: u8 = 0;

/// A packet.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Its name.
    pub name: String,
    /// Header, or the second byte of an extension.
    pub pattern: Pattern,
    /// Whether it is an extension: its header is 00.
    pub is_extension: bool,
    /// What follows.
    pub payload: Payload,
    /// What its fields do.
    pub effects: Vec<Effect>,
}

/// What follows the header.
#[derive(Clone, Debug)]
pub enum Payload {
    /// These fields, in this order; none of a packet of the header alone.
    Fields(Vec<Field>),
    /// Nobody says: what follows can be read again from the next A-Sync on.
    Unknown,
}

/// A field of a payload.
#[derive(Clone, Debug)]
pub struct Field {
    /// How it is written.
    pub form: Form,
    /// Present if this field of one bit is 1; without one always.
    pub when: Option<String>,
}

/// How a field is written.
#[derive(Clone, Debug)]
pub enum Form {
    /// Bytes, the lowest first.
    Bytes {
        /// How many.
        count: Count,
        /// Name of the value.
        to: String,
    },
    /// Seven bits a byte, the lowest first; bit 7 says that one more follows.
    Continued {
        /// Bytes, at most; the last has eight bits of value if there are nine.
        most: usize,
        /// Name of the value.
        to: String,
    },
    /// A byte with fields of its own.
    Bits(Pattern),
}

/// A number of bytes.
#[derive(Clone, Debug)]
pub enum Count {
    /// Always as many.
    Fixed(usize),
    /// By the value of an earlier field.
    By {
        /// The field.
        field: String,
        /// The number for each value.
        table: Vec<usize>,
    },
}

impl Form {
    /// Bytes, at most.
    pub fn longest(&self) -> usize {
        match self {
            Form::Bytes {
                count: Count::Fixed(count),
                ..
            } => *count,
            Form::Bytes {
                count: Count::By { table, .. },
                ..
            } => table.iter().copied().max().unwrap_or(0),
            Form::Continued { most, .. } => *most,
            Form::Bits(_) => 1,
        }
    }
}

/// A grammar of data trace.
#[derive(Clone, Debug)]
pub struct Grammar {
    packets: Vec<Packet>,
    /// The packet of each header, and of each second byte behind header 00.
    headers: Vec<Option<usize>>,
    extensions: Vec<Option<usize>>,
}

impl Grammar {
    /// A grammar of these packets.
    ///
    /// # Errors
    /// If two packets have a header in common, or a field or an effect has no meaning.
    pub fn new(packets: Vec<Packet>) -> Result<Grammar> {
        let mut grammar = Grammar {
            headers: vec![None; 256],
            extensions: vec![None; 256],
            packets: Vec::new(),
        };
        for (index, packet) in packets.iter().enumerate() {
            packet.check().with_context(|| packet.name.clone())?;
            let places = if packet.is_extension {
                &mut grammar.extensions
            } else {
                &mut grammar.headers
            };
            for byte in (0..=u8::MAX).filter(|&byte| packet.pattern.matches(byte)) {
                let place = &mut places[usize::from(byte)];
                if let Some(other) = *place {
                    bail!(
                        "{} and {} share {byte:#04x}",
                        packets[other].name,
                        packet.name
                    );
                }
                *place = Some(index);
            }
        }
        ensure!(
            grammar.headers[usize::from(EXTENSION)].is_none(),
            "00 is the header of extensions"
        );
        ensure!(grammar.extension(ASYNC).is_some(), "there is no A-Sync");
        grammar.packets = packets;
        Ok(grammar)
    }

    /// All packets.
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Index of the packet with this header.
    pub fn header(&self, byte: u8) -> Option<usize> {
        self.headers[usize::from(byte)]
    }

    /// Index of the packet with this byte behind the header 00.
    pub fn extension(&self, byte: u8) -> Option<usize> {
        self.extensions[usize::from(byte)]
    }

    /// Index of the packet with this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.packets.iter().position(|packet| packet.name == name)
    }
}

impl Packet {
    fn check(&self) -> Result<()> {
        is_name(&self.name)?;
        let mut known: Vec<String> = names(&self.pattern);
        let mut one_bit: Vec<String> = one_bit(&self.pattern);
        if let Payload::Fields(fields) = &self.payload {
            let longest: usize = fields.iter().map(|field| field.form.longest()).sum();
            ensure!(
                longest + 2 <= LONGEST,
                "it can have more than {LONGEST} bytes"
            );
            for field in fields {
                field.check(&known, &one_bit)?;
                match &field.form {
                    Form::Bytes { to, .. } | Form::Continued { to, .. } => {
                        is_name(to)?;
                        known.push(to.clone());
                    }
                    Form::Bits(pattern) => {
                        known.extend(names(pattern));
                        one_bit.extend(self::one_bit(pattern));
                    }
                }
            }
        }
        for effect in &self.effects {
            if let Some(field) = effect.field() {
                ensure!(
                    known.iter().any(|name| name == field),
                    "there is no field {field}"
                );
            }
        }
        Ok(())
    }
}

impl Field {
    fn check(&self, known: &[String], one_bit: &[String]) -> Result<()> {
        if let Some(when) = &self.when {
            ensure!(
                one_bit.contains(when),
                "{when} is no earlier field of one bit"
            );
        }
        let most = match &self.form {
            Form::Bytes {
                count: Count::By { field, table },
                ..
            } => {
                ensure!(known.contains(field), "there is no earlier field {field}");
                ensure!(!table.is_empty(), "the table of {field} is empty");
                8
            }
            Form::Bytes { .. } => 8,
            Form::Continued { .. } => 9,
            Form::Bits(_) => 1,
        };
        ensure!(
            self.form.longest() <= most,
            "a field has more than {most} bytes"
        );
        Ok(())
    }
}

/// Names are written as they are, in all formats.
fn is_name(name: &str) -> Result<()> {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    ensure!(
        !name.is_empty() && name.chars().all(is_known),
        "{name:?} is not a name of ASCII letters, digits and _"
    );
    Ok(())
}

fn names(pattern: &Pattern) -> Vec<String> {
    pattern
        .fields()
        .iter()
        .map(|field| field.name.to_string())
        .collect()
}

fn one_bit(pattern: &Pattern) -> Vec<String> {
    let fields = pattern.fields().iter().filter(|field| field.most() == 1);
    fields.map(|field| field.name.to_string()).collect()
}
