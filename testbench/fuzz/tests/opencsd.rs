// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model against OpenCSD's packet processor: a bounded part of `cargo etm4-fuzz opencsd`, the
//! captures, and the known faults of OpenCSD.

use coretrace_capture::source_streams;
use coretrace_etm::Protocol;
use coretrace_test_fuzz::case::Stream;
use coretrace_test_fuzz::faults::{FAULTS, Fault};
use coretrace_test_fuzz::minimise::minimise;
use coretrace_test_fuzz::opencsd::ModelAndOpenCsd;
use coretrace_test_fuzz::{Case, Pair, Verdict, campaign, report, units};
use coretrace_test_opencsd::skip_or_fail;
use coretrace_test_support::golden_captures;

/// Packets compared here; the command compares more.
const PACKETS: u64 = 300_000;

#[test]
fn the_model_gives_the_packets_of_opencsd_on_legal_and_other_streams() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    let pair = ModelAndOpenCsd::new(library);
    let ended = campaign::run(|seed| pair.compare(&Case::from_seed(seed)), 0, PACKETS)
        .expect("OpenCSD reads every stream");
    print!("{}{}", ended.totals, report::faults(&ended.totals));
    if let Some(&seed) = ended.differing.first() {
        let verdict = pair.compare(&Case::from_seed(seed));
        panic!("seed {seed}: {verdict:?}");
    }
}

#[test]
fn the_model_gives_the_packets_of_opencsd_on_captures_of_etmv4_and_ete() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    let pair = ModelAndOpenCsd::new(library);
    let mut packets = [0, 0];
    for (folder, capture) in golden_captures() {
        for stream in source_streams(&capture) {
            // The C API has no call for a loss.
            if !stream.discontinuities.is_empty() || stream.bytes.is_empty() {
                continue;
            }
            let source = &stream.source;
            let case = Case {
                set: units::with_registers(stream.protocol, source.profile, source.registers),
                stream: Stream::Given,
                bytes: stream.bytes,
            };
            match pair.compare(&case).expect("OpenCSD reads the stream") {
                Verdict::Equal(totals) => {
                    packets[usize::from(stream.protocol == Protocol::Ete)] += totals.packets;
                }
                Verdict::Different(text) => panic!("{}: {text}", folder.display()),
            }
        }
    }
    println!("{} packets of ETMv4, {} of ETE", packets[0], packets[1]);
}

#[test]
fn every_known_fault_is_there_and_its_input_is_the_smallest() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    for fault in &FAULTS {
        let others = ModelAndOpenCsd {
            library,
            is_known: |known: &Fault| known.name != fault.name,
        };
        let all = ModelAndOpenCsd::new(library);
        let shows_it = |bytes: &[u8]| {
            let case = Case {
                bytes: bytes.to_vec(),
                ..fault.case()
            };
            let differs = |verdict: anyhow::Result<Verdict>| {
                verdict.is_ok_and(|verdict| verdict.is_different())
            };
            differs(others.compare(&case)) && !differs(all.compare(&case))
        };
        let bytes = fault.case().bytes;
        assert!(
            shows_it(&bytes),
            "OpenCSD does not do this: {}",
            fault.about
        );
        assert_eq!(minimise(&bytes, shows_it), bytes, "{}", fault.about);
    }
}
