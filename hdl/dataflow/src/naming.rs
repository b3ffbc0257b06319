// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of registers: what the Rust source calls their values.
//!
//! The attribute [`named`](crate::named) makes the functions of a kernel report how they call their
//! words. A register has, in this order, the name of
//!
//! 1. its own word, by the outermost function that names it where it is made;
//! 2. the word that it delays;
//! 3. what it was made for.
//!
//! The stage follows it: `key_s2` is `key` two cycles after the inputs. Elements of an array
//! have their index, `octets_3_s1`. A word of another function than that of the block has before its
//! name what the block made it for, and words that then have the same name are numbered:
//! `timestamps_register_4_s9`.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use super::word::Word;

/// The number of words that there are so far; 0 where a kernel computes.
pub fn mark<T: Word>() -> usize {
    if T::PRINTS { T::made() } else { 0 }
}

/// What has words in it that can be named one by one.
pub trait Words<T: Word> {
    /// Calls `give` with each word and its name.
    fn words(&self, name: &str, give: &mut dyn FnMut(T, &str));
}

impl<T: Word> Words<T> for T {
    fn words(&self, name: &str, give: &mut dyn FnMut(T, &str)) {
        give(*self, name);
    }
}

impl<T: Word, V: Words<T>> Words<T> for [V] {
    fn words(&self, name: &str, give: &mut dyn FnMut(T, &str)) {
        for (index, value) in self.iter().enumerate() {
            value.words(&format!("{name}_{index}"), give);
        }
    }
}

impl<T: Word, V: Words<T>, const N: usize> Words<T> for [V; N] {
    fn words(&self, name: &str, give: &mut dyn FnMut(T, &str)) {
        self.as_slice().words(name, give);
    }
}

impl<T: Word, V: Words<T>> Words<T> for Vec<V> {
    fn words(&self, name: &str, give: &mut dyn FnMut(T, &str)) {
        self.as_slice().words(name, give);
    }
}

/// Reports what the words since a [`mark`] were made for.
pub fn made_for<T: Word>(since: usize, name: &str) {
    if T::PRINTS {
        T::made_for(since, name);
    }
}

/// A value that has a name in the source.
pub struct Named<'a, T, V> {
    value: &'a V,
    word: PhantomData<T>,
}

impl<'a, T: Word, V> Named<'a, T, V> {
    /// The value.
    pub fn new(value: &'a V) -> Self {
        Named {
            value,
            word: PhantomData,
        }
    }
}

/// Names the words of a value that has words. The method of [`NamesNothing`] has the same name, and
/// the compiler finds it only where this one is not there.
pub trait NamesWords {
    /// `since` is the [`mark`] from before the value: older words have their names.
    fn name(&self, since: usize, name: &str);
}

impl<T: Word, V: Words<T>> NamesWords for Named<'_, T, V> {
    fn name(&self, since: usize, name: &str) {
        if T::PRINTS {
            self.value
                .words(name, &mut |word, name| word.call(since, name));
        }
    }
}

/// Takes the name of a value of any other type, and does nothing.
pub trait NamesNothing {
    /// See [`NamesWords::name`].
    fn name(&self, _since: usize, _name: &str) {}
}

impl<T, V> NamesNothing for &Named<'_, T, V> {}

/// A name that a kernel has reported, and how many words there were before what has the name.
struct Given {
    since: usize,
    name: String,
}

/// The names that a kernel has reported.
#[derive(Default)]
pub(super) struct Names {
    words: HashMap<usize, Given>,
    /// What the words up to a number were made for, from the inside out.
    purposes: Vec<(Given, usize)>,
}

impl Names {
    pub(super) fn call(&mut self, id: usize, since: usize, name: &str) {
        if id >= since {
            let name = name.to_owned();
            self.words.insert(id, Given { since, name });
        }
    }

    pub(super) fn made_for(&mut self, since: usize, until: usize, name: &str) {
        if since < until {
            let name = name.to_owned();
            self.purposes.push((Given { since, name }, until));
        }
    }

    /// The name of a word.
    pub(super) fn name(&self, id: usize) -> Option<&str> {
        self.words.get(&id).map(|given| given.name.as_str())
    }

    /// What a word was made for, from the inside out.
    fn purposes(&self, id: usize) -> impl DoubleEndedIterator<Item = &Given> {
        let around = self.purposes.iter();
        around
            .filter(move |(given, until)| (given.since..*until).contains(&id))
            .map(|(given, _)| given)
    }

    /// The name of a word, or what it was made for. It begins with what the kernel made the word
    /// for, if another function gave the name.
    pub(super) fn full(&self, id: usize) -> Option<String> {
        let given = self.words.get(&id).or_else(|| self.purposes(id).next())?;
        // The outermost purpose is the kernel itself.
        let context = self.purposes(id).rev().nth(1);
        Some(
            match context.filter(|context| context.since < given.since) {
                Some(context) => format!("{}_{}", context.name, given.name),
                None => given.name.clone(),
            },
        )
    }
}

/// Names of a module that are taken.
pub(super) struct Taken(HashSet<String>);

impl Taken {
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Taken {
        Taken(names.into_iter().collect())
    }

    /// The name, or the name with the lowest number that is free.
    pub(super) fn take(&mut self, name: String) -> String {
        let numbered = (1..).map(|number| format!("{name}_{number}"));
        let mut all = std::iter::once(name.clone()).chain(numbered);
        let free = all.find(|name| !self.0.contains(name)).expect("a number");
        self.0.insert(free.clone());
        free
    }
}
