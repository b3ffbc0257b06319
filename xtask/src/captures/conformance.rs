// SPDX-License-Identifier: MIT OR Apache-2.0
//! One snapshot: its capture folders, the list of OpenCSD beside each, and the model against it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Error, Result, bail};
use coretrace_capture::snapshot::{Snapshot, SnapshotBuffer, write_capture};
use coretrace_capture::{
    Capture, Format, SourceStream, decode_in_model, sha256_hex, source_streams,
};
use coretrace_decode::{Policy, tpiu};
use coretrace_listing::Line;
use coretrace_test_opencsd::Lister;
use coretrace_test_opencsd::listing::{Row, rows};
use liblzma::write::XzEncoder;

/// The effort of the compressor.
const XZ_LEVEL: u32 = 6;

/// What became of a buffer of a snapshot.
#[derive(Debug)]
pub enum Captured {
    /// The model gives the packets of the list.
    Equal {
        /// The folder of the snapshot in the checkout.
        snapshot: String,
        /// Name of the capture folder.
        name: String,
        /// How the trace is framed.
        format: String,
        /// SHA-256 of the trace.
        sha256: String,
        /// Packets of all sources that are decoded.
        packets: usize,
    },
    /// The model gives other packets.
    Different {
        /// Name of the capture folder.
        name: String,
        /// The first difference.
        difference: String,
    },
    /// The snapshot cannot be used, or has no source that is decoded.
    Skipped {
        /// Name of the snapshot.
        name: String,
        /// Why.
        reason: String,
    },
}

impl Captured {
    /// A line for the user.
    pub fn line(&self) -> String {
        match self {
            Captured::Equal {
                name,
                format,
                packets,
                ..
            } => format!("{name}: {format}, {packets} packets as OpenCSD lists them"),
            Captured::Different { name, difference } => format!("{name}: {difference}"),
            Captured::Skipped { name, reason } => format!("{name}: skipped, {reason}"),
        }
    }

    /// The packets that are equal.
    pub fn packets(&self) -> usize {
        match self {
            Captured::Equal { packets, .. } => *packets,
            _ => 0,
        }
    }
}

/// A snapshot of a checkout.
pub struct Original<'a> {
    /// The folder.
    folder: &'a Path,
    /// The folder, as the checkout names it.
    in_checkout: &'a Path,
}

impl<'a> Original<'a> {
    /// The snapshot in a folder of a checkout.
    pub fn new(checkout: &Path, folder: &'a Path) -> Original<'a> {
        Original {
            folder,
            in_checkout: folder.strip_prefix(checkout).unwrap_or(folder),
        }
    }

    /// Makes the captures in a folder of its name in `out`, and compares each.
    pub fn capture(&self, lister: &Lister, out: &Path) -> Vec<Captured> {
        let name = self.folder.file_name().unwrap_or_default();
        let place = out.join(name);
        let name = name.to_string_lossy().into_owned();
        let made = Snapshot::open(self.folder).and_then(|snapshot| {
            let folders = write_capture(&snapshot, &place)?;
            Ok((snapshot, folders))
        });
        let (snapshot, folders) = match made {
            Ok(made) => made,
            Err(error) => return vec![skipped(name, &error)],
        };
        let buffers = snapshot.buffers.iter().zip(&folders);
        buffers
            .map(|(buffer, folder)| {
                let name = match snapshot.buffers.len() {
                    1 => name.clone(),
                    _ => format!("{name}/{}", buffer.name),
                };
                self.compare(lister, buffer, folder, &name)
                    .unwrap_or_else(|error| skipped(name, &error))
            })
            .collect()
    }

    /// Writes the list of a buffer beside its capture, and compares the model with it.
    fn compare(
        &self,
        lister: &Lister,
        buffer: &SnapshotBuffer,
        folder: &Path,
        name: &str,
    ) -> Result<Captured> {
        let capture = Capture::open(folder)?;
        let streams = source_streams(&capture);
        if streams.is_empty() {
            let sources = buffer.sources.iter();
            let sources = sources.map(|source| format!("{} ({})", source.name, source.protocol));
            let sources: Vec<String> = sources.collect();
            bail!("it has no source that is decoded: {}", sources.join(", "));
        }
        let options = options(capture.format);
        let list = folder.join("packets.ppl");
        let list = lister.list(self.folder, &buffer.name, options, &list)?;
        let golden = rows(&list)?;
        write_golden(&folder.join("packets.tsv.xz"), &golden)?;
        let mut packets = 0;
        for stream in &streams {
            let want = golden.get(&stream.id).map_or(&[][..], Vec::as_slice);
            if let Some(difference) = difference(stream, want) {
                return Ok(Captured::Different {
                    name: name.to_owned(),
                    difference: format!("ID {:02x}: {difference}", stream.id),
                });
            }
            packets += want.len();
        }
        Ok(Captured::Equal {
            snapshot: self.in_checkout.to_string_lossy().into_owned(),
            name: name.to_owned(),
            format: capture.format.to_string(),
            sha256: sha256_hex(&capture.bytes),
            packets,
        })
    }
}

fn skipped(name: String, reason: &Error) -> Captured {
    let reason = format!("{reason:#}");
    Captured::Skipped { name, reason }
}

/// How the lister finds the frames.
fn options(format: Format) -> &'static [&'static str] {
    match format {
        Format::Raw | Format::Framed(tpiu::Format::Frames) => &[],
        Format::Framed(tpiu::Format::TpiuFsync) => &["-tpiu"],
        Format::Framed(tpiu::Format::TpiuHsync) => &["-tpiu_hsync"],
        Format::Framed(tpiu::Format::Dstream) => &["-dstream_format"],
    }
}

/// Writes the list with the columns of the other lists: place, ID and row.
fn write_golden(path: &Path, golden: &BTreeMap<u8, Vec<Row>>) -> Result<()> {
    let file =
        File::create_new(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = XzEncoder::new(file, XZ_LEVEL);
    for (id, rows) in golden {
        for (place, row) in rows.iter().enumerate() {
            writeln!(file, "{place}\t{id:02x}\t{row}")?;
        }
    }
    file.finish()?;
    Ok(())
}

/// The first packet of the model that is another one than OpenCSD's.
fn difference(stream: &SourceStream, want: &[Row]) -> Option<String> {
    let mut want = want.iter();
    let mut difference = None;
    let mut text = String::new();
    decode_in_model(
        stream,
        Policy::OpenCsd,
        |_| (),
        |record| {
            if difference.is_some() {
                return;
            }
            text.clear();
            let line = Line {
                id: stream.id,
                record,
                raw: stream.raw(record.offset, record.len),
                config: &stream.config,
            };
            coretrace_listing::tsv(&mut text, &line);
            let row = text.trim_end_matches('\n').splitn(3, '\t').last();
            let expected = want.next().map(String::as_str);
            if row != expected {
                let row = row.unwrap_or_default();
                let expected = expected.unwrap_or("the end of the list");
                difference = Some(format!("the model gives {row:?}, OpenCSD {expected:?}"));
            }
        },
    );
    let more = |row: &Row| format!("the model ends before {row:?}");
    difference.or_else(|| want.next().map(more))
}
