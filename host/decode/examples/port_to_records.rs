// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port in, records out, in chunks of any size and without a capture folder.
//!
//! `cargo run -p coretrace-decode --example port_to_records < testbench/traces/framed/trace.bin`

use std::io::{self, Read};

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::Format;
use coretrace_decode::{Decoder, Policy, TracePort};
use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Record, Registers};

/// The sources: trace ID, and TRCCONFIGR as the trace session wrote it.
const SOURCES: [(u8, u32); 2] = [(0x10, 0x1001), (0x21, 0x8D9)];

/// What is known of a trace unit from its registers: here two Cortex-A53.
fn config(trcconfigr: u32) -> Config {
    let registers = Registers {
        trcconfigr,
        trcidr0: 0x2800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x488,
        ..Registers::default()
    };
    Config::new(Protocol::Etm4, ArchProfile::A, &registers)
}

/// What a tool does with a record; here it counts.
#[derive(Default)]
struct Tally {
    packets: u64,
    unread_bytes: u64,
    last_timestamp: u64,
}

impl Tally {
    fn record(&mut self, record: &Record) {
        match record.kind {
            Kind::NotSync => self.unread_bytes += record.len,
            Kind::Incomplete => {}
            _ => {
                self.packets += 1;
                self.last_timestamp = record.timestamp;
            }
        }
    }
}

fn main() -> io::Result<()> {
    let decoders = SOURCES.map(|(id, trcconfigr)| {
        let id = TraceId::new(id).expect("a trace ID");
        (id, Decoder::new(config(trcconfigr), Policy::Resync))
    });
    let mut port = TracePort::new(Format::TpiuHsync, decoders);
    let mut tallies = SOURCES.map(|_| Tally::default());

    let mut input = io::stdin().lock();
    let mut chunk = [0; 4096];
    loop {
        let len = input.read(&mut chunk)?;
        if len == 0 {
            break;
        }
        port.feed(&chunk[..len], |source, record| {
            tallies[source].record(record);
        });
    }
    port.finish(|source, record| tallies[source].record(record));

    for ((id, _), tally) in SOURCES.iter().zip(&tallies) {
        println!(
            "ID {id:02x}: {} packets, {} bytes unread, last timestamp {:#x}",
            tally.packets, tally.unread_bytes, tally.last_timestamp
        );
    }
    println!("{:?}", port.sync_statistics());
    println!("{:?}", port.demux_statistics());
    Ok(())
}
