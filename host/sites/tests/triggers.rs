// SPDX-License-Identifier: MIT OR Apache-2.0
//! What triggers do: counting between two of them, and a ring of hops that one of them freezes.

use coretrace_abi::flow_stream::{Hop, RING_HOPS};
use coretrace_abi::flow_table::{Trigger, Widths};
use coretrace_sites::{CountWindow, Event, FlowReader, FlowTable, FlowWriter, HopRing};

/// A table with a trigger at a site, and one behind a branch.
fn table(at: (u32, Trigger), behind: (u32, Trigger)) -> FlowTable {
    let mut table = FlowTable::new(Widths::new(6, 1).expect("widths"));
    table.set_trigger_at(at.0, Some(at.1));
    table.set_trigger_behind(behind.0, Some(behind.1));
    table
}

/// A loop through the sites 1, 2 and 3, so many times: a flow begins at 1.
fn laps(count: usize) -> Vec<Event> {
    let lap = |lap: usize| {
        (1..4).flat_map(move |site| {
            let begins = lap == 0 && site == 1;
            let enter = begins.then_some(Event::Enter { site });
            let arrive = Event::Arrive { site, begins };
            [arrive]
                .into_iter()
                .chain(enter)
                .chain([Event::Taken { site }])
        })
    };
    (0..count).flat_map(lap).collect()
}

fn counted(table: &FlowTable, windowed: bool, events: Vec<Event>) -> Vec<Event> {
    let mut window = CountWindow::new(windowed);
    let mut counted = Vec::new();
    for event in events {
        window.event(event, table, &mut |event| counted.push(event));
    }
    counted.retain(|event| !matches!(event, Event::Arrive { .. }));
    counted
}

#[test]
fn what_is_between_triggers_is_counted_and_arrivals_agree_with_departures() {
    let table = table((2, Trigger::Start), (3, Trigger::Stop));
    let lap = [
        Event::Enter { site: 2 },
        Event::Taken { site: 2 },
        Event::Taken { site: 3 },
        Event::Leave { site: 1 },
    ];
    let mut events = laps(3);
    events.push(Event::Arrive {
        site: 1,
        begins: false,
    });
    events.push(Event::Leave { site: 1 });
    assert_eq!(counted(&table, true, events), [lap; 3].concat());
    // Without a window all of it is counted.
    let is_walk = |event: &Event| !matches!(event, Event::Arrive { .. });
    let all: Vec<Event> = laps(3).into_iter().filter(is_walk).collect();
    assert_eq!(counted(&table, false, laps(3)), all);
}

#[test]
fn a_stop_in_front_of_a_site_ends_the_flow_there() {
    let table = table((3, Trigger::Stop), (1, Trigger::Start));
    let lap = [
        Event::Enter { site: 2 },
        Event::Taken { site: 2 },
        Event::Leave { site: 3 },
    ];
    assert_eq!(counted(&table, true, laps(2)), [lap; 2].concat());
}

#[test]
fn an_indirect_branch_counts_with_its_branch() {
    let table = table((2, Trigger::Start), (2, Trigger::Stop));
    let led = |site, target| Event::Indirect { site, target };
    let events = vec![
        Event::Taken { site: 1 },
        led(1, 2),
        Event::Arrive {
            site: 2,
            begins: true,
        },
        Event::Enter { site: 2 },
        Event::Taken { site: 2 },
        led(2, 1),
    ];
    let want = [
        Event::Enter { site: 2 },
        Event::Taken { site: 2 },
        led(2, 1),
    ];
    assert_eq!(counted(&table, true, events), want);
}

fn ring(table: &FlowTable, freeze_after: u32, events: &[Event]) -> HopRing {
    let mut ring = HopRing::new(freeze_after);
    events.iter().for_each(|event| ring.event(event, table));
    ring
}

fn hop(site: u32, is_taken: bool, begins: bool) -> Hop {
    Hop {
        site,
        branch: site,
        is_taken,
        begins,
    }
}

#[test]
fn a_ring_ends_with_the_trigger_that_freezes_it() {
    let table = table((3, Trigger::Event), (2, Trigger::Event));
    let hops = |ring: &HopRing| ring.frozen().map(Iterator::collect::<Vec<_>>);
    let events = laps(2);
    assert_eq!(hops(&ring(&table, 0, &events)), None);
    let first = [hop(1, true, true), hop(2, true, false)];
    assert_eq!(hops(&ring(&table, 1, &events)), Some(first.to_vec()));
    // The second event is in front of its branch.
    let second = [&first[..], &[hop(3, false, false)]].concat();
    assert_eq!(hops(&ring(&table, 2, &events)), Some(second));
    assert_eq!(ring(&table, 1, &events).events(), 4);
}

#[test]
fn a_ring_has_the_newest_hops_and_comes_back_from_a_stream() {
    let table = table((3, Trigger::Event), (0, Trigger::Event));
    let ring = ring(&table, 40, &laps(50));
    let hops: Vec<Hop> = ring.frozen().expect("a frozen ring").collect();
    assert_eq!(hops.len(), RING_HOPS);
    assert_eq!(hops.last(), Some(&hop(3, false, false)));

    let mut bytes = Vec::new();
    FlowWriter::hops(hops.iter().copied(), 119, &mut |beat| {
        bytes.extend(beat.words().map(u32::to_le_bytes).concat());
    });
    let read = |pieces: &[&[u8]]| {
        let mut reader = FlowReader::new(table.widths());
        pieces.iter().for_each(|piece| reader.bytes(piece));
        reader.finish()
    };
    let whole = read(&[&bytes]);
    assert_eq!(
        (&whole.hops, whole.rings, whole.damage.is_any()),
        (&hops, 1, false)
    );
    // One that was ended early, and then a whole one.
    let again = read(&[&bytes[..160], &bytes]);
    assert_eq!(
        (&again.hops, again.rings, again.damage.is_any()),
        (&hops, 1, false)
    );
    // One without its end, however long.
    let long = read(&[&bytes[..bytes.len() - 16].repeat(3)]);
    assert_eq!((long.hops.len(), long.rings), (0, 0));
}
