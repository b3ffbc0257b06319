// SPDX-License-Identifier: MIT OR Apache-2.0
//! The elements of software trace.

use anyhow::Result;
use coretrace_capture::{RecordSink, Source, Trace};
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_software_trace::{self as software_trace, Elements};

use super::ElementsArgs;
use super::lister::Lister;
use crate::error::say;
use crate::selection::{Protocols, select_protocols};
use crate::tally::Tally;

/// Lists the elements of the STM and ITM sources of a trace, one source after the other. Says whether anything
/// was decoded.
///
/// # Errors
/// If there is none, or the trace cannot be read.
pub fn list(args: &ElementsArgs, trace: &Trace, lister: &mut Lister) -> Result<bool> {
    let policy = Policy::from(args.follow.on_error);
    let mut is_decoded = false;
    for part in select_protocols(trace, args.follow.id, Protocols::Software)? {
        for pass in part.passes(policy, args.capture.options.sync_limit) {
            let sources = pass.described().map(|source| Listed::new(source, policy));
            let sources: Vec<Listed> = sources.collect();
            sources
                .iter()
                .for_each(|source| lister.begin_software(source.id));
            let mut listing = Listing { sources, lister };
            pass.run(&mut listing)?;
            is_decoded |= listing.end();
        }
    }
    Ok(is_decoded)
}

/// A source that is listed.
struct Listed {
    id: u8,
    elements: Elements,
    tally: Tally,
}

impl Listed {
    fn new(source: &Source, policy: Policy) -> Listed {
        Listed {
            id: source.trace_id.unwrap_or(0),
            elements: Elements::new(policy),
            tally: Tally::default(),
        }
    }
}

/// The sources of a pass, which are listed.
struct Listing<'a> {
    sources: Vec<Listed>,
    lister: &'a mut Lister,
}

impl Listing<'_> {
    /// Whether anything was decoded.
    fn end(self) -> bool {
        let mut is_decoded = false;
        for mut source in self.sources {
            source.elements.finish(|offset, element| {
                self.lister.software(offset, source.id, element);
            });
            self.lister.flush();
            source
                .tally
                .warning(source.id)
                .iter()
                .for_each(|warning| say(warning));
            is_decoded |= source.tally.is_decoded();
        }
        is_decoded
    }
}

impl RecordSink for Listing<'_> {
    fn record(&mut self, _source: usize, _record: &Record, _raw: &[u8]) {}

    fn software(&mut self, source: usize, record: &software_trace::Record) {
        let source = &mut self.sources[source];
        source.tally.count_software(record);
        source.elements.record(record, |offset, element| {
            self.lister.software(offset, source.id, element);
        });
    }
}
