// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of software trace.

use coretrace_decode::Policy;
use coretrace_software_trace::{
    Decoder, Elements, ItmConfig, Line, Messages, Protocol, Record, element_json, element_text,
    element_tsv, json, text, tsv,
};

use super::POLICIES;

/// The decoder of an STM; see `decode`.
pub fn stm(data: &[u8]) {
    decode(Protocol::Stm, data);
}

/// The decoder of an ITM: bits 11:4 of ITM_TCR, then as `decode`.
pub fn itm(data: &[u8]) {
    let Some((&tcr, data)) = data.split_first() else {
        return;
    };
    let itm_tcr = u32::from(tcr) << 4;
    decode(Protocol::Itm(ItmConfig { itm_tcr }), data);
}

/// A policy, a size of chunks, how many chunks come before bytes are lost, then a stream. Every nibble or
/// byte is in one record, whatever the chunks, and every record can be listed.
fn decode(protocol: Protocol, data: &[u8]) {
    let &[policy, chunk, before, ref stream @ ..] = data else {
        return;
    };
    let policy = POLICIES[usize::from(policy) % POLICIES.len()];
    let chunk = usize::from(chunk).max(1);
    let (kept, rest) = stream.split_at(stream.len().min(chunk * usize::from(before)));
    let records = |chunk: usize| {
        let mut decoder = Decoder::new(protocol, policy);
        let mut records: Vec<Record> = Vec::new();
        for bytes in kept.chunks(chunk) {
            decoder.feed(bytes, |record| records.push(*record));
        }
        if !rest.is_empty() {
            decoder.discontinuity(|record| records.push(*record));
        }
        for bytes in rest.chunks(chunk) {
            decoder.feed(bytes, |record| records.push(*record));
        }
        decoder.finish(|record| records.push(*record));
        records
    };
    let got = records(chunk);
    assert_eq!(got, records(stream.len().max(1)));
    assert_eq!(got, records(1));
    list(policy, &got);
    let units = match protocol {
        Protocol::Stm => 2,
        Protocol::Itm(_) => 1,
    };
    let mut end = 0;
    for record in &got {
        let offset = match record {
            Record::Stm(record) => record.offset,
            Record::Itm(record) => record.offset,
        };
        assert_eq!(offset, end, "{record:?}");
        assert!(!record.is_empty(), "{record:?}");
        end += record.len();
    }
    assert_eq!(end, units * stream.len() as u64);
}

/// Every listing, with elements and messages. A record makes one line of each.
fn list(policy: Policy, records: &[Record]) {
    let mut lists = [(); 6].map(|()| String::new());
    let mut elements = Elements::new(policy);
    let mut messages = Messages::default();
    for record in records {
        let line = Line { id: 1, record };
        tsv(&mut lists[0], &line);
        text(&mut lists[1], &line);
        json(&mut lists[2], &line);
        elements.record(record, |offset, element| {
            element_tsv(&mut lists[3], offset, 1, element);
            element_text(&mut lists[4], offset, 1, element);
            element_json(&mut lists[5], offset, 1, element);
        });
        messages.record(record, |_, _| ());
    }
    for list in &lists[..3] {
        assert_eq!(list.lines().count(), records.len());
    }
}
