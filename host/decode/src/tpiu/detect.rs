// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout of frames in a capture that does not say it.

use super::{Deframer, Format, SyncStatistics};

/// The layout of the frames in the first bytes of a capture; some tens of kilobytes are enough.
///
/// Frames never contain a sync, so a capture without a full sync is a buffer. A port is read both
/// with and without the bytes of a DSTREAM probe, and the reading that loses sync less often is
/// right. Damage makes half syncs out of other bytes, but it loses sync as often.
pub fn detect_format(bytes: &[u8]) -> Format {
    let read = |format| {
        let mut deframer = Deframer::new(format);
        deframer.feed(bytes, |_| ());
        deframer.statistics()
    };
    let losses = |statistics: &SyncStatistics| statistics.losses;
    let (port, probe) = (read(Format::TpiuHsync), read(Format::Dstream));
    let (port, is_probe) = if losses(&probe) < losses(&port) {
        (probe, true)
    } else {
        (port, false)
    };
    if port.full_syncs <= port.losses {
        Format::Frames
    } else if is_probe {
        Format::Dstream
    } else if port.half_syncs > port.losses {
        Format::TpiuHsync
    } else {
        Format::TpiuFsync
    }
}
