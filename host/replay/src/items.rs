// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is in a block of branches: events and notes, and the instructions behind the last event.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::item::Item;

use crate::branches::{BranchReplay, Model};
use crate::code::Code;
use crate::raptor::RaptorReplay;
use crate::reader::Damaged;
use crate::streams::{StreamReplay, StreamSource};

/// What is in a block, in order. Behind an error there is nothing.
pub type Fallible<'e, T> = Box<dyn Iterator<Item = Result<T, Damaged>> + 'e>;

/// Gives events and notes, and knows what is behind them.
pub trait Replay {
    /// The next one.
    fn item(&mut self) -> Option<Result<Item<Event>, Damaged>>;

    /// Instructions behind the last event, once there is no more.
    fn rest(&self) -> u64;
}

impl<C: Code, M: Model> Replay for BranchReplay<'_, C, M> {
    fn item(&mut self) -> Option<Result<Item<Event>, Damaged>> {
        self.next()
    }

    fn rest(&self) -> u64 {
        self.rest()
    }
}

impl<C: Code> Replay for RaptorReplay<'_, C> {
    fn item(&mut self) -> Option<Result<Item<Event>, Damaged>> {
        Some(self.next()?.map(Item::Event))
    }

    fn rest(&self) -> u64 {
        self.rest()
    }
}

impl<C: Code, S: StreamSource> Replay for StreamReplay<'_, C, S> {
    fn item(&mut self) -> Option<Result<Item<Event>, Damaged>> {
        Some(self.next()?.map(Item::Event))
    }

    fn rest(&self) -> u64 {
        self.rest()
    }
}

/// All items of a replay.
pub struct Items<R>(Option<R>);

impl<R: Replay> Items<R> {
    /// Of a replay that has not begun.
    pub fn new(replay: R) -> Items<R> {
        Items(Some(replay))
    }
}

impl<R: Replay> Iterator for Items<R> {
    type Item = Result<Item<Event>, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        let replay = self.0.as_mut()?;
        let item = replay.item();
        match item {
            Some(Ok(_)) => return item,
            Some(Err(_)) => self.0 = None,
            None => {
                let instructions = replay.rest();
                self.0 = None;
                return (instructions > 0).then_some(Ok(Item::Rest { instructions }));
            }
        }
        item
    }
}
