// SPDX-License-Identifier: MIT OR Apache-2.0
//! What waits when a trace ends.

use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Element, Images, StreamFlow};

const SYNC_AND_TRACE_INFO: [u8; 14] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00];
const EXCEPTION_RETURN: u8 = 0x07;
const EVENT_1: u8 = 0x71;
const ATOM_E: u8 = 0xF7;

/// The elements behind the first, which is the loss of the place, without their places.
fn elements(source: &SourceConfig, packets: &[u8], policy: Policy) -> Vec<Element> {
    let mut flow = StreamFlow::new(source, Images::default(), policy);
    let mut elements = Vec::new();
    let mut sink = |_, element: &Element| elements.push(*element);
    flow.feed(&SYNC_AND_TRACE_INFO, &mut sink);
    flow.feed(packets, &mut sink);
    flow.finish(&mut sink);
    elements.split_off(1)
}

#[test]
fn an_exception_return_at_the_end_is_an_element() {
    let end = Element::End { loss: None };
    let source = SourceConfig::default();
    let packets = [EXCEPTION_RETURN, EVENT_1];
    assert_eq!(
        elements(&source, &packets, Policy::Resync),
        [Element::ExceptionReturn, Element::Event(1), end]
    );
    assert_eq!(elements(&source, &packets, Policy::OpenCsd), [end]);
}

#[test]
fn what_waits_behind_an_atom_that_was_not_committed_is_dropped() {
    let end = Element::End { loss: None };
    let mut source = SourceConfig::default();
    source.registers.trcidr8 = 4;
    let packets = [EVENT_1, ATOM_E, EXCEPTION_RETURN];
    assert_eq!(
        elements(&source, &packets, Policy::Resync),
        [Element::Event(1), end]
    );
}
