// SPDX-License-Identifier: MIT OR Apache-2.0
//! The demultiplexed bytes as text, one line for each run, to compare with other decoders.

use super::{Deframer, Format, Run, RunEvent};
use std::fmt::Write;

/// One line without its end: offset, ID (`??` if not known), the word `DATA`, `len=`, `raw=`.
pub fn demux_row(run: &Run<'_>) -> String {
    let id = run
        .id
        .map_or_else(|| "??".to_owned(), |id| format!("{:02x}", id.value()));
    let mut row = format!("{}\t{id}\tDATA\tlen={}\traw=", run.offset, run.bytes.len());
    for byte in run.bytes {
        // Writing to a string cannot fail.
        let _ = write!(row, "{byte:02x}");
    }
    row
}

/// The lines of a whole capture.
pub fn demux_rows(format: Format, capture: &[u8]) -> Vec<String> {
    let mut rows = Vec::new();
    Deframer::new(format).feed(capture, |event| {
        if let RunEvent::Run(run) = event {
            rows.push(demux_row(&run));
        }
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::TraceId;

    #[test]
    fn a_row_has_two_digits_for_every_byte_and_id() {
        let mut run = Run {
            offset: 12,
            id: TraceId::new(5),
            bytes: &[0x00, 0xFF],
        };
        assert_eq!(demux_row(&run), "12\t05\tDATA\tlen=2\traw=00ff");
        (run.id, run.bytes) = (None, &[]);
        assert_eq!(demux_row(&run), "12\t??\tDATA\tlen=0\traw=");
    }
}
