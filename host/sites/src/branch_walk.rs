// SPDX-License-Identifier: MIT OR Apache-2.0
//! A walk as branch events: what a core does that compresses what it follows.

use coretrace_abi::flow_table::LostReason;
use coretrace_etm::SourceConfig;

use crate::branch_place::{BranchPlace, BranchStep, PlaceStep};
use crate::branch_table::BranchTable;
use crate::commit::CommitQueue;
use crate::event::Event;
use crate::item::FlowItem;
use crate::merge::{Hop, Merge, Target, Token};
use crate::table::FlowTable;
use crate::unit::FlowUnit;
use crate::walk::Walk;

/// Follows the program of one source, and gives its branches.
#[derive(Clone, Debug)]
pub struct BranchUnit {
    queue: CommitQueue,
    merge: Merge,
    walk: Walk,
    place: BranchPlace,
}

impl BranchUnit {
    /// Of this source.
    pub fn new(source: &SourceConfig) -> BranchUnit {
        let (queue, merge, walk) = FlowUnit::new(source).parts();
        BranchUnit {
            queue,
            merge,
            walk,
            place: BranchPlace::default(),
        }
    }

    /// Takes an item; `sink` gets what happens with it.
    pub fn item(
        &mut self,
        item: FlowItem,
        table: &FlowTable,
        branches: &BranchTable,
        sink: &mut impl FnMut(BranchStep),
    ) {
        let BranchUnit {
            queue,
            merge,
            walk,
            place,
        } = self;
        let mut step = |step| place.step(step, branches, sink);
        queue.item(item, &mut |item| {
            merge.item(item, table, &mut |token| {
                of_token(&token, branches).into_iter().for_each(&mut step);
                walk.token(&token, table, &mut |event| {
                    of_event(&token, event, branches, &mut step);
                });
            });
        });
    }
}

/// What the address of a token says.
fn of_token(token: &Token, branches: &BranchTable) -> Option<PlaceStep> {
    let place = target(token)?.place;
    let is_loaded = place.site.is_ok() && place.isa == Some(branches.isa());
    Some(match is_loaded {
        true => PlaceStep::Address(place.address),
        false => PlaceStep::Lost,
    })
}

fn target(token: &Token) -> Option<&Target> {
    match token {
        Token::Hop(Hop { target, .. }) => target.as_ref(),
        _ => None,
    }
}

/// What the walk says of a token.
fn of_event(token: &Token, event: Event, branches: &BranchTable, step: &mut impl FnMut(PlaceStep)) {
    let comes = target(token).is_some();
    match event {
        // A return: its target is behind the call.
        Event::Indirect { target, .. } if !comes => {
            step(PlaceStep::Return(target.wrapping_sub(1)));
        }
        Event::Passed { site, count } => {
            let sites = site..site.wrapping_add(count);
            let taken = false;
            sites.for_each(|site| step(PlaceStep::Branch { site, taken }));
        }
        Event::Taken { site } => step(PlaceStep::Branch { site, taken: true }),
        Event::Exception { .. } => {
            if let Token::Exception {
                place: Some(place), ..
            } = token
            {
                let unit = place.unit;
                step(PlaceStep::Exception {
                    address: place.address,
                    is_call: unit.is_some_and(|unit| branches.is_behind_call(unit)),
                });
            }
        }
        Event::Found { address, .. } if matches!(token, Token::Source(_)) => {
            step(PlaceStep::Address(address));
        }
        // The address that came says where the program is all the same.
        Event::Lost {
            reason: LostReason::OtherAddress,
            ..
        } if comes => {}
        Event::Lost {
            reason: LostReason::TraceOn,
            ..
        } => step(PlaceStep::TraceOn),
        Event::Lost { .. } => step(PlaceStep::Lost),
        Event::Q { .. } => step(PlaceStep::Away),
        _ => {}
    }
}
