// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opens whatever holds a trace.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, Error, Result, anyhow};

use crate::bare::{BareTrace, open_bare};
use crate::container::{Container, HEAD_BYTES, container};
use crate::ett::Case;
use crate::folder::{DESCRIPTION, open_folder};
use crate::of_perf::{of_perf, of_perf_stream};
use crate::of_snapshot::of_snapshot;
use crate::trace::name_of;
use crate::{Format, Trace, TraceBuffer, TraceBytes};

/// Name of the file that lists the others of a snapshot.
const INDEX: &str = "snapshot.ini";

/// Opens a capture folder or its `capture.toml`, a CoreSight snapshot or its `snapshot.ini`, a
/// perf.data, a case (`.ett`), or bare trace if `bare` describes it.
///
/// # Errors
/// If there is no such file, it is of another kind, or its contents cannot be used.
pub fn open(path: &Path, bare: Option<&BareTrace>) -> Result<Trace> {
    let cannot = || format!("{} cannot be used", path.display());
    if let Some(bare) = bare {
        let bytes = TraceBytes::of_file(path)?;
        return open_bare(name_of(path), bytes, bare).with_context(cannot);
    }
    if path.is_file() && path.file_name().is_some_and(|name| name == DESCRIPTION) {
        return open_folder(path.parent().unwrap_or(path));
    }
    let is_index = path.extension().is_some_and(|extension| extension == "ini");
    if path.is_file() && is_index || path.join(INDEX).is_file() {
        return of_snapshot(path).with_context(cannot);
    }
    if path.is_file() && path.extension().is_some_and(|extension| extension == "ett") {
        return of_case(Case::open(path)?).with_context(cannot);
    }
    if !path.exists() || path.is_dir() {
        return open_folder(path);
    }
    let mut file = File::open(path).with_context(cannot)?;
    let head = head_of(&mut file).with_context(cannot)?;
    match container(&head) {
        Container::PerfData | Container::BigEndianPerfData if file.metadata()?.is_file() => {
            of_perf(name_of(path), file).with_context(cannot)
        }
        Container::PerfData => {
            let stream = Cursor::new(head).chain(file);
            of_perf_stream(name_of(path), stream).with_context(cannot)
        }
        kind => Err(refusal(&path.display().to_string(), kind)),
    }
}

/// Opens standard input or another stream. `name` is what messages call it.
///
/// # Errors
/// As [`open`].
pub fn open_stream(
    name: &str,
    mut reader: impl Read + 'static,
    bare: Option<&BareTrace>,
) -> Result<Trace> {
    let head = head_of(&mut reader).with_context(|| format!("cannot read {name}"))?;
    let kind = container(&head);
    let stream = Cursor::new(head).chain(reader);
    let opened = match (bare, kind) {
        (Some(bare), _) => open_bare(name.to_owned(), TraceBytes::once(Box::new(stream)), bare),
        (None, Container::PerfData) => of_perf_stream(name.to_owned(), stream),
        (None, kind) => return Err(refusal(name, kind)),
    };
    opened.with_context(|| format!("{name} cannot be used"))
}

fn of_case(case: Case) -> Result<Trace> {
    let bytes = TraceBytes::memory(case.bytes.clone());
    let buffer = TraceBuffer::new(Format::Raw, bytes, std::slice::from_ref(&case.source))?;
    Ok(Trace {
        case: Some(case.clone()),
        ..Trace::of_buffer(case.name, buffer)
    })
}

/// The first bytes of a stream, fewer if it ends.
///
/// # Errors
/// If it cannot be read.
fn head_of(reader: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Refuses bytes that are no trace, and no stream of a core, by what they begin with.
///
/// # Errors
/// A message that says what they are, and what to do.
pub fn ensure_bytes(name: &str, head: &[u8]) -> Result<()> {
    match container(head) {
        Container::Unknown => Ok(()),
        kind => Err(refusal(name, kind)),
    }
}

/// Says what to do with bytes that are not described.
fn refusal(name: &str, kind: Container) -> Error {
    match kind {
        Container::Empty => anyhow!("{name} is empty: capture it again"),
        Container::Compressed(command) => anyhow!(
            "{name} is compressed: unpack it first, for example with `{command} FILE | etm4 packets -`"
        ),
        Container::PerfData => anyhow!(
            "{name} is a perf.data: `etm4 packets`, `etm4 elements` and `etm4 profile` read it as it is"
        ),
        Container::BigEndianPerfData => {
            anyhow!("{name} is the perf.data of a big-endian machine, which is not read")
        }
        Container::Elf => anyhow!("{name} is a program and no trace: name it with --elf"),
        Container::Branches => anyhow!(
            "{name} is a text of ranges and branches, which perf inject or simpleperf inject made of a trace: \
             give the recording that they read, which has the trace itself"
        ),
        Container::Json => anyhow!(
            "{name} is JSON, such as results of etm4, and no trace: `etm4 diff` takes two profiles"
        ),
        Container::Text => anyhow!(
            "{name} is text and no trace: a trace is a capture folder, a CoreSight snapshot, a perf.data, a \
             case.ett, a stream of a core, or the bytes of a trace port"
        ),
        Container::Unknown => anyhow!(
            "{name} is bare trace: say with --raw-format how it is framed, and what the registers of its \
             source are, --reg TRCCONFIGR=0x... and so on, or put it into a folder with a capture.toml"
        ),
    }
}
