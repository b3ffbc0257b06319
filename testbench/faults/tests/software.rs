// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults at a port of software trace: a decoder that breaks a rule is found.

use coretrace_decode::Policy;
use coretrace_test_faults::Port;
use coretrace_test_faults::software::{Report, broken, observe};
use coretrace_test_gen::rng;

#[test]
fn a_packet_that_is_lost_or_reported_behind_an_error_is_found() {
    let port = Port::of_software(&mut rng(5));
    let clean = observe(&port.bytes, &port.sources, Policy::Resync);
    for clean in clean {
        let broken = |seen: &[Report]| broken(&port, &clean, seen, 4).len();
        assert_eq!(broken(&clean), 0);
        let last = clean.len() - 1;
        assert_eq!(broken(&clean[..last]), 1, "a lost packet");
        let mut behind = clean.clone();
        let is_sync = |report: &Report| matches!(report, Report::Record(it, _) if it.is_sync());
        let sync = clean.iter().rposition(is_sync).expect("a sync");
        behind.insert(sync + 1, Report::Loss);
        assert_eq!(broken(&behind), last - sync, "packets behind a loss");
    }
}
