// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as segments: atom packets from an address to the next one.

use anyhow::{Context, Result};
use coretrace_abi::flow_table::Widths;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::Config;
use coretrace_sites::{FlowItem, FlowTable, FlowUnit, Items, SiteCounts};
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::TraceUnit;
use coretrace_test_simulate::flow_case::FlowCase;

/// Bits of a site and of a frame: all programs fit.
const WIDTHS: (u32, u32) = (18, 12);

/// Atoms of a packet.
#[derive(Clone, Copy, Debug)]
pub struct AtomPacket {
    pub bits: u32,
    pub count: u8,
    /// Its byte.
    pub byte: u64,
    /// Bytes behind the atom packet before it.
    pub bytes: u64,
}

/// Atom packets from an address on.
#[derive(Clone, Debug)]
pub struct Segment {
    pub site: u32,
    pub packets: Vec<AtomPacket>,
    /// The byte that shows that there are no more.
    pub last_byte: u64,
}

/// A program in a trace unit without a return stack.
pub struct Segments {
    pub instructions: u64,
    pub bytes: u64,
    pub table: FlowTable,
    pub segments: Vec<Segment>,
    /// The sums of the walk.
    pub counts: SiteCounts,
}

impl Segments {
    /// Of a trace.
    ///
    /// # Errors
    /// If there is no program with these branches, or it fits into no table.
    pub fn new(trace: &BranchTrace) -> Result<Segments> {
        let widths = Widths::new(WIDTHS.0, WIDTHS.1).context("widths")?;
        let case = FlowCase::of_trace(widths, trace, &TraceUnit::default())?;
        let FlowCase {
            source,
            table,
            bytes: stream,
            ..
        } = case.context("the program does not fit into the table")?;

        let mut segments: Vec<Segment> = Vec::new();
        let mut counts = SiteCounts::new(widths);
        let mut walk = FlowUnit::new(&source);
        let mut newest = 0;
        let mut count = |item: FlowItem| {
            walk.item(item, &table, &mut |event| counts.add(&event));
        };
        let items = Items::new(&source);
        let config = Config::new(source.protocol, source.profile, &source.registers);
        Decoder::new(config, Policy::Resync).feed(&stream, |record| {
            let byte = (record.offset + record.len).saturating_sub(1);
            items.record(
                record,
                |_| 0,
                |item| {
                    count(item);
                    match (item, segments.last_mut()) {
                        (FlowItem::Atoms { bits, count }, Some(segment)) => {
                            segment.packets.push(AtomPacket {
                                bits,
                                count,
                                byte,
                                bytes: byte - newest,
                            });
                            segment.last_byte = byte;
                            newest = byte;
                        }
                        (FlowItem::Address { address, .. }, last) => {
                            if let Some(segment) = last {
                                segment.last_byte = byte;
                            }
                            let site = table.rank(trace.isa, 0, address);
                            segments.extend(site.map(|site| Segment {
                                site,
                                packets: Vec::new(),
                                last_byte: byte,
                            }));
                        }
                        _ => {}
                    }
                },
            );
        });
        count(FlowItem::ReadOut);
        segments.retain(|segment| !segment.packets.is_empty());
        Ok(Segments {
            instructions: trace.instructions,
            bytes: stream.len() as u64,
            table,
            segments,
            counts,
        })
    }
}
