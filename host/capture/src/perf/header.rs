// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header of a file: where records, events and build IDs are.

use std::io::{Read, Seek};

use anyhow::{Context, Result, bail, ensure};

use super::constants::{FEATURE_BUILD_ID, FILE_HEADER, MAGIC, PIPE_HEADER};
use super::damage::Damage;
use super::input::{Input, u16_at, u32_at, u64_at};
use super::mappings::Mappings;
use super::sample_id::{Events, MIN_ATTRIBUTE};

/// The most events of a file.
const MAX_EVENTS: u64 = 1 << 16;
/// Bytes that name a part of a file: offset and size.
const SECTION: u64 = 16;

/// A part of a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Section {
    /// The place of the first byte.
    pub start: u64,
    /// The place behind the last byte.
    pub end: u64,
}

impl Section {
    fn at(header: &[u8], at: usize) -> Section {
        let word = |at| u64_at(header, at).unwrap_or_default();
        Section {
            start: word(at),
            end: word(at).saturating_add(word(at + 8)),
        }
    }
}

/// Reads the header, adds its events, and finds the records. Returns them, and the features if it is
/// not the pipe form.
///
/// # Errors
/// If it is not the header of a perf.data file that can be read here.
pub fn read<R: Read + Seek>(
    input: &mut Input<R>,
    events: &mut Events,
    damage: &mut Damage,
) -> Result<(Section, Option<u64>)> {
    let len = input.len();
    let [magic, size]: [[u8; 8]; 2] = [
        input.array(len)?.context("it is too short for perf.data")?,
        input.array(len)?.context("it is too short for perf.data")?,
    ];
    let mut swapped = MAGIC;
    swapped.reverse();
    match magic {
        MAGIC => {}
        _ if magic == swapped => {
            bail!("it was recorded on a big-endian machine, whose perf.data is not read here")
        }
        _ => bail!("it does not begin with PERFILE2: is it a perf.data file?"),
    }
    let size = u64::from_le_bytes(size);
    if size == PIPE_HEADER {
        let records = Section {
            start: PIPE_HEADER,
            end: len,
        };
        return Ok((records, None));
    }
    ensure!(
        size >= FILE_HEADER,
        "its header has {size} bytes in place of {FILE_HEADER}: record it again"
    );
    input.seek(0)?;
    let header: [u8; FILE_HEADER as usize] = input
        .array(len)?
        .with_context(|| format!("it has {len} bytes and is too short for its header"))?;
    let attribute_bytes = u64_at(&header, 16).unwrap_or_default();
    let attributes = Section::at(&header, 24);
    let mut records = Section::at(&header, 40);
    read_events(input, attribute_bytes, attributes, events, damage)?;
    if records.end == records.start {
        damage.report(
            "its header has no sizes, so the recording was not ended: it is read to its end",
        );
        records.end = len;
    } else if records.end > len {
        let missing = records.end - len;
        damage.report(format!(
            "it ends {missing} bytes before the end of its records"
        ));
        records.end = len;
    }
    Ok((records, u64_at(&header, 72)))
}

fn read_events<R: Read + Seek>(
    input: &mut Input<R>,
    bytes: u64,
    attributes: Section,
    events: &mut Events,
    damage: &mut Damage,
) -> Result<()> {
    let attribute = bytes.saturating_sub(SECTION);
    ensure!(
        attribute >= MIN_ATTRIBUTE as u64,
        "its events have {bytes} bytes each, too few: record it again"
    );
    let attribute =
        u16::try_from(attribute).context("its events are too large: record it again")?;
    let count = (attributes.end - attributes.start) / bytes;
    ensure!(
        count <= MAX_EVENTS,
        "it has {count} events, more than {MAX_EVENTS}: record fewer events"
    );
    let (mut buffer, mut ids) = (Vec::new(), Vec::new());
    for event in 0..count {
        input.seek(attributes.start.saturating_add(event * bytes))?;
        let end = input.len();
        let (true, Some(section)) = (
            input.read(&mut buffer, attribute, end)?,
            input.array::<{ SECTION as usize }>(end)?,
        ) else {
            damage.report("its events are not all in the file");
            return Ok(());
        };
        let section = Section::at(&section, 0);
        input.seek(section.start)?;
        while input.position() < section.end.min(end) {
            let rest = section.end.min(end) - input.position();
            let now = rest.min(0x8000) as u16;
            input.read(&mut ids, now, end)?;
            events.add(&buffer, &ids)?;
        }
        events.add(&buffer, &[])?;
    }
    Ok(())
}

/// Reads the build IDs, from the table of features behind the records.
///
/// # Errors
/// If the file cannot be read.
pub fn read_build_ids<R: Read + Seek>(
    input: &mut Input<R>,
    table: u64,
    features: u64,
    mappings: &mut Mappings,
) -> Result<()> {
    if features >> FEATURE_BUILD_ID & 1 == 0 {
        return Ok(());
    }
    let before = (features & ((1 << FEATURE_BUILD_ID) - 1)).count_ones();
    let len = input.len();
    input.seek(table.saturating_add(SECTION * u64::from(before)))?;
    let Some(section) = input.array::<{ SECTION as usize }>(len)? else {
        return Ok(());
    };
    let section = Section::at(&section, 0);
    let end = section.end.min(len);
    input.seek(section.start)?;
    let mut body = Vec::new();
    while let Some(header) = input.array::<8>(end)? {
        let size = u16_at(&header, 6).unwrap_or_default();
        let Some(rest) = size.checked_sub(8) else {
            break;
        };
        if !input.read(&mut body, rest, end)? {
            break;
        }
        mappings.build_id(u16_at(&header, 4).unwrap_or_default(), &body);
    }
    Ok(())
}

/// The attribute in the body of a HEADER_ATTR record, and the IDs behind it.
pub fn attribute_and_ids(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let size = u32_at(body, 4)?;
    body.split_at_checked(size as usize)
}
