// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of real programs: nothing in them is an error, under any policy.

use etm4_capture::{read_xz, sha256_hex};
use etm4_harness::shared_dir;
use etm4_model::{Decoder, Policy};
use etm4_protocol::{Config, Kind, Profile, Protocol, Record, Registers};

/// The trace unit of every stream: that of a Cortex-A53.
const REGISTERS: Registers = Registers {
    trcconfigr: 0,
    trcidr0: 0x2800_0EA1,
    trcidr1: 0x4100_F403,
    trcidr2: 0x488,
    trcidr8: 0,
    trcdevarch: 0,
};

fn records(config: Config, policy: Policy, bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut decoder = Decoder::new(config, policy);
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

#[test]
fn every_policy_gives_the_same_packets_and_no_error() {
    let Some(shared) = shared_dir() else {
        return;
    };
    let own = shared.join("workloads/own");
    let list = std::fs::read_to_string(own.join("golden.tsv")).expect("golden.tsv");
    let (mut streams, mut packets, mut total_bytes) = (0, 0, 0);
    for row in list.lines().skip(1) {
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
        let registers = Registers {
            trcconfigr: u32::from_str_radix(trcconfigr, 16).expect("a register"),
            ..REGISTERS
        };
        Config::check(Protocol::Etm4, &registers).expect("registers that agree");
        let config = Config::new(Protocol::Etm4, Profile::A, &registers);
        let resync = records(config, Policy::Resync, &bytes);
        assert_eq!(resync, records(config, Policy::Lenient, &bytes), "{name}");
        assert_eq!(resync, records(config, Policy::OpenCsd, &bytes), "{name}");
        let bad = resync.iter().find(|record| {
            record.kind.is_error() || matches!(record.kind, Kind::NotSync | Kind::Incomplete)
        });
        assert_eq!(bad, None, "{name}");
        (streams, packets, total_bytes) = (
            streams + 1,
            packets + resync.len(),
            total_bytes + bytes.len(),
        );
    }
    assert_eq!(streams, 96, "streams in golden.tsv");
    println!("{streams} streams, {total_bytes} bytes, {packets} packets without an error");
}
