// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes runs by trace ID, and counts dropped bytes by reason.

use super::Run;
use coretrace_coresight::TraceId;

/// Counts of dropped bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DemuxStatistics {
    /// Padding with the null ID.
    pub null_bytes: u64,
    /// Bytes of the IDs 0x70 to 0x7E, which include triggers and flush markers.
    pub reserved_bytes: u64,
    /// Bytes of unclaimed IDs, or of no known ID. The ID 0x7F counts as unknown: a port cannot send
    /// it, and the hardware uses it for "unknown".
    pub unclaimed_bytes: u64,
}

/// Routes runs to the claimed trace IDs. Null and reserved IDs are dropped, even if claimed.
#[derive(Clone, Debug)]
pub struct Demux {
    claimed: u128,
    statistics: DemuxStatistics,
}

impl Demux {
    /// Claims these IDs.
    pub fn new(ids: impl IntoIterator<Item = TraceId>) -> Self {
        let claim = |set: u128, id: TraceId| set | 1 << id.value();
        Self {
            claimed: ids.into_iter().fold(0, claim),
            statistics: DemuxStatistics::default(),
        }
    }

    /// Claims every ID that a source may have.
    pub fn all() -> Self {
        Self::new((0..=0x7F).filter_map(TraceId::new))
    }

    /// The counts so far.
    pub fn statistics(&self) -> DemuxStatistics {
        self.statistics
    }

    /// The ID that gets this run; `None` if it is dropped, which is counted.
    pub fn route(&mut self, run: &Run<'_>) -> Option<TraceId> {
        let id = run.id.filter(|id| *id != TraceId::UNKNOWN);
        let reason = match id {
            Some(id) if id.is_null() => &mut self.statistics.null_bytes,
            Some(id) if id.is_reserved() => &mut self.statistics.reserved_bytes,
            Some(id) if self.claimed >> id.value() & 1 == 1 => return Some(id),
            _ => &mut self.statistics.unclaimed_bytes,
        };
        *reason += run.bytes.len() as u64;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Routes one byte of every ID and one without an ID; returns the IDs that got one.
    fn route_all(demux: &mut Demux) -> Vec<u8> {
        let ids = (0..=0x7F).map(TraceId::new).chain([None]);
        let routed = ids.filter_map(|id| {
            demux.route(&Run {
                offset: 0,
                id,
                bytes: &[0],
            })
        });
        routed.map(TraceId::value).collect()
    }

    #[test]
    fn only_claimed_sources_get_bytes_and_the_others_are_counted() {
        let claimed = [0x10, 0x6F, 0x00, 0x7D, 0x7F].map(|id| TraceId::new(id).unwrap());
        let mut demux = Demux::new(claimed);
        assert_eq!(route_all(&mut demux), [0x10, 0x6F]);
        assert_eq!(
            demux.statistics(),
            DemuxStatistics {
                null_bytes: 1,
                reserved_bytes: 15,
                unclaimed_bytes: 0x6F - 2 + 2,
            }
        );
    }

    #[test]
    fn all_means_every_source() {
        let mut demux = Demux::all();
        assert_eq!(route_all(&mut demux), (1..=0x6F).collect::<Vec<_>>());
        assert_eq!(demux.statistics().unclaimed_bytes, 2);
    }
}
