// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of the model, changed according to OpenCSD's known faults.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::packet::exception_info;
use coretrace_etm::{Config, Context, Kind, Record};

use crate::faults::{Effect, FAULTS, Fault, Hits, Read};
use crate::{Case, Row, model};

/// The expected output of OpenCSD for a stream.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Its rows.
    pub rows: Vec<Row>,
    /// The number of rows changed by each fault of [`FAULTS`].
    pub hits: Hits,
}

/// The rows of a stream, under the faults for which `is_known` is true.
pub fn rows(case: &Case, is_known: impl Fn(&Fault) -> bool) -> Expected {
    let config = case.set.config();
    let mut reader = Reader {
        config,
        known: FAULTS
            .iter()
            .enumerate()
            .filter(|(_, fault)| is_known(fault))
            .collect(),
        kept: Context::default(),
        skew: 0,
        longer: 0,
        out: Expected::default(),
    };
    let mut decoder = Decoder::new(config, Policy::OpenCsd);
    let (mut rest, mut fed, mut at_header) = (&case.bytes[..], 0, false);
    while let Some((first, _)) = rest.split_first() {
        let read = if at_header { reader.read(rest) } else { None };
        let (feed, take) = match &read {
            Some(read) => (&read.instead[..], read.taken),
            None => (std::slice::from_ref(first), 1),
        };
        reader.longer += take as i64 - feed.len() as i64;
        fed += feed.len() as u64;
        at_header = false;
        decoder.feed(feed, |record| {
            at_header = record.kind != Kind::NotSync && record.offset + record.len == fed;
            reader.record(record, &case.bytes);
        });
        rest = &rest[take..];
    }
    decoder.finish(|record| reader.record(record, &case.bytes));
    reader.out
}

struct Reader {
    config: Config,
    known: Vec<(usize, &'static Fault)>,
    /// The context of a decoder that never resets it.
    kept: Context,
    /// The bytes that the stream has up to the last row, minus those given to the model.
    skew: i64,
    /// The same for the current packet.
    longer: i64,
    out: Expected,
}

impl Reader {
    /// What OpenCSD reads at the start of `bytes`, if it misreads them.
    fn read(&mut self, bytes: &[u8]) -> Option<Read> {
        self.known.iter().find_map(|(number, fault)| {
            let Effect::Reads(read) = fault.effect else {
                return None;
            };
            let read = read(&self.config, bytes)?;
            self.out.hits[*number] += 1;
            Some(read)
        })
    }

    fn record(&mut self, record: &Record, stream: &[u8]) {
        self.keep_context(record);
        let context = if self.knows(|effect| matches!(effect, Effect::KeepsContext)) {
            self.kept
        } else {
            record.context
        };
        let mut row = model::row(record, &context, &self.config);
        row.offset = record.offset.saturating_add_signed(self.skew);
        row.len = record.len.saturating_add_signed(self.longer);
        self.skew += std::mem::take(&mut self.longer);
        own_values(&mut row, stream);
        if context != record.context {
            self.hit(|effect| matches!(effect, Effect::KeepsContext));
        }
        for (number, fault) in &self.known {
            if let Effect::Reports(report) = fault.effect
                && report(&self.config, stream, &mut row)
            {
                self.out.hits[*number] += 1;
            }
        }
        self.out.rows.push(row);
    }

    fn keep_context(&mut self, record: &Record) {
        if !model::has_context(record) {
            return;
        }
        let new = &record.context;
        self.kept.info = new.info;
        if new.announces_vmid() && self.config.vmid_bytes > 0 {
            self.kept.vmid = new.vmid;
        }
        if new.announces_cid() && self.config.cid_bytes > 0 {
            self.kept.cid = new.cid;
        }
    }

    fn knows(&self, is: impl Fn(&Effect) -> bool) -> bool {
        self.known.iter().any(|(_, fault)| is(&fault.effect))
    }

    fn hit(&mut self, is: impl Fn(&Effect) -> bool) {
        for (number, fault) in &self.known {
            self.out.hits[*number] += u64::from(is(&fault.effect));
        }
    }
}

/// A packet that replaces another one in the model's input gets the header and the exception of the
/// original.
fn own_values(row: &mut Row, stream: &[u8]) {
    let bytes = &stream[row.offset as usize..][..row.len as usize];
    match (row.kind, bytes) {
        (Some(Kind::Reserved), [header, ..]) => {
            row.change("header", (*header).into());
        }
        (Some(Kind::Exception), [_, lead @ ..]) => {
            let mut all = [0; 9];
            all[..lead.len()].copy_from_slice(lead);
            row.change("exception", exception_info(&all).number.into());
        }
        _ => {}
    }
}
