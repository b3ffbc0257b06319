// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a grammar.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::effect::Effect;
use crate::example::Example;
use crate::grammar::{Count, Field, Form, Grammar, Packet, Payload};
use crate::pattern::Pattern;

impl Grammar {
    /// What is public: every header, and the payload of no address and no value.
    ///
    /// # Errors
    /// None: a test reads it.
    pub fn public() -> Result<Grammar> {
        Grammar::from_toml(include_str!("../grammar.toml"))
    }

    /// Reads a grammar and runs its examples.
    ///
    /// # Errors
    /// If the file is not TOML of this form, two packets have a header in common, a field or an effect has no
    /// meaning, or an example gives other packets.
    pub fn from_toml(text: &str) -> Result<Grammar> {
        let file = read(text)?;
        let grammar = Grammar::new(file.packets)?;
        for example in &file.examples {
            example.check(&grammar)?;
        }
        Ok(grammar)
    }
}

/// What a file has.
struct Contents {
    packets: Vec<Packet>,
    /// Bytes and their packets.
    examples: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    extension: BTreeMap<String, Extension>,
    #[serde(default)]
    packet: Vec<Plain>,
    /// For people: what a decoder of the stream needs to know of the trace unit.
    #[serde(default, rename = "state")]
    _state: toml::Table,
    #[serde(default)]
    example: Vec<Example>,
}

#[derive(Deserialize)]
struct Extension {
    name: String,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Deserialize)]
struct Plain {
    name: String,
    r#match: String,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Deserialize)]
struct Rest {
    payload: Option<FilePayload>,
    #[serde(default)]
    effect: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FilePayload {
    Word(String),
    Fields(Vec<FileField>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileField {
    k: String,
    n: Option<FileCount>,
    max: Option<usize>,
    to: Option<String>,
    layout: Option<String>,
    when: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FileCount {
    Fixed(usize),
    By { field: String, table: Vec<usize> },
}

/// Reads a file.
fn read(text: &str) -> Result<Contents> {
    let file: File = toml::from_str(text).context("this is no grammar of data trace")?;
    let extensions = file.extension.into_iter().map(|(byte, extension)| {
        packet(extension.name, &byte_pattern(&byte), true, extension.rest)
    });
    let plain = file
        .packet
        .into_iter()
        .map(|plain| packet(plain.name, &plain.r#match, false, plain.rest));
    Ok(Contents {
        packets: extensions.chain(plain).collect::<Result<_>>()?,
        examples: file.example,
    })
}

/// The bits of two hexadecimal digits; anything else is a pattern.
fn byte_pattern(text: &str) -> String {
    match u8::from_str_radix(text, 16) {
        Ok(byte) if text.len() == 2 => format!("{byte:08b}"),
        _ => text.to_owned(),
    }
}

fn packet(name: String, pattern: &str, is_extension: bool, rest: Rest) -> Result<Packet> {
    let read = || -> Result<(Pattern, Payload, Vec<Effect>)> {
        let payload = match rest.payload {
            None => Payload::Fields(Vec::new()),
            Some(FilePayload::Word(word)) if word == "none" => Payload::Fields(Vec::new()),
            Some(FilePayload::Word(word)) if word == "unknown" => Payload::Unknown,
            Some(FilePayload::Word(word)) => bail!("the payload is {word:?}"),
            Some(FilePayload::Fields(fields)) => {
                Payload::Fields(fields.into_iter().map(field).collect::<Result<_>>()?)
            }
        };
        let effects = rest.effect.iter().map(|effect| Effect::new(effect));
        Ok((
            Pattern::new(pattern)?,
            payload,
            effects.collect::<Result<_>>()?,
        ))
    };
    let (pattern, payload, effects) = read().with_context(|| name.clone())?;
    Ok(Packet {
        name,
        pattern,
        is_extension,
        payload,
        effects,
    })
}

fn field(file: FileField) -> Result<Field> {
    let form = match (file.k.as_str(), file.n, file.max, file.to, file.layout) {
        ("bytes", Some(FileCount::Fixed(count)), None, Some(to), None) => Form::Bytes {
            count: Count::Fixed(count),
            to,
        },
        ("bytes", Some(FileCount::By { field, table }), None, Some(to), None) => Form::Bytes {
            count: Count::By { field, table },
            to,
        },
        ("cont", None, Some(most), Some(to), None) => {
            ensure!(most > 0, "a field has no bytes");
            Form::Continued { most, to }
        }
        ("bits", None, None, None, Some(layout)) => Form::Bits(Pattern::new(&layout)?),
        (kind, ..) => bail!(
            "a field of kind {kind:?} has other keys: bytes has n and to, cont max and to, bits layout"
        ),
    };
    Ok(Field {
        form,
        when: file.when,
    })
}
