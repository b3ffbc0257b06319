// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was in memory while the trace was recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use coretrace_etm::Context;

/// Memory spaces: the exception levels and security states that see an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spaces(u8);

impl Spaces {
    /// Secure EL1 and EL0.
    pub const EL1S: Spaces = Spaces(0x01);
    /// Non-secure EL1 and EL0.
    pub const EL1N: Spaces = Spaces(0x02);
    /// Non-secure EL2.
    pub const EL2: Spaces = Spaces(0x04);
    /// EL3.
    pub const EL3: Spaces = Spaces(0x08);
    /// Secure EL2.
    pub const EL2S: Spaces = Spaces(0x10);
    /// EL1 and EL0 of a Realm.
    pub const EL1R: Spaces = Spaces(0x20);
    /// EL2 of the Realm state.
    pub const EL2R: Spaces = Spaces(0x40);
    /// Root state.
    pub const ROOT: Spaces = Spaces(0x80);
    /// All of them.
    pub const ANY: Spaces = Spaces(0xFF);

    /// The names that snapshots have for spaces.
    const NAMES: [(&'static str, Spaces); 12] = [
        ("EL1S", Spaces::EL1S),
        ("EL1N", Spaces::EL1N),
        ("EL2", Spaces::EL2),
        ("EL3", Spaces::EL3),
        ("EL2S", Spaces::EL2S),
        ("EL1R", Spaces::EL1R),
        ("EL2R", Spaces::EL2R),
        ("ROOT", Spaces::ROOT),
        ("S", Spaces(0x19)),
        ("N", Spaces(0x06)),
        ("R", Spaces(0x60)),
        ("ANY", Spaces::ANY),
    ];

    /// The spaces with a name, as snapshots write it: `EL1N`, `S`, `ANY`.
    pub fn of_name(name: &str) -> Option<Spaces> {
        let mut names = Spaces::NAMES.iter();
        let found = names.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(found.1)
    }

    /// The space in which a core executes.
    pub fn of_context(context: &Context) -> Spaces {
        match (context.el(), context.ns(), context.nse()) {
            (3, false, true) => Spaces::ROOT,
            (3, _, _) => Spaces::EL3,
            (2, false, _) => Spaces::EL2S,
            (2, true, true) => Spaces::EL2R,
            (2, true, false) => Spaces::EL2,
            (_, false, _) => Spaces::EL1S,
            (_, true, true) => Spaces::EL1R,
            (_, true, false) => Spaces::EL1N,
        }
    }

    /// Whether they have a space in common.
    pub fn overlap(self, other: Spaces) -> bool {
        self.0 & other.0 != 0
    }
}

/// A part of memory, and who sees it.
#[derive(Clone, Debug)]
pub struct Image {
    /// What people call it; may be empty.
    pub name: String,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// The memory spaces that it is in.
    pub spaces: Spaces,
    /// The VMID that it belongs to, if it does to one.
    pub vmid: Option<u32>,
    /// The context ID that it belongs to, if it does to one.
    pub cid: Option<u32>,
}

impl Image {
    /// An image that every context sees.
    pub fn new(address: u64, bytes: impl Into<Arc<[u8]>>) -> Image {
        Image {
            name: String::new(),
            address,
            bytes: bytes.into(),
            spaces: Spaces::ANY,
            vmid: None,
            cid: None,
        }
    }

    fn is_seen_by(&self, context: &Context) -> bool {
        let is = |id: Option<u32>, now: u32| id.is_none_or(|id| id == now);
        self.spaces.overlap(Spaces::of_context(context))
            && is(self.vmid, context.vmid)
            && is(self.cid, context.cid)
    }
}

/// A number for the images that a context sees. Contexts that see the same ones have the same
/// number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ImageSet(u32);

/// Bytes of one image that no other one hides.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Address behind the last byte, less one.
    last: u64,
    image: usize,
}

/// All images of a trace. Where two that are seen together overlap, the later one counts.
#[derive(Clone, Debug, Default)]
pub struct Images {
    images: Vec<Image>,
    /// The images of each set.
    sets: Vec<Vec<usize>>,
    /// Their parts by the address of the first byte.
    parts: Vec<BTreeMap<u64, Part>>,
    /// The sets of the contexts that came last.
    recent: Vec<(Context, ImageSet)>,
}

/// Contexts whose sets are remembered.
const RECENT: usize = 8;

impl Images {
    /// These images.
    pub fn new(images: Vec<Image>) -> Images {
        Images {
            images,
            sets: Vec::new(),
            parts: Vec::new(),
            recent: Vec::new(),
        }
    }

    /// The images that a context sees.
    pub fn set(&mut self, context: &Context) -> ImageSet {
        if let Some((_, set)) = self.recent.iter().find(|(recent, _)| recent == context) {
            return *set;
        }
        let set = self.set_of(context);
        if self.recent.len() == RECENT {
            self.recent.clear();
        }
        self.recent.push((*context, set));
        set
    }

    fn set_of(&mut self, context: &Context) -> ImageSet {
        let seen = |(_, image): &(usize, &Image)| image.is_seen_by(context);
        let all = self.images.iter().enumerate().filter(seen);
        let set: Vec<usize> = all.map(|(index, _)| index).collect();
        let number = self.sets.iter().position(|known| *known == set);
        let number = number.unwrap_or_else(|| {
            self.parts.push(self.parts_of(&set));
            self.sets.push(set);
            self.sets.len() - 1
        });
        ImageSet(number as u32)
    }

    fn parts_of(&self, set: &[usize]) -> BTreeMap<u64, Part> {
        let mut parts = BTreeMap::<u64, Part>::new();
        for &image in set {
            let Image { address, bytes, .. } = &self.images[image];
            let Some(size) = (bytes.len() as u64).checked_sub(1) else {
                continue;
            };
            let (first, last) = (*address, address.saturating_add(size));
            let hidden: Vec<(u64, Part)> = parts
                .range(..=last)
                .map(|(&start, &part)| (start, part))
                .filter(|(_, part)| part.last >= first)
                .collect();
            for (start, part) in hidden {
                parts.remove(&start);
                if start < first {
                    let last = first - 1;
                    parts.insert(start, Part { last, ..part });
                }
                if part.last > last {
                    parts.insert(last + 1, part);
                }
            }
            parts.insert(first, Part { last, image });
        }
        parts
    }

    fn part(&self, set: ImageSet, address: u64) -> Option<Part> {
        let (_, part) = self
            .parts
            .get(set.0 as usize)?
            .range(..=address)
            .next_back()?;
        (part.last >= address).then_some(*part)
    }

    /// An image by its index.
    pub fn get(&self, index: usize) -> &Image {
        &self.images[index]
    }

    /// The index of the image that has an address.
    pub fn index_at(&self, set: ImageSet, address: u64) -> Option<usize> {
        self.part(set, address).map(|part| part.image)
    }

    /// The bytes from an address on, to the end of their part; none if there is no image.
    pub fn at(&self, set: ImageSet, address: u64) -> &[u8] {
        let Some(part) = self.part(set, address) else {
            return &[];
        };
        let image = &self.images[part.image];
        let offset = |address: u64| (address - image.address) as usize;
        &image.bytes[offset(address)..=offset(part.last)]
    }
}
