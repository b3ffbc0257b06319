// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the pages of a table are: the displacements of their buckets.

use coretrace_abi::flow_table::{
    BUCKETS, BucketWord, PAGE_SLOTS, PageWord, SPACE_BITS, bucket, slot,
};

use crate::table::FlowTable;

/// The pages that are in a table, by bucket.
#[derive(Clone, Debug)]
pub struct Places {
    pages: Vec<Vec<PageWord>>,
}

impl Places {
    /// No pages yet.
    pub fn new() -> Places {
        Places {
            pages: vec![Vec::new(); BUCKETS],
        }
    }

    /// Whether there is a page of the same number in an address space of this one.
    pub fn has(&self, page: &PageWord) -> bool {
        let is_same = |other: &PageWord| {
            (other.number, other.isa) == (page.number, page.isa)
                && (page.any_space || other.any_space || other.space == page.space)
        };
        self.pages[bucket(page.number)].iter().any(is_same)
    }

    /// Puts a page into a table, and moves those of its bucket if it must. Without such a place nothing changes,
    /// and the page is left out: then it is false.
    pub fn add(&mut self, page: PageWord, table: &mut FlowTable) -> bool {
        let number = bucket(page.number);
        let before = &self.pages[number];
        let old = BucketWord::unpack(table.buckets()[number].into());
        let taken: Vec<usize> = slots(before, old).map(|(place, _)| place).collect();
        let mut pages = before.clone();
        pages.push(page);
        let by_space = pages.iter().any(|page| !page.any_space);
        let is_free = |place: usize| table.pages()[place] == 0 || taken.contains(&place);
        let fits = |word: &BucketWord| {
            let mut places: Vec<usize> = slots(&pages, *word).map(|(place, _)| place).collect();
            places.sort_unstable();
            places.iter().all(|&place| is_free(place)) && places.windows(2).all(|it| it[0] != it[1])
        };
        // Pages stay where they are if they can.
        let displacements = [old.displacement].into_iter().chain(0..PAGE_SLOTS as u16);
        let words = displacements.map(|displacement| BucketWord {
            displacement,
            by_space,
        });
        let Some(word) = words.into_iter().find(fits) else {
            return false;
        };
        let widths = table.widths();
        for place in taken {
            table.pages_mut()[place] = 0;
        }
        for (place, page) in slots(&pages, word) {
            table.pages_mut()[place] = page.pack(widths);
        }
        table.buckets_mut()[number] = word.pack() as u16;
        self.pages[number] = pages;
        true
    }
}

/// The slots of the pages of a bucket.
fn slots(pages: &[PageWord], word: BucketWord) -> impl Iterator<Item = (usize, PageWord)> {
    pages.iter().flat_map(move |page| {
        let spaces = if page.any_space && word.by_space {
            0..1 << SPACE_BITS
        } else {
            page.space..page.space + 1
        };
        spaces.map(move |space| (slot(page.number, page.isa, space, word), *page))
    })
}
