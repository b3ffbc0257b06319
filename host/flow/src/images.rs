// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was in memory while the trace was recorded.

use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use coretrace_etm::Context;
use hashbrown::{HashMap, HashSet};

use crate::processes::Processes;

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

/// Bytes that several images may have a part of, in memory once.
#[derive(Clone)]
pub struct ImageBytes {
    all: Arc<[u8]>,
    range: Range<usize>,
}

impl ImageBytes {
    /// A part of bytes, as far as they go.
    pub fn part(all: Arc<[u8]>, range: Range<usize>) -> ImageBytes {
        let end = range.end.min(all.len());
        let range = range.start.min(end)..end;
        ImageBytes { all, range }
    }

    /// Some of them.
    fn slice(&self, range: Range<usize>) -> ImageBytes {
        let (all, first) = (Arc::clone(&self.all), self.range.start);
        ImageBytes::part(all, first + range.start..first + range.end)
    }
}

impl Deref for ImageBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.all[self.range.clone()]
    }
}

/// How many they are.
impl std::fmt::Debug for ImageBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.len())
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
    pub bytes: ImageBytes,
    /// The memory spaces that it is in.
    pub spaces: Spaces,
    /// The VMID that it belongs to, if it does to one.
    pub vmid: Option<u32>,
    /// The context ID that it belongs to, if it does to one.
    pub cid: Option<u32>,
    /// The process that it belongs to, if it does to one: its number in [`Processes`].
    pub process: Option<u32>,
}

impl Image {
    /// The part of it that has these addresses, if it has any.
    pub fn cut(&self, range: &Range<u64>) -> Option<Image> {
        let size = self.bytes.len() as u64;
        let place = |address: u64| address.saturating_sub(self.address).min(size) as usize;
        let (first, end) = (place(range.start), place(range.end));
        (first < end).then(|| Image {
            address: self.address + first as u64,
            bytes: self.bytes.slice(first..end),
            ..self.clone()
        })
    }

    /// An image that every context sees.
    pub fn new(address: u64, bytes: impl Into<Arc<[u8]>>) -> Image {
        let bytes = bytes.into();
        let range = 0..bytes.len();
        Image {
            name: String::new(),
            address,
            bytes: ImageBytes::part(bytes, range),
            spaces: Spaces::ANY,
            vmid: None,
            cid: None,
            process: None,
        }
    }

    fn is_seen_by(&self, view: &View) -> bool {
        let is = |id: Option<u32>, now: Option<u32>| id.is_none() || id == now;
        self.spaces.overlap(view.spaces)
            && is(self.vmid, view.vmid)
            && is(self.cid, view.cid)
            && is(self.process, view.process)
    }
}

/// What of a context says which images it sees. Numbers that no image has are left out, so that
/// there are few views however many contexts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct View {
    spaces: Spaces,
    vmid: Option<u32>,
    cid: Option<u32>,
    process: Option<u32>,
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
    processes: Arc<Processes>,
    /// The VMIDs and the context IDs that images belong to.
    vmids: HashSet<u32>,
    cids: HashSet<u32>,
    /// The sets of the views so far.
    views: HashMap<View, ImageSet>,
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
    /// These images. Those of a process are seen by no context.
    pub fn new(images: Vec<Image>) -> Images {
        Images::of_processes(images, Arc::default())
    }

    /// These images, those of a process for its threads alone. A thread that is not known sees those of
    /// no process.
    pub fn of_processes(images: Vec<Image>, processes: Arc<Processes>) -> Images {
        Images {
            vmids: images.iter().filter_map(|image| image.vmid).collect(),
            cids: images.iter().filter_map(|image| image.cid).collect(),
            images,
            processes,
            views: HashMap::new(),
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

    fn view(&self, context: &Context) -> View {
        View {
            spaces: Spaces::of_context(context),
            vmid: self.vmids.get(&context.vmid).copied(),
            cid: self.cids.get(&context.cid).copied(),
            process: self.processes.of(Some(context.vmid), Some(context.cid)),
        }
    }

    fn set_of(&mut self, context: &Context) -> ImageSet {
        let view = self.view(context);
        if let Some(set) = self.views.get(&view) {
            return *set;
        }
        let seen = |(_, image): &(usize, &Image)| image.is_seen_by(&view);
        let all = self.images.iter().enumerate().filter(seen);
        let set: Vec<usize> = all.map(|(index, _)| index).collect();
        let number = self.sets.iter().position(|known| *known == set);
        let number = number.unwrap_or_else(|| {
            self.parts.push(self.parts_of(&set));
            self.sets.push(set);
            self.sets.len() - 1
        });
        let set = ImageSet(number as u32);
        self.views.insert(view, set);
        set
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

    /// What is in memory for a set: the address and the bytes of each part, in the order of their
    /// addresses, and the index of its image.
    pub fn parts(&self, set: ImageSet) -> impl Iterator<Item = (u64, &[u8], usize)> {
        let parts = self.parts.get(set.0 as usize);
        let parts = parts.into_iter().flatten();
        parts.map(move |(&address, part)| (address, self.at(set, address), part.image))
    }

    /// All of them.
    pub fn all(&self) -> &[Image] {
        &self.images
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

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::Registers;

    fn registers(trcconfigr: u32) -> Registers {
        Registers {
            trcconfigr,
            ..Registers::ZERO
        }
    }

    fn context(vmid: u32, cid: u32) -> Context {
        Context {
            info: 0x30,
            vmid,
            cid,
        }
    }

    #[test]
    fn threads_see_the_images_of_their_process_and_of_none() {
        let image = |process: Option<u32>, byte: u8| Image {
            process,
            ..Image::new(0x1000, [byte; 4])
        };
        let kernel = Image::new(0x8000, [9; 4]);
        let list = vec![kernel, image(Some(1), 1), image(Some(2), 2)];
        let threads = [(10, 1), (11, 1), (20, 2)];
        for (trcconfigr, of_thread) in [
            (0x41, (|thread| context(5, thread)) as fn(u32) -> Context),
            (0x8081, |thread| context(thread, 5)),
        ] {
            let processes = Arc::new(Processes::new(&registers(trcconfigr), threads));
            let mut images = Images::of_processes(list.clone(), processes);
            let mut first = |thread: u32, address: u64| {
                let set = images.set(&of_thread(thread));
                (set, images.at(set, address).first().copied())
            };
            let (of_10, byte) = first(10, 0x1000);
            assert_eq!(byte, Some(1));
            assert_eq!(first(11, 0x1000), (of_10, Some(1)));
            assert_eq!(first(20, 0x1000).1, Some(2));
            assert_eq!(first(30, 0x1000).1, None);
            assert_eq!(first(0, 0x1000).1, None);
            for thread in [10, 20, 30] {
                assert_eq!(first(thread, 0x8000).1, Some(9));
            }
        }
        let mut images = Images::new(list);
        let set = images.set(&context(0, 10));
        assert!(images.at(set, 0x1000).is_empty());
    }

    #[test]
    fn contexts_with_the_same_images_have_one_set() {
        let image = Image {
            vmid: Some(7),
            spaces: Spaces::EL1N,
            ..Image::new(0x1000, [1; 4])
        };
        let threads = (0..10_000).map(|thread| (thread, thread % 3));
        let processes = Processes::new(&registers(0x41), threads);
        let list = (0..3).map(|process| Image {
            process: Some(process),
            ..Image::new(0x2000, [1; 4])
        });
        let list = list.chain([image]).collect();
        let mut images = Images::of_processes(list, Arc::new(processes));
        let sets = (0..20_000).map(|number| images.set(&context(number % 50, number)));
        let sets: HashSet<_> = sets.collect();
        // Three processes and none, of this VMID and of others.
        assert_eq!(sets.len(), 8);
    }
}
