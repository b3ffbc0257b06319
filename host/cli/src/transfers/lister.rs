// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of a data trace and its instruction trace in, lines out.

use coretrace_capture::{SourceDecoder, StreamSink, TraceBuffer};
use coretrace_data_trace::{Grammar, Keys, Kind, Parser, State};
use coretrace_decode::Policy;
use coretrace_etm::ArchProfile;
use coretrace_transfers::line::{Line, PACKET_SCHEMA, SCHEMA};
use coretrace_transfers::{Associator, Found};

use crate::error::say;
use crate::listing_format::ListingFormat;
use crate::output::Output;

/// What one data trace needs.
struct Source {
    id: u8,
    parser: Parser,
    /// None where packets are listed.
    transfers: Option<(State, Associator)>,
    /// The instruction trace, if there is one.
    instructions: Option<SourceDecoder>,
}

/// Writes the lines.
pub struct Lister<'a> {
    grammar: &'a Grammar,
    format: ListingFormat,
    output: Output,
    source: Option<Source>,
    is_synced: bool,
    unread: u64,
}

impl<'a> Lister<'a> {
    /// A lister that has listed nothing.
    pub fn new(grammar: &'a Grammar, format: ListingFormat) -> Lister<'a> {
        Lister {
            grammar,
            format,
            output: Output::new(),
            source: None,
            is_synced: false,
            unread: 0,
        }
    }

    /// Begins a data trace, the first of these sources of a buffer; the second is its instruction trace.
    pub fn begin(&mut self, buffer: &TraceBuffer, sources: &[usize], transfers: bool) {
        let data = &buffer.sources[sources[0]];
        let instructions = sources.get(1).map(|&index| &buffer.sources[index]);
        let profile = instructions.map_or(ArchProfile::A, |source| source.profile);
        let keys: Option<Keys> = data.data.filter(|_| transfers);
        self.source = Some(Source {
            id: data.trace_id.filter(|_| buffer.is_framed()).unwrap_or(0),
            parser: Parser::new(),
            transfers: keys.map(|keys| (State::new(keys), Associator::new(keys, profile))),
            instructions: instructions
                .and_then(|source| source.config)
                .map(|config| SourceDecoder::new(config, Policy::Resync)),
        });
    }

    /// Ends the listing. Whether a data trace had an A-Sync.
    pub fn finish(self) -> bool {
        self.output.finish();
        if self.unread > 0 {
            say(&format!(
                "warning: {} bytes of data trace could not be read: see them with --packets",
                self.unread
            ));
        }
        self.is_synced
    }

    /// Feeds the parser, or does something else with it, and lists what it finds.
    fn parse(
        &mut self,
        act: impl FnOnce(&mut Parser, &Grammar, &mut dyn FnMut(&coretrace_data_trace::Record)),
    ) {
        let Some(source) = &mut self.source else {
            return;
        };
        let Source {
            id,
            parser,
            transfers,
            ..
        } = source;
        let (grammar, format, output) = (self.grammar, self.format, &mut self.output);
        let (is_synced, unread) = (&mut self.is_synced, &mut self.unread);
        act(parser, grammar, &mut |record| {
            match record.kind {
                Kind::Packet(_) => *is_synced = true,
                Kind::NotSync if record.offset == 0 => {}
                _ => *unread += record.len,
            }
            match transfers {
                None => put(
                    output,
                    format,
                    *id,
                    &Line::of_packet(grammar, record),
                    PACKET_SCHEMA,
                ),
                Some((state, associator)) => {
                    if let Some(element) = state.apply(grammar, record) {
                        associator.data(record.offset, element);
                    }
                }
            }
        });
    }

    /// Feeds the decoder of the instruction trace.
    fn decode(
        &mut self,
        act: impl FnOnce(&mut SourceDecoder, &mut dyn FnMut(&coretrace_etm::Record)),
    ) {
        if let Some(source) = &mut self.source
            && let (Some(decoder), Some((_, associator))) =
                (&mut source.instructions, &mut source.transfers)
        {
            act(decoder, &mut |record| associator.instruction(record));
        }
    }

    /// Lists what both traces have up to a mark.
    fn list(&mut self) {
        let Some(source) = &mut self.source else {
            return;
        };
        let (output, format, id) = (&mut self.output, self.format, source.id);
        if let Some((_, associator)) = &mut source.transfers {
            associator.take(&mut |found| put_found(output, format, id, found));
        }
    }
}

impl StreamSink for Lister<'_> {
    fn bytes(&mut self, source: usize, bytes: &[u8]) {
        match source {
            0 => self.parse(|parser, grammar, mut sink| parser.feed(grammar, bytes, &mut sink)),
            _ => self.decode(|decoder, sink| decoder.push(bytes, |record, _| sink(record))),
        }
        self.list();
    }

    fn lost(&mut self) {
        self.parse(|parser, _, mut sink| parser.lose(&mut sink));
        self.decode(|decoder, sink| decoder.discontinuity(|record, _| sink(record)));
    }

    fn finish(&mut self) {
        self.parse(|parser, _, mut sink| parser.finish(&mut sink));
        self.decode(|decoder, sink| decoder.finish(|record, _| sink(record)));
        let Some(source) = self.source.take() else {
            return;
        };
        let (output, format, id) = (&mut self.output, self.format, source.id);
        if let Some((_, associator)) = source.transfers {
            let counts = associator.finish(&mut |found| put_found(output, format, id, found));
            output.flush();
            say(&format!(
                "note: ID {id:02x}: {} transfers, {} without a parent; {} values, {} without a transfer",
                counts.transfers, counts.without_parent, counts.values, counts.without_transfer
            ));
            if counts.dropped > 0 {
                say(&format!(
                    "warning: ID {id:02x}: {} elements are left out, because there was no mark for too long",
                    counts.dropped
                ));
            }
        }
    }

    fn is_synced(&self) -> bool {
        self.is_synced
    }
}

fn put_found(output: &mut Output, format: ListingFormat, id: u8, found: &Found) {
    put(output, format, id, &Line::of_found(found), SCHEMA);
}

fn put(output: &mut Output, format: ListingFormat, id: u8, line: &Line, schema: &str) {
    match format {
        ListingFormat::Text => line.text(&mut output.text, id),
        ListingFormat::Tsv => line.tsv(&mut output.text, id),
        ListingFormat::Json => line.json(&mut output.text, id, schema),
    }
    output.flush_full();
}
