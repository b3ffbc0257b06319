// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many ranges of instructions each image had.

use std::ops::Range;

use coretrace_etm::Context;

use crate::element::{Element, ElementSink};
use crate::images::{ImageSet, Images};

/// Counts the ranges of a source by the image that they begin in.
#[derive(Clone, Debug)]
pub struct RangeCounts {
    images: Images,
    set: ImageSet,
    /// Addresses of one image, in which the last range began.
    here: Range<u64>,
    /// Its index.
    image: usize,
    counts: Vec<u64>,
}

impl RangeCounts {
    /// No ranges yet, of a source with these images.
    pub fn new(images: Images) -> RangeCounts {
        RangeCounts {
            images,
            set: ImageSet::default(),
            here: 0..0,
            image: 0,
            counts: Vec::new(),
        }
    }

    /// Adds the counts to those in `all`, by the index of the image, and begins again with none.
    pub fn take(&mut self, all: &mut Vec<u64>) {
        if all.len() < self.counts.len() {
            all.resize(self.counts.len(), 0);
        }
        for (sum, count) in all.iter_mut().zip(&mut self.counts) {
            *sum += std::mem::take(count);
        }
    }

    fn find(&mut self, address: u64) {
        let Some(image) = self.images.index_at(self.set, address) else {
            return;
        };
        let len = self.images.at(self.set, address).len() as u64;
        self.here = address..address.saturating_add(len);
        self.image = image;
        if self.counts.len() <= image {
            self.counts.resize(image + 1, 0);
        }
        self.counts[image] += 1;
    }
}

impl ElementSink for RangeCounts {
    fn element(&mut self, _: u64, element: &Element) {
        match element {
            Element::Range(range) if self.here.contains(&range.start) => {
                self.counts[self.image] += 1;
            }
            Element::Range(range) => self.find(range.start),
            Element::Context { context, .. } => self.resume(context),
            _ => {}
        }
    }

    fn resume(&mut self, context: &Context) {
        self.set = self.images.set(context);
        self.here = 0..0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, LastInstruction, Outcome};
    use coretrace_isa::Isa;

    fn range(start: u64) -> Element {
        Element::Range(crate::Range {
            start,
            end: start + 4,
            count: 1,
            isa: Isa::A64,
            outcome: Outcome::E,
            last: LastInstruction::default(),
        })
    }

    fn context(cid: u32) -> Context {
        Context {
            cid,
            ..Context::default()
        }
    }

    fn two_processes() -> RangeCounts {
        let of = |cid, address, bytes: &[u8]| Image {
            cid,
            ..Image::new(address, bytes)
        };
        RangeCounts::new(Images::new(vec![
            of(Some(1), 0x1000, &[0; 0x100]),
            of(Some(2), 0x1000, &[0; 0x100]),
            of(None, 0x1040, &[0; 0x40]),
        ]))
    }

    #[test]
    fn a_range_counts_for_the_image_that_its_context_sees() {
        let mut counts = two_processes();
        for (cid, starts) in [
            (1, &[0x1000, 0x1020, 0x1000, 0x1040][..]),
            (2, &[0x10F0, 0x1000, 0x1044, 0x1040, 0x107C, 0x1080]),
            (3, &[0x1000, 0x1040, 0x2000]),
        ] {
            let (isa, context) = (Isa::A64, context(cid));
            let element = Element::Context {
                isa,
                context,
                has_vmid: false,
                has_cid: true,
            };
            counts.element(0, &element);
            for start in starts {
                counts.element(0, &range(*start));
            }
        }
        let mut all = vec![10];
        counts.take(&mut all);
        assert_eq!(all, [13, 3, 5]);
        counts.take(&mut all);
        assert_eq!(all, [13, 3, 5]);
    }

    #[test]
    fn a_part_counts_in_the_context_that_it_begins_in() {
        let mut counts = two_processes();
        counts.resume(&context(2));
        counts.element(0, &range(0x1000));
        counts.resume(&context(1));
        counts.element(0, &range(0x1000));
        counts.element(0, &range(0x1004));
        let mut all = Vec::new();
        counts.take(&mut all);
        assert_eq!(all, [2, 1]);
    }
}
