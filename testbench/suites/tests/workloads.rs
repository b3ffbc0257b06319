// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of real programs: they decode without an error under any policy, and the core
//! accepts them at full rate.

use coretrace_abi::profile_stream::ENTRY_WORDS;
use coretrace_capture::{read_xz, sha256_hex};
use coretrace_coresight::TraceId;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::SourceConfig;
use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Record, Registers};
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::as_transmitted;
use coretrace_test_gen::{Framing, RegisterSet, frame_streams, rng};
use coretrace_test_support::{StreamContents, shared_dir, words_of};

/// Bytes of each stream sent to the core: more than it could buffer.
const CORE_BYTES: usize = 24_000;

fn records(config: Config, policy: Policy, bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut decoder = Decoder::new(config, policy);
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

/// A stream of a program.
struct Workload {
    name: String,
    registers: Registers,
    bytes: Vec<u8>,
}

/// The streams with golden lists, or nothing if the folder next to the repository is absent.
fn workloads() -> Option<Vec<Workload>> {
    let own = shared_dir()?.join("workloads/own");
    let list = std::fs::read_to_string(own.join("golden.tsv")).expect("golden.tsv");
    let core = RegisterSet::by_name("a53").expect("a named set");
    let workload = |row: &str| {
        let columns: Vec<&str> = row.split('\t').collect();
        let [name, trcconfigr, _, _, _, len, sha256, _] = columns[..] else {
            panic!("golden.tsv has 8 columns: {row}");
        };
        let bytes = read_xz(&own.join(format!("{name}.xz"))).expect("a stream");
        assert_eq!(bytes.len().to_string(), len, "{name}");
        assert!(
            sha256_hex(&bytes).starts_with(sha256),
            "{name} is another stream"
        );
        let trcconfigr = trcconfigr.trim_start_matches("0x");
        Workload {
            name: name.to_owned(),
            registers: Registers {
                trcconfigr: u32::from_str_radix(trcconfigr, 16).expect("a register"),
                ..core.registers
            },
            bytes,
        }
    };
    Some(list.lines().skip(1).map(workload).collect())
}

#[test]
fn every_policy_gives_the_same_packets_and_no_error() {
    let Some(workloads) = workloads() else {
        return;
    };
    let (mut packets, mut total_bytes) = (0, 0);
    for Workload {
        name,
        registers,
        bytes,
    } in &workloads
    {
        Config::check(Protocol::Etm4, registers).expect("registers that agree");
        let config = Config::new(Protocol::Etm4, ArchProfile::A, registers);
        let resync = records(config, Policy::Resync, bytes);
        assert_eq!(resync, records(config, Policy::Lenient, bytes), "{name}");
        assert_eq!(resync, records(config, Policy::OpenCsd, bytes), "{name}");
        let bad = resync.iter().find(|record| {
            record.kind.is_error() || matches!(record.kind, Kind::NotSync | Kind::Incomplete)
        });
        assert_eq!(bad, None, "{name}");
        packets += resync.len();
        total_bytes += bytes.len();
    }
    let streams = workloads.len();
    assert_eq!(streams, 96, "streams in golden.tsv");
    println!("{streams} streams, {total_bytes} bytes, {packets} packets without an error");
}

#[test]
#[ignore = "nightly: six programs through the core"]
fn the_core_takes_programs_with_an_address_for_each_branch_at_full_width() {
    let Some(workloads) = workloads() else {
        return;
    };
    let id = TraceId::new(0x10).expect("an ID");
    let (mut words, mut displaced) = (0, 0);
    for workload in workloads {
        if !workload.name.contains("irq_kernel_bb") {
            continue;
        }
        let name = &workload.name;
        let bytes = &workload.bytes[..CORE_BYTES];
        let port = frame_streams(&mut rng(1), &[(id, bytes)], &Framing::PORT);
        let config = SourceConfig {
            protocol: Protocol::Etm4,
            profile: ArchProfile::A,
            registers: workload.registers,
            lenient: false,
        };
        let mut core = CoreSim::new();
        core.enable(id.value(), &config, false);
        for word in words_of(&port) {
            core.step(Some(word), true);
            words += 1;
        }
        core.drain();
        displaced += core.entries.len() / ENTRY_WORDS;
        core.snapshot();
        assert_eq!(core.register("LOST_WORDS"), 0, "{name}");
        let want = records(
            Config::new(Protocol::Etm4, ArchProfile::A, &workload.registers),
            Policy::Resync,
            bytes,
        );
        assert_eq!(
            StreamContents::read(&core.words).records,
            as_transmitted(want),
            "{name}"
        );
    }
    assert!(words > 20_000, "{words} words");
    println!("{words} words at full width, {displaced} entries in the profile stream");
}
