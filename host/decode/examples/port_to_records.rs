// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a trace port in, records out, in chunks of any size and without a capture folder.
//!
//! `cargo run -p coretrace-decode --example port_to_records < testbench/traces/framed/trace.bin`

use std::collections::BTreeMap;
use std::io::{self, Read};

use coretrace_coresight::TraceId;
use coretrace_decode::tpiu::{Deframer, Demux, Format, RunEvent};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Kind, Profile, Protocol, Record, Registers};

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
    Config::new(Protocol::Etm4, Profile::A, &registers)
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
    let mut sources: BTreeMap<TraceId, (Decoder, Tally)> = SOURCES
        .iter()
        .filter_map(|&(id, trcconfigr)| {
            let decoder = Decoder::new(config(trcconfigr), Policy::Resync);
            Some((TraceId::new(id)?, (decoder, Tally::default())))
        })
        .collect();
    let mut deframer = Deframer::new(Format::TpiuHsync);
    let mut demux = Demux::new(sources.keys().copied());

    let mut input = io::stdin().lock();
    let mut chunk = [0; 4096];
    loop {
        let len = input.read(&mut chunk)?;
        if len == 0 {
            break;
        }
        deframer.feed(&chunk[..len], |event| match event {
            RunEvent::Run(run) => {
                let source = demux.route(&run).and_then(|id| sources.get_mut(&id));
                if let Some((decoder, tally)) = source {
                    decoder.feed(run.bytes, |record| tally.record(record));
                }
            }
            // Bytes of any source may be missing here.
            RunEvent::Discontinuity { .. } => {
                for (decoder, tally) in sources.values_mut() {
                    decoder.discontinuity(|record| tally.record(record));
                }
            }
        });
    }
    deframer.finish();
    for (id, (decoder, tally)) in &mut sources {
        decoder.finish(|record| tally.record(record));
        println!(
            "ID {:02x}: {} packets, {} bytes unread, last timestamp {:#x}",
            id.value(),
            tally.packets,
            tally.unread_bytes,
            tally.last_timestamp
        );
    }
    println!("{:?}", deframer.statistics());
    println!("{:?}", demux.statistics());
    Ok(())
}
