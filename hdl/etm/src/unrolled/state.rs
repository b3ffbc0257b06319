// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream state with a flip-flop for each of its values, and one step of it.
//!
//! A state is the kind of the next byte and how much of its part is left. What comes after the lead
//! is in flags beside it that change with a header only. No flag set: no A-Sync yet, or an error
//! came, and nothing is read.

use super::layouts::{Enables, Predecode, Role};
use coretrace_hdl_dataflow::{Word, all, any, join};

/// Continuation fields that may be left.
const FIELDS: usize = 6;
/// Bytes of a part of fixed size that may be left.
const BYTES: usize = 9;
/// Index in `info_rest` for a number of bytes after context information.
const INFO_REST: [Option<u32>; BYTES + 1] = [
    Some(0),
    Some(1),
    Some(2),
    None,
    Some(3),
    Some(4),
    Some(5),
    None,
    Some(6),
    None,
];

/// The stream state. At most one flag of those up to `rest` is set.
#[derive(Clone, Copy)]
pub(super) struct StreamState<T> {
    header: T,
    extension: T,
    zeros: T,
    plctl: T,
    info: T,
    short: T,
    exception: T,
    timestamp: T,
    /// `fields[n]`: a continuation field, and `n` more of them after it.
    fields: [T; FIELDS],
    /// `rest[n]`: a byte, and `n` more of them after it.
    rest: [T; BYTES],
    /// After the lead, or the rest, comes a continuation field, context information, or a header.
    then_field: T,
    then_info: T,
    then_header: T,
    /// The rest is identifiers; it ends with a context ID.
    in_ids: T,
    has_cid: T,
    /// The exception pushes the address 0.
    pushes_zero: T,
}

/// Bits of a stream state.
pub(super) const STATE_W: usize = 14 + FIELDS + BYTES;

/// Whether some condition holds in one of some states.
fn ways<T: Word, const N: usize>(ways: [(T, T); N]) -> T {
    any(&ways.map(|(state, enable)| state.and(enable)))
}

impl<T: Word> StreamState<T> {
    /// The state from its flags, in the order of `flags`.
    pub(super) fn new(flags: &[T]) -> StreamState<T> {
        let mut flags = flags.iter().copied();
        let mut next = || flags.next().expect("a flag");
        StreamState {
            header: next(),
            extension: next(),
            zeros: next(),
            plctl: next(),
            info: next(),
            short: next(),
            exception: next(),
            timestamp: next(),
            fields: std::array::from_fn(|_| next()),
            rest: std::array::from_fn(|_| next()),
            then_field: next(),
            then_info: next(),
            then_header: next(),
            in_ids: next(),
            has_cid: next(),
            pushes_zero: next(),
        }
    }

    /// The flags, that of a header first.
    pub(super) fn flags(&self) -> Vec<T> {
        let kinds = [
            self.header,
            self.extension,
            self.zeros,
            self.plctl,
            self.info,
            self.short,
            self.exception,
            self.timestamp,
        ];
        let after = [
            self.then_field,
            self.then_info,
            self.then_header,
            self.in_ids,
            self.has_cid,
            self.pushes_zero,
        ];
        [&kinds[..], &self.fields, &self.rest, &after].concat()
    }

    /// The last byte of a lead, or of identifiers, that has a tail.
    fn ends(&self, byte: &Enables<T>) -> T {
        ways([
            (self.rest[0], byte.go),
            (self.short, byte.short_ends),
            (self.timestamp, byte.timestamp_ends),
        ])
    }

    /// The state after a byte.
    pub(super) fn step(&self, byte: &Enables<T>) -> StreamState<T> {
        let ends = self.ends(byte);
        let header_after = any(&[
            byte.set_header,
            ways([
                (self.header, byte.header_header),
                (self.info, byte.info_rest.bit(0)),
                (self.plctl, byte.plctl_fields.bit(0)),
            ]),
            ways([
                (self.extension, byte.extension_header),
                (self.zeros, byte.zeros_header),
                (self.exception, byte.exception_ends),
            ]),
            self.fields[0].and(byte.field_ends),
            ends.and(self.then_header),
        ]);
        let kind = |state: T, enter: T| ways([(self.header, enter), (state, byte.stay)]);
        let field = |index: usize| {
            let more = self.fields.get(index + 1);
            let from_header = match index {
                0 => Some(byte.header_field1),
                1 => Some(byte.header_field2),
                _ => None,
            };
            any(&[
                ways([
                    (self.fields[index], byte.field_goes_on),
                    (self.plctl, byte.plctl_fields.bit(index as u32 + 1)),
                ]),
                more.map_or(T::constant(0, 1), |more| more.and(byte.field_ends)),
                from_header.map_or(T::constant(0, 1), |enter| self.header.and(enter)),
                if index == 0 {
                    ends.and(self.then_field)
                } else {
                    T::constant(0, 1)
                },
            ])
        };
        let rest = |index: usize| {
            let never = T::constant(0, 1);
            let more = self.rest.get(index + 1);
            let from_header = match index + 1 {
                1 => byte.header_rest1,
                4 => byte.header_rest4,
                8 => byte.header_rest8,
                9 => byte.header_rest9,
                _ => never,
            };
            let from_info = INFO_REST[index + 1].map_or(never, |bit| byte.info_rest.bit(bit));
            let second = ways([
                (self.short, byte.short_goes_on),
                (self.exception, byte.exception_goes_on),
            ]);
            any(&[
                self.rest[index].and(byte.stay),
                more.map_or(never, |more| more.and(byte.go)),
                ways([(self.header, from_header), (self.info, from_info)]),
                if index == 0 { second } else { never },
            ])
        };
        let at_header = self.header.and(byte.go);
        let at_info = self.info.and(byte.go);
        let ids = self.in_ids.or(at_info);
        StreamState {
            header: header_after,
            extension: kind(self.extension, byte.header_extension),
            zeros: ways([
                (self.extension, byte.extension_zeros),
                (self.zeros, byte.zeros_zeros),
            ]),
            plctl: kind(self.plctl, byte.header_plctl),
            info: kind(self.info, byte.header_info).or(all(&[
                self.rest[0],
                byte.go,
                self.then_info,
            ])),
            short: kind(self.short, byte.header_short),
            exception: kind(self.exception, byte.header_exception),
            timestamp: ways([
                (self.header, byte.header_timestamp),
                (self.timestamp, byte.timestamp_goes_on),
            ]),
            fields: std::array::from_fn(field),
            rest: std::array::from_fn(rest),
            then_field: at_header.mux(byte.lead_field, self.then_field),
            then_info: at_header.mux(byte.lead_info, self.then_info.and(at_info.not())),
            then_header: at_header.mux(byte.lead_plain, self.then_header.or(at_info)),
            in_ids: ids.and(at_header.not()),
            has_cid: at_info.mux(byte.info_cid, self.has_cid),
            pushes_zero: at_header
                .not()
                .and(self.pushes_zero.or(self.exception.and(byte.exception_zero))),
        }
    }

    /// What a byte is in this state.
    pub(super) fn role(&self, byte: &Enables<T>, predecode: &Predecode<T>) -> Role<T> {
        let in_fields = any(&self.fields);
        let in_rest = any(&self.rest);
        let lead = any(&[
            in_rest.and(self.in_ids.not()),
            any(&[self.plctl, self.short, self.exception]),
            self.timestamp.or(self.extension),
        ]);
        let ends = self.ends(byte);
        let packet = any(&[
            ways([
                (self.header, predecode.single),
                (self.info, byte.info_rest.bit(0)),
                (self.plctl, byte.plctl_fields.bit(0)),
            ]),
            ways([
                (self.extension, predecode.extends),
                (self.exception, byte.exception_ends),
                (self.fields[0], byte.field_ends),
            ]),
            ends.and(self.then_header),
        ]);
        let reserved = self.header.and(predecode.error);
        let bad = ways([
            (self.extension, predecode.bad_extension),
            (self.zeros, predecode.bad_zero),
        ]);
        let at_ids = self.in_ids.and(byte.go);
        let identifier = |index: usize| {
            let with_cid = self.rest[index + 4];
            let last = self.rest[index];
            (
                at_ids.and(self.has_cid.mux(with_cid, last)),
                all(&[at_ids, self.has_cid, last]),
            )
        };
        let identifiers: Vec<(T, T)> = (0..4).map(identifier).collect();
        Role {
            kept: byte.stay.not(),
            is_header: self.header.and(byte.go),
            lead: lead.and(byte.go),
            field: in_fields.and(byte.go),
            part_ends: any(&[
                ways([(self.header, byte.go), (self.plctl, byte.go)]),
                in_fields.and(byte.field_ends),
                ends,
            ]),
            outcome: join([packet.or(reserved), predecode.hit.or(reserved), bad]),
            completes: ways([
                (self.rest[0].and(self.in_ids.not()), byte.go),
                (self.short, byte.short_ends),
            ]),
            timestamp: self.timestamp.and(byte.timestamp_ends),
            zero: all(&[self.rest[0], self.pushes_zero, byte.go]),
            info: self.info.and(byte.go),
            vmid: join(identifiers.iter().map(|ids| ids.0)),
            cid: join(identifiers.iter().map(|ids| ids.1)),
        }
    }
}
