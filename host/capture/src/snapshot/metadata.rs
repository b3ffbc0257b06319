// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace metadata of a snapshot: its buffers, and which source feeds which.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::contents::Framing;
use super::ini::{Entry, Ini, Section};
use crate::path::path_inside;

/// The most buffers, and the most files of a buffer.
const MOST: usize = 4096;

/// One trace buffer.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
    pub(super) framing: Framing,
}

/// A source and a buffer that it feeds.
#[derive(Debug)]
pub(super) struct SourceBuffer {
    /// Name of the source.
    pub(super) source: String,
    /// `NAME(stream:N)`: 0 are instructions, 1 are data.
    pub(super) stream: u32,
    /// Name of the buffer.
    pub(super) buffer: String,
}

/// What the metadata file says.
#[derive(Debug)]
pub(super) struct Metadata {
    pub(super) buffers: Vec<Buffer>,
    /// Sources and the buffers that they feed; `None` if all feed the only buffer.
    pub(super) source_buffers: Option<Vec<SourceBuffer>>,
    /// Names of a core and of its source; the source can be `@` and its location.
    pub(super) core_sources: Vec<(String, String)>,
}

impl Metadata {
    /// Reads the metadata file.
    ///
    /// # Errors
    /// If a buffer is not described well.
    pub(super) fn new(ini: &Ini, folder: &Path) -> Result<Metadata> {
        let list = ini.required("trace_buffers", "buffers")?;
        let mut buffers = Vec::new();
        for name in names(&list.value) {
            if buffers.len() == MOST {
                return Err(ini.at(list, &format!("name at most {MOST} buffers")));
            }
            let section = ini
                .sections(|section| section.eq_ignore_ascii_case(name))
                .next()
                .ok_or_else(|| ini.at(list, &format!("there is no section [{name}]: add it")))?;
            buffers.push(buffer(ini, section, folder)?);
        }
        if buffers.is_empty() {
            return Err(ini.at(list, "name at least one buffer"));
        }
        let source_buffers: Vec<SourceBuffer> = ini
            .entries("source_buffers")
            .flat_map(|entry| names(&entry.value).map(|buffer| source_buffer(ini, entry, buffer)))
            .collect::<Result<_>>()?;
        let has_section = !source_buffers.is_empty() || buffers.len() > 1;
        let core_sources = ini.entries("core_trace_sources");
        Ok(Metadata {
            buffers,
            source_buffers: has_section.then_some(source_buffers),
            core_sources: core_sources
                .map(|entry| (entry.key.clone(), entry.value.clone()))
                .collect(),
        })
    }
}

fn source_buffer(ini: &Ini, entry: &Entry, buffer: &str) -> Result<SourceBuffer> {
    let (source, stream) = match entry.key.split_once("(stream:") {
        None => (entry.key.as_str(), Some(0)),
        Some((source, stream)) => {
            let number = stream.strip_suffix(')');
            (source, number.and_then(|number| number.trim().parse().ok()))
        }
    };
    let stream = stream.ok_or_else(|| ini.at(entry, "write the stream as `(stream:0)`"))?;
    Ok(SourceBuffer {
        source: source.trim().to_owned(),
        stream,
        buffer: buffer.to_owned(),
    })
}

fn buffer(ini: &Ini, section: &Section, folder: &Path) -> Result<Buffer> {
    let list = ini.required_in(section, "file")?;
    let files: Vec<PathBuf> = names(&list.value)
        .take(MOST)
        .map(|name| path_inside(folder, name).map_err(|error| ini.at(list, &error.to_string())))
        .collect::<Result<_>>()?;
    if files.is_empty() || files.len() == MOST {
        return Err(ini.at(list, &format!("name 1 to {} files", MOST - 1)));
    }
    let format = ini.required_in(section, "format")?;
    let name = ini.optional_in(section, "name");
    Ok(Buffer {
        name: name.map_or(&section.name, |entry| &entry.value).clone(),
        files,
        framing: format
            .value
            .parse()
            .map_err(|error| ini.at(format, error))?,
    })
}

/// The names in a list with commas or semicolons.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[trace_buffers]\nbuffers=buffer0, buffer1\n\
        [buffer0]\nname=ETB_0\nfile=a.bin;b.bin\nformat=coresight\n\
        [buffer1]\nname=ETB_1\nfile=c.bin\nformat=Source_Data\n\
        [source_buffers]\nETM_0=ETB_0,ETB_1\nETM_0(stream:1)=ETB_1\n\
        [core_trace_sources]\ncpu_0=@dap:2,ap:1\n";

    fn metadata(text: &str) -> Result<Metadata> {
        Metadata::new(&Ini::parse("trace.ini", text).unwrap(), Path::new("s"))
    }

    #[test]
    fn buffers_and_their_sources_are_read() {
        let metadata = metadata(GOOD).unwrap();
        assert_eq!(
            metadata.buffers[0].files,
            [Path::new("s/a.bin"), Path::new("s/b.bin")]
        );
        assert_eq!(metadata.buffers[0].framing, Framing::CoreSight);
        assert_eq!(metadata.buffers[1].framing, Framing::SourceData);
        let pairs = metadata.source_buffers.unwrap();
        assert_eq!(
            (pairs[1].source.as_str(), pairs[1].buffer.as_str()),
            ("ETM_0", "ETB_1")
        );
        assert_eq!((pairs[1].stream, pairs[2].stream), (0, 1));
        let location = "@dap:2,ap:1".to_owned();
        assert_eq!(metadata.core_sources, [("cpu_0".to_owned(), location)]);
    }

    #[test]
    fn the_sources_of_an_only_buffer_may_be_left_out() {
        let text = GOOD.replace("buffer0, buffer1", "buffer0");
        let (text, _) = text.split_once("[source_buffers]").unwrap();
        assert!(metadata(text).unwrap().source_buffers.is_none());
        let text = format!("{text}[source_buffers]\nETM_0=ETB_0\n");
        assert!(metadata(&text).unwrap().source_buffers.is_some());
    }

    #[test]
    fn what_is_wrong_with_the_metadata_is_said_with_its_line() {
        for (from, to, want) in [
            (
                "buffers=buffer0, buffer1",
                "x=y",
                "no `buffers` in [trace_buffers]",
            ),
            (
                "buffers=buffer0, buffer1",
                "buffers=",
                "line 2: name at least one",
            ),
            (
                "[buffer1]",
                "[buffer2]",
                "line 2: there is no section [buffer1]",
            ),
            (
                "file=c.bin",
                "file=/etc/hostname",
                "line 9: \"/etc/hostname\"",
            ),
            ("file=c.bin", "file=;", "line 9: name 1 to"),
            ("format=coresight", "format=raw", "line 6: format"),
            (
                "format=coresight\n",
                "",
                "line 3: [buffer0] has no `format`",
            ),
        ] {
            let error = metadata(&GOOD.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(want), "{to}: {error}");
        }
    }
}
