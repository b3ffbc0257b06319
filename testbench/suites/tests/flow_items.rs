// SPDX-License-Identifier: MIT OR Apache-2.0
//! The items that the hardware makes of a stream are those of the model. A failure names its seed.

use coretrace_abi::flow_table::{
    LostReason, NO_SPACE, SPACE_RULES, SpaceRule, SpaceRules, isa_code, level_bits, space,
};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Context, Kind, Record, SourceConfig};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Value, Word as _};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{
    ITEM_W, Item, ItemKind, PacketItem, PacketItems, Speculation, held_rules,
};
use coretrace_isa::Isa;
use coretrace_sites::{CommitQueue, FlowItem, Items};
use coretrace_test_gen::{Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rust_hdl::prelude::*;

/// Random streams; every second one is damaged.
const SEEDS: u64 = 120;
/// Cycles after which nothing is in flight.
const TAIL: usize = 64;

/// An item, as the blocks behind it read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Its number, without an address.
    Item(u64),
    Address {
        address: u64,
        isa: u8,
        space: u8,
    },
    Cycles(u32),
}

fn of(kind: ItemKind) -> Seen {
    Seen::Item(Item::of(kind).number())
}

/// An address in a context.
fn at(address: u64, is1: bool, (space, a64): (u8, bool)) -> Seen {
    let isa = isa_code(match (a64, is1) {
        (true, _) => Isa::A64,
        (false, true) => Isa::T32,
        (false, false) => Isa::A32,
    });
    Seen::Address {
        address,
        isa,
        space,
    }
}

/// Bytes that come in one cycle.
struct Word {
    lost: bool,
    octets: Vec<(usize, u8)>,
}

fn words(rng: &mut Rng, bytes: &[u8], losses: f64) -> Vec<Word> {
    let mut rest = bytes.iter();
    let mut words = Vec::new();
    while rest.len() > 0 {
        let mask: u8 = if rng.random_bool(0.5) {
            15
        } else {
            rng.random()
        };
        let lanes = (0..4).filter(|lane| mask >> lane & 1 == 1);
        words.push(Word {
            lost: rng.random_bool(losses),
            octets: lanes.zip(rest.by_ref().copied()).collect(),
        });
    }
    words
}

/// Rules that hold for contexts of a stream.
fn rules(rng: &mut Rng, contexts: &[Context]) -> SpaceRules {
    std::array::from_fn(|_| {
        let context = contexts.choose(rng)?;
        let mut any = || rng.random_bool(0.6);
        Some(SpaceRule {
            levels: match any() {
                true => 1 << level_bits(context.info),
                false => u16::MAX,
            },
            vmid: any().then_some(context.vmid),
            cid: any().then_some(context.cid),
        })
    })
}

/// What the model makes of the records of a stream.
struct Model {
    items: Items,
    rules: SpaceRules,
    contexts: Vec<Context>,
    queue: CommitQueue,
    context: Option<(u8, bool)>,
    seen: Vec<Seen>,
}

impl Model {
    fn new(source: &SourceConfig, rules: SpaceRules) -> Model {
        Model {
            rules,
            contexts: Vec::new(),
            items: Items::new(source),
            queue: CommitQueue::new(0),
            context: None,
            seen: Vec::new(),
        }
    }

    fn record(&mut self, record: &Record) {
        let mut items = Vec::new();
        let Model {
            rules, contexts, ..
        } = self;
        let of = |context: &Context| {
            contexts.push(*context);
            space(rules, context)
        };
        self.items.record(record, of, |item| items.push(item));
        // A Q element ends what its address would end.
        let is_q = record.kind == Kind::Q && self.context.is_none();
        items.retain(|item| !is_q || !matches!(item, FlowItem::Address { .. }));
        items.into_iter().for_each(|item| self.item(item));
    }

    fn lost(&mut self) {
        self.item(FlowItem::Gap(LostReason::BadPacket));
    }

    fn item(&mut self, item: FlowItem) {
        let Model {
            queue,
            context,
            seen,
            ..
        } = self;
        queue.item(item, &mut |item| match item {
            FlowItem::Atoms { bits, count } => {
                let item = Item::atoms(bits, count.into()).expect("a packet");
                seen.push(Seen::Item(item.number()));
            }
            FlowItem::Address { address, is1 } => seen.push(match *context {
                Some(context) => at(address, is1, context),
                None => of(ItemKind::Jump),
            }),
            FlowItem::Source { address, is1 } => match *context {
                Some(context) => {
                    seen.push(Seen::Item(Item::source().number()));
                    seen.push(at(address, is1, context));
                }
                None => seen.push(Seen::Item(Item::atoms(1, 1).expect("E").number())),
            },
            FlowItem::Context { space, a64 } => *context = Some((space, a64)),
            FlowItem::Exception { is_target, .. } => seen.push(of(match is_target {
                true => ItemKind::ExceptionAtTarget,
                false => ItemKind::Exception,
            })),
            FlowItem::Q { .. } => seen.push(of(ItemKind::Q)),
            FlowItem::Jump { .. } => seen.push(of(ItemKind::Jump)),
            FlowItem::TraceInfo { .. } => seen.push(of(ItemKind::TraceInfo)),
            FlowItem::Gap(reason) => {
                if reason != LostReason::TraceOn {
                    *context = None;
                }
                seen.push(Seen::Item(Item::gap(reason as u8).number()));
            }
            FlowItem::Cycles(count) => {
                seen.push(of(ItemKind::Cycles));
                seen.push(Seen::Cycles(count));
            }
            other => panic!("{other:?} of a trace unit without speculation"),
        });
    }
}

/// The decoder and the block behind it.
struct Hardware<const P: usize> {
    decoder: JumpDecoder<4, 2>,
    items: PacketItems<4, P>,
    seen: Vec<Seen>,
    /// Gaps in front of a word, and the items of packets.
    packets: Vec<Option<PacketItem<u64>>>,
}

impl<const P: usize> Hardware<P> {
    fn new(source: &SourceConfig, rules: &SpaceRules) -> Hardware<P> {
        let mut hardware = Hardware {
            decoder: JumpDecoder::default(),
            items: PacketItems::default(),
            seen: Vec::new(),
            packets: Vec::new(),
        };
        hardware.decoder.connect_all();
        hardware.items.connect_all();
        let settings = SourceSettings::of(0x10, source);
        hardware.items.source.next = Bus(settings.wide());
        hardware.items.counts_cycles.next = true;
        hardware.items.rules.next = Bus(held_rules(rules));
        hardware.decoder.settings.next = Bus(settings.wide());
        hardware.decoder.reset.next = true;
        hardware.items.reset.next = true;
        for _ in 0..TAIL {
            hardware.cycle(None);
        }
        hardware.decoder.reset.next = false;
        hardware.items.reset.next = false;
        hardware
    }

    fn cycle(&mut self, word: Option<&Word>) {
        let Hardware {
            decoder,
            items,
            seen,
            packets,
        } = self;
        decoder.s_valid.next = word.is_some();
        decoder.s_discontinuity.next = word.is_some_and(|word| word.lost);
        for lane in 0..4 {
            let octet = word.and_then(|word| word.octets.iter().find(|(of, _)| *of == lane));
            decoder.s_keep[lane].next = octet.is_some();
            decoder.s_octet[lane].next = octet.map_or(0xA5, |(_, octet)| *octet).to_bits();
        }
        items.valid.next = decoder.m_valid.val();
        items.lost.next = decoder.m_discontinuity.val();
        items.pending.next = decoder.m_pending.val();
        for lane in 0..4 {
            items.keep[lane].next = decoder.m_keep[lane].val();
            items.lane[lane].next = decoder.m_lane[lane].val();
        }
        items.pair0.next = decoder.m_pair[0].val();
        items.pair1.next = decoder.m_pair[1].val();
        cycle(decoder, |block, clock| block.clock.next = clock);
        cycle(items, |block, clock| block.clock.next = clock);
        let before = seen.len();
        if items.gap.val() {
            seen.push(Seen::Item(Item::gap(LostReason::BadPacket as u8).number()));
            packets.push(None);
        }
        for lane in 0..4 {
            let lane = PacketItem::<Value>::unpack(&items.items[lane].val().to_wide());
            packets.push(Some(PacketItem {
                item: lane.item.bits(),
                has_address: lane.has_address.bits(),
                address: lane.address.bits(),
                isa: lane.isa.bits(),
                space: lane.space.bits(),
            }));
            let item = lane.item.bits();
            let address = Seen::Address {
                address: lane.address.bits(),
                isa: lane.isa.bits() as u8,
                space: lane.space.bits() as u8,
            };
            let is_address = item == Item::of(ItemKind::Address).number();
            if item != 0 && !is_address {
                seen.push(Seen::Item(item));
            }
            if item == Item::of(ItemKind::Cycles).number() {
                seen.push(Seen::Cycles(lane.address.bits() as u32));
            } else if lane.has_address.bits() == 1 {
                seen.push(address);
            } else {
                assert!(!is_address, "an address item without an address");
            }
        }
        assert_eq!(items.any.val(), seen.len() > before);
    }

    /// The whole stream.
    fn run(&mut self, words: &[Word]) {
        words.iter().for_each(|word| self.cycle(Some(word)));
        (0..TAIL).for_each(|_| self.cycle(None));
    }
}

/// What a trace unit with speculation sent, up to what is not kept.
#[derive(Default)]
struct Sent {
    synced: bool,
    items: Vec<FlowItem>,
}

impl Sent {
    /// Up to a Trace Info there are atoms alone.
    fn push(&mut self, item: FlowItem) {
        let item = match item {
            FlowItem::Exception { is_target, .. } => FlowItem::Exception {
                is_target,
                number: 0,
            },
            FlowItem::Q { .. } => FlowItem::Q { count: None },
            FlowItem::TraceInfo { speculative } => FlowItem::TraceInfo {
                speculative: speculative.min(511),
            },
            FlowItem::Commit(count) => FlowItem::Commit(count.min(511)),
            FlowItem::Cancel(count) => FlowItem::Cancel(count.min(511)),
            item => item,
        };
        self.synced |= matches!(item, FlowItem::TraceInfo { .. });
        if self.synced || matches!(item, FlowItem::Atoms { .. } | FlowItem::Source { .. }) {
            self.items.push(item);
        }
        let is_loss = matches!(item, FlowItem::Gap(reason) if reason != LostReason::TraceOn);
        self.synced &= !is_loss;
    }

    fn lost(&mut self) {
        self.push(FlowItem::Gap(LostReason::BadPacket));
    }

    /// An item of the hardware.
    fn packet(&mut self, of: &PacketItem<u64>) {
        let item = Item::split(Value::constant(of.item, ITEM_W as u32));
        let kind = item.kind.bits();
        let is = |wanted: ItemKind| kind == wanted as u64;
        let target = FlowItem::Address {
            address: of.address,
            is1: of.isa >> 1 == 1,
        };
        let context = FlowItem::Context {
            space: of.space as u8,
            a64: of.isa & 1 == 1,
        };
        let elements = (of.address & 511) as u32;
        if is(ItemKind::Context) || is(ItemKind::AddressInContext) {
            self.push(context);
        }
        if is(ItemKind::Address) || is(ItemKind::AddressInContext) {
            self.push(target);
        }
        if is(ItemKind::Source) {
            self.push(FlowItem::Source {
                address: of.address,
                is1: of.isa >> 1 == 1,
            });
        }
        if is(ItemKind::Exception) || is(ItemKind::ExceptionAtTarget) {
            self.push(FlowItem::Exception {
                is_target: is(ItemKind::ExceptionAtTarget),
                number: 0,
            });
        }
        if is(ItemKind::Q) {
            self.push(FlowItem::Q { count: None });
            if of.has_address == 1 {
                self.push(target);
            }
        }
        if is(ItemKind::Jump) || is(ItemKind::P0Jump) {
            let is_p0 = is(ItemKind::P0Jump);
            self.push(FlowItem::Jump { is_p0 });
        }
        if is(ItemKind::TraceInfo) {
            let speculative = elements;
            self.push(FlowItem::TraceInfo { speculative });
        }
        if is(ItemKind::Gap) {
            let reason = LostReason::from_code(item.pattern.bits() as u8);
            self.push(FlowItem::Gap(reason.expect("a reason")));
        }
        if is(ItemKind::Atoms) {
            let (head, count) = (item.head.bits(), item.head.bits() + item.tail.bits());
            let behind = ((1 << head) - 1) & !31;
            self.push(FlowItem::Atoms {
                bits: (item.pattern.bits() | behind) as u32,
                count: count as u8,
            });
        }
        if is(ItemKind::Atoms) || is(ItemKind::Resolution) {
            let place = |name| {
                let field = Speculation::FIELDS.iter().find(|field| field.0 == name);
                of.address >> field.expect("a field").1 & 1 == 1
            };
            if place("commits") && elements > 0 {
                self.push(FlowItem::Commit(elements));
            }
            if place("cancels") && elements > 0 {
                self.push(FlowItem::Cancel(elements));
            }
            if place("mispredicts") {
                self.push(FlowItem::Mispredict);
            }
        }
    }
}

fn model(set: &RegisterSet, source: &SourceConfig, words: &[Word], rules: SpaceRules) -> Model {
    let policy = if source.lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = Decoder::new(set.config(), policy);
    let mut model = Model::new(source, rules);
    for word in words {
        if word.lost {
            decoder.discontinuity(|record| model.record(record));
            model.lost();
        }
        let bytes: Vec<u8> = word.octets.iter().map(|(_, octet)| *octet).collect();
        decoder.feed(&bytes, |record| model.record(record));
    }
    model
}

#[test]
fn items_are_those_of_the_model() {
    let mut kinds = [0; 32];
    let mut spaces = [0; 1 + NO_SPACE as usize];
    for seed in 0..SEEDS {
        let mut rng = rng(seed);
        let set = RegisterSet::any(&mut rng);
        let mut source = SourceConfig {
            lenient: rng.random(),
            ..set.source()
        };
        source.registers.trcidr8 = 0;
        let config = set.config();
        let options = StreamOptions {
            packets: 60,
            sync_every: 25,
            ..Default::default()
        };
        let mut bytes = legal_stream(&mut rng, &config, &options).bytes;
        let is_damaged = seed % 2 == 1;
        if is_damaged {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            bytes = damage(&mut rng, &bytes, kind, 0.01);
        }
        let words = words(&mut rng, &bytes, if is_damaged { 0.01 } else { 0.0 });

        // Once to see what contexts there are.
        let contexts = model(&set, &source, &words, SpaceRules::default()).contexts;
        let model = model(&set, &source, &words, rules(&mut rng, &contexts));
        // With and without a ring behind it.
        let seen = if seed % 4 < 2 {
            let mut hardware = Hardware::<1>::new(&source, &model.rules);
            hardware.run(&words);
            hardware.seen
        } else {
            let mut hardware = Hardware::<9>::new(&source, &model.rules);
            hardware.run(&words);
            hardware.seen
        };
        for (number, (got, want)) in seen.iter().zip(&model.seen).enumerate() {
            assert_eq!(got, want, "seed {seed}, item {number} of {set:?}");
            match got {
                Seen::Cycles(_) => {}
                Seen::Item(item) => kinds[(item & 31) as usize] += 1,
                Seen::Address { space, .. } => {
                    kinds[ItemKind::Address as usize] += 1;
                    spaces[usize::from(*space)] += 1;
                }
            }
        }
        assert_eq!(seen.len(), model.seen.len(), "seed {seed}, {set:?}");
    }
    // Every kind but what the stream has not.
    let others = [ItemKind::Source as usize, ItemKind::Cycles as usize];
    let sent = (1..ItemKind::ReadOut as usize).chain(others);
    let missing = sent.filter(|&kind| kinds[kind] == 0);
    assert_eq!(missing.collect::<Vec<_>>(), [0; 0], "{kinds:?}");
    let unused = (0..SPACE_RULES)
        .chain([NO_SPACE.into()])
        .filter(|&of| spaces[of] < 3);
    assert_eq!(unused.collect::<Vec<_>>(), [0; 0], "{spaces:?}");
}

#[test]
fn items_of_speculation_are_those_of_the_model() {
    let (mut commits, mut cancels, mut mispredicts) = (0, 0, 0);
    for seed in 0..SEEDS {
        let mut rng = rng(1000 + seed);
        let set = RegisterSet::any(&mut rng);
        let mut source = SourceConfig {
            lenient: rng.random(),
            ..set.source()
        };
        // Its returns from exceptions are P0 elements, which the hardware does not know.
        if source.profile == ArchProfile::M7 {
            continue;
        }
        source.registers.trcidr8 = rng.random_range(1..=255);
        let config = Config::new(source.protocol, source.profile, &source.registers);
        let options = StreamOptions {
            packets: 80,
            sync_every: 25,
            ..Default::default()
        };
        let mut bytes = legal_stream(&mut rng, &config, &options).bytes;
        let is_damaged = seed % 2 == 1;
        if is_damaged {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            bytes = damage(&mut rng, &bytes, kind, 0.01);
        }
        let words = words(&mut rng, &bytes, if is_damaged { 0.01 } else { 0.0 });

        let rules = rules(&mut rng, &[]);
        let policy = if source.lenient {
            Policy::Lenient
        } else {
            Policy::Resync
        };
        let mut decoder = Decoder::new(config, policy);
        let (items, mut want) = (Items::new(&source), Sent::default());
        let record = |record: &Record, want: &mut Sent| {
            items.record(record, |of| space(&rules, of), |item| want.push(item));
        };
        for word in &words {
            if word.lost {
                decoder.discontinuity(|of| record(of, &mut want));
                want.lost();
            }
            let bytes: Vec<u8> = word.octets.iter().map(|(_, octet)| *octet).collect();
            decoder.feed(&bytes, |of| record(of, &mut want));
        }

        let mut hardware = Hardware::<9>::new(&source, &rules);
        hardware.run(&words);
        let mut got = Sent::default();
        for packet in &hardware.packets {
            match packet {
                Some(packet) => got.packet(packet),
                None => got.lost(),
            }
        }
        for (number, (got, want)) in got.items.iter().zip(&want.items).enumerate() {
            assert_eq!(got, want, "seed {seed}, item {number} of {set:?}");
            match got {
                FlowItem::Commit(_) => commits += 1,
                FlowItem::Cancel(_) => cancels += 1,
                FlowItem::Mispredict => mispredicts += 1,
                _ => {}
            }
        }
        assert_eq!(got.items.len(), want.items.len(), "seed {seed}, {set:?}");
    }
    let all = [commits, cancels, mispredicts];
    assert!(all.iter().all(|count| *count > 100), "{all:?}");
}
