// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a header says about the bytes behind it, found once the header of a packet is known.

use crate::dataflow::{Table, Word, layout};
use etm4_protocol::address::address_form;
use etm4_protocol::{AddressForm, HEADERS, Lead, Part};
use std::sync::LazyLock;

layout! {
    pub(super) struct HeaderTraits {
        /// It names an address register.
        exact: 1,
        /// The lead is an address.
        address: 1,
        /// IS bit of that address.
        is1: 1,
        /// Context follows the lead, so that fixed bytes are identifiers.
        context: 1,
        /// Trace Info.
        trace_info: 1,
        /// Exception.
        exception: 1,
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    HeaderTraits::table(|header| {
        let row = &HEADERS[header];
        let form = address_form(header as u8);
        let exact = matches!(form, Some((AddressForm::Match(_), _)));
        HeaderTraits {
            exact,
            address: form.is_some() && !exact,
            is1: form.is_some_and(|(_, is1)| is1),
            context: row.tail.contains(Part::Info),
            trace_info: row.lead == Lead::Plctl,
            exception: row.lead == Lead::Exception,
        }
    })
});

/// The traits of a header.
pub(super) fn of<T: Word>(header: T) -> HeaderTraits<T> {
    HeaderTraits::split(header.look_up(&TABLE))
}
