// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tags of a stream mean.

use coretrace_abi::record_stream::{AddressRule, Body, rules};
use coretrace_etm::{
    Address, Config, Context, Fields, Kind, Outcome, Part, RawRecord, Record, layout,
};

/// What a tag with a body means for a source.
#[derive(Clone, Debug)]
pub(crate) struct TagRow {
    /// There is such a tag.
    pub exists: bool,
    pub address: AddressRule,
    pub body: Body,
    /// It is a cycle count with one word.
    pub is_cycles: bool,
    /// The record of the tag alone.
    pub constant: Record,
    /// Of a cycle count: the fields in front of its own; whether it has these two.
    pub fields: u32,
    pub has_commit: bool,
    pub has_count: bool,
}

impl TagRow {
    /// What a tag means under a configuration.
    pub fn of_tag(tag: u8, config: &Config) -> TagRow {
        let rules = rules(tag);
        let (address, body) = rules.unwrap_or((AddressRule::None, Body::None));
        let raw = RawRecord {
            outcome: Outcome::Packet,
            suspect: false,
            header: tag,
            lead: [0; 9],
            fields: Fields::default(),
            address: Address::default(),
            timestamp: 0,
            context: Context::default(),
        };
        let constant = raw.record(0, config);
        let tail = layout(tag, config).tail;
        let [has_commit, has_count] = [Part::Field0, Part::Field1].map(|part| tail.contains(part));
        let is_cycles = matches!(
            (address, body, constant.kind),
            (
                AddressRule::None,
                Body::Field | Body::Lead,
                Kind::CycleCountF1 | Kind::CycleCountF2
            )
        );
        TagRow {
            exists: rules.is_some(),
            address,
            body,
            is_cycles,
            constant,
            fields: u32::from(has_commit && has_count),
            has_commit,
            has_count,
        }
    }
}
