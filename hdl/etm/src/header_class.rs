// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a header says about the bytes behind it, found once the header of a packet is known.

use coretrace_etm::address::address_form;
use coretrace_etm::{AddressForm, HEADERS, Lead, Part};
use coretrace_hdl_dataflow::{Table, Word, layout};
use std::sync::LazyLock;

layout! {
    /// What the later stages of a decoder ask of a header.
    pub(crate) struct HeaderClass {
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
    HeaderClass::table(|header| {
        let row = &HEADERS[header];
        let form = address_form(header as u8);
        let exact = matches!(form, Some((AddressForm::Match(_), _)));
        HeaderClass {
            exact,
            address: form.is_some() && !exact,
            is1: form.is_some_and(|(_, is1)| is1),
            context: row.tail.contains(Part::Info),
            trace_info: row.lead == Lead::Plctl,
            exception: row.lead == Lead::Exception,
        }
    })
});

/// The class of a header.
pub(crate) fn of<T: Word>(header: T) -> HeaderClass<T> {
    HeaderClass::split(header.rom(&TABLE))
}
