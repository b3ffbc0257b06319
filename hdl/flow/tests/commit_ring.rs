// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes out of a commit ring is what comes out of the model's queue. A failure names its seed.

use coretrace_abi::flow_table::LostReason;
use coretrace_etm::{SourceConfig, atoms};
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Wide};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_flow::{CommitRing, ITEM_W, Item, ItemKind, Speculation};
use coretrace_sites::{CommitQueue, FlowItem};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

/// Cycles after which nothing moves.
const TAIL: usize = 1200;

/// What goes into the ring at once, and what that is to the queue.
#[derive(Clone, Debug)]
struct Packet {
    item: Item<u64>,
    address: u64,
    isa: u64,
    space: u64,
    items: Vec<FlowItem>,
}

impl Packet {
    fn new(item: Item<u64>, items: Vec<FlowItem>) -> Packet {
        Packet {
            item,
            address: 0,
            isa: 0,
            space: 0,
            items,
        }
    }

    /// What it says of speculation.
    fn speculation(
        mut self,
        elements: u32,
        commits: bool,
        cancels: bool,
        mispredicts: bool,
    ) -> Packet {
        let speculation = Speculation {
            elements: u64::from(elements.min(511)),
            commits: commits.into(),
            cancels: cancels.into(),
            mispredicts: mispredicts.into(),
        };
        self.address = speculation.number();
        self
    }
}

/// How often what comes.
#[derive(Clone, Copy, Debug)]
struct Rates {
    /// Of items that are no P0 elements.
    side: f64,
    commits: f64,
    cancels: f64,
    losses: f64,
    /// A number of elements is one that no trace unit sends.
    wrong: f64,
}

/// Random packets; it knows about how many elements are not final.
struct Source {
    rng: StdRng,
    rates: Rates,
    max_spec: u32,
    depth: u32,
    synced: bool,
}

impl Source {
    fn appended(&mut self, count: u32) {
        self.depth = (self.depth + count).min(self.max_spec);
    }

    fn elements(&mut self) -> u32 {
        if self.rng.random_bool(self.rates.wrong) {
            return self.depth + self.rng.random_range(1..600);
        }
        let most = match self.rng.random() {
            true => self.depth,
            false => self.depth.min(6),
        };
        let count = self.rng.random_range(0..=most);
        self.depth -= count;
        count
    }

    fn trace_info(&mut self) -> Packet {
        let speculative = match self.rng.random_range(0..3) {
            0 => 0,
            1 => self.rng.random_range(0..=self.max_spec),
            _ => self.rng.random_range(0..1000),
        };
        if !self.synced {
            self.synced = true;
            self.depth = speculative.min(self.max_spec);
        }
        let item = Item::of(ItemKind::TraceInfo);
        let items = vec![FlowItem::TraceInfo { speculative }];
        Packet::new(item, items).speculation(speculative, false, false, false)
    }

    fn atoms(&mut self, header: u8) -> Packet {
        let packet = atoms(header);
        let (bits, count) = (packet.pattern(), packet.count);
        self.appended(count.into());
        let item = Item::atoms(bits, count.into()).expect("a packet");
        Packet::new(item, vec![FlowItem::Atoms { bits, count }])
    }

    fn side(&mut self) -> Packet {
        let (a64, is1) = (self.rng.random(), self.rng.random());
        let space = self.rng.random_range(0..5);
        let address = self.rng.random();
        let context = FlowItem::Context { space, a64 };
        let target = FlowItem::Address { address, is1 };
        let with = |kind, items| Packet {
            address,
            isa: u64::from(is1) << 1 | u64::from(a64),
            space: space.into(),
            ..Packet::new(Item::of(kind), items)
        };
        match self.rng.random_range(0..10) {
            0..5 => with(ItemKind::Address, vec![target]),
            5 => with(ItemKind::Context, vec![context]),
            6..8 => with(ItemKind::AddressInContext, vec![context, target]),
            8 => Packet::new(
                Item::of(ItemKind::Jump),
                vec![FlowItem::Jump { is_p0: false }],
            ),
            _ => gap(LostReason::TraceOn),
        }
    }

    fn other_p0(&mut self) -> Packet {
        self.appended(1);
        let exception = |is_target| FlowItem::Exception {
            is_target,
            number: 0,
        };
        let (address, is1) = (self.rng.random(), self.rng.random());
        let (kind, item) = match self.rng.random_range(0..5) {
            0 => (ItemKind::Exception, exception(false)),
            1 => (ItemKind::ExceptionAtTarget, exception(true)),
            2 => (ItemKind::Q, FlowItem::Q { count: None }),
            3 => (ItemKind::P0Jump, FlowItem::Jump { is_p0: true }),
            _ => {
                return Packet {
                    address,
                    isa: u64::from(is1) << 1,
                    ..Packet::new(Item::source(), vec![FlowItem::Source { address, is1 }])
                };
            }
        };
        Packet::new(Item::of(kind), vec![item])
    }

    fn cancel(&mut self) -> Packet {
        // Some packets have atoms in front of what they take back.
        let header = [0xF6, 0xF7, 0xDB][self.rng.random_range(0..3)];
        let mut packet = match self.rng.random_range(0..3) {
            0 => self.atoms(header),
            _ => Packet::new(Item::of(ItemKind::Resolution), vec![]),
        };
        let (cancels, mispredicts) =
            [(true, false), (false, true), (true, true)][self.rng.random_range(0..3)];
        let count = if cancels { self.elements() } else { 0 };
        if cancels {
            packet.items.push(FlowItem::Cancel(count));
        }
        if mispredicts {
            packet.items.push(FlowItem::Mispredict);
        }
        packet.speculation(count, false, cancels, mispredicts)
    }

    fn packet(&mut self) -> Packet {
        let Rates {
            side,
            commits,
            cancels,
            losses,
            ..
        } = self.rates;
        if !self.synced && self.rng.random_bool(0.3) {
            return self.trace_info();
        }
        let mut is = |rate| self.rng.random_bool(rate);
        if is(losses) {
            self.synced = false;
            return gap(LostReason::ALL[self.rng.random_range(0..6)]);
        }
        if is(0.01) {
            let item = Item::of(ItemKind::ReadOut);
            return Packet::new(item, vec![FlowItem::ReadOut]);
        }
        if is(0.01) {
            return self.trace_info();
        }
        if is(commits) {
            let count = self.elements();
            let item = Item::of(ItemKind::Resolution);
            let items = vec![FlowItem::Commit(count)];
            return Packet::new(item, items).speculation(count, true, false, false);
        }
        if is(cancels) {
            return self.cancel();
        }
        if is(side) {
            return self.side();
        }
        if is(0.1) {
            return self.other_p0();
        }
        let header = self.rng.random_range(0xC0..=0xFF_u8);
        self.atoms(header)
    }
}

fn gap(reason: LostReason) -> Packet {
    Packet::new(Item::gap(reason as u8), vec![FlowItem::Gap(reason)])
}

/// What comes out, atom by atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Atom(bool),
    Address(u64, u64, u64),
    Source(u64, u64, u64),
    /// Its number.
    Other(u64),
}

fn other(kind: ItemKind) -> Seen {
    Seen::Other(Item::of(kind).number())
}

/// What comes out of the model.
fn model(max_spec: u32, packets: &[Packet]) -> Vec<Seen> {
    let mut queue = CommitQueue::new(max_spec);
    let (mut seen, mut context) = (Vec::new(), None);
    // Bit 0 is A64, bit 1 is T32.
    let isa = |a64: bool, is1: bool| u64::from(is1 && !a64) << 1 | u64::from(a64);
    for &item in packets.iter().flat_map(|packet| &packet.items) {
        queue.item(item, &mut |item| match item {
            FlowItem::Atoms { bits, count } => {
                seen.extend((0..count).map(|atom| Seen::Atom(bits >> atom & 1 == 1)));
            }
            FlowItem::Context { space, a64 } => context = Some((space, a64)),
            FlowItem::Address { address, is1 } => seen.push(match context {
                Some((space, a64)) => Seen::Address(address, isa(a64, is1), space.into()),
                None => other(ItemKind::Jump),
            }),
            FlowItem::Source { address, is1 } => seen.push(match context {
                Some((space, a64)) => Seen::Source(address, isa(a64, is1), space.into()),
                None => Seen::Atom(true),
            }),
            FlowItem::Exception { is_target, .. } => seen.push(other(match is_target {
                true => ItemKind::ExceptionAtTarget,
                false => ItemKind::Exception,
            })),
            FlowItem::Q { .. } => seen.push(other(ItemKind::Q)),
            FlowItem::Jump { .. } => seen.push(other(ItemKind::Jump)),
            FlowItem::TraceInfo { .. } => seen.push(other(ItemKind::TraceInfo)),
            FlowItem::ReadOut => seen.push(other(ItemKind::ReadOut)),
            FlowItem::Gap(reason) => {
                if reason != LostReason::TraceOn {
                    context = None;
                }
                seen.push(Seen::Other(Item::gap(reason as u8).number()));
            }
            item => panic!("{item:?} comes out"),
        });
    }
    seen
}

struct Bench<const A: usize> {
    uut: CommitRing<A>,
    /// An item may come.
    ready: bool,
    seen: Vec<Seen>,
    cycles: usize,
}

impl<const A: usize> Bench<A> {
    fn new(max_spec: u32) -> Bench<A> {
        let mut bench = Bench {
            uut: CommitRing::default(),
            ready: false,
            seen: Vec::new(),
            cycles: 0,
        };
        bench.uut.connect_all();
        let mut source = SourceConfig::default();
        source.registers.trcidr8 = max_spec;
        bench.uut.source.next = Bus(SourceSettings::of(0x10, &source).wide());
        bench.uut.reset.next = true;
        (0..4).for_each(|_| bench.cycle(None, true));
        bench.uut.reset.next = false;
        bench.cycle(None, true);
        bench.cycles = 0;
        bench
    }

    fn cycle(&mut self, packet: Option<&Packet>, m_ready: bool) {
        let uut = &mut self.uut;
        let wide = |low, width, value| {
            let mut wide = Wide::default();
            wide.or_field(low, width, value);
            wide
        };
        let number = packet.map_or(0, |packet| packet.item.number());
        uut.item.next = Bus(wide(0, ITEM_W as u32, number));
        // Without an item the rest may be anything.
        let [address, isa, space] = packet.map_or([u64::MAX, 3, 9], |packet| {
            [packet.address, packet.isa, packet.space]
        });
        uut.address.next = Bus(wide(0, 64, address));
        uut.isa.next = isa.into();
        uut.space.next = space.into();
        uut.m_ready.next = m_ready;
        settle(uut);
        self.ready = uut.ready.val();
        cycle(uut, |uut, clock| uut.clock.next = clock);
        self.cycles += 1;
        let split = Item::of_wide(&uut.m_item.val().0);
        if split.number() == 0 {
            return;
        }
        let address = uut.m_address.val().0.field(0, 64);
        let (isa, space) = (uut.m_isa.val().to_u64(), uut.m_space.val().to_u64());
        if split.kind == ItemKind::Atoms as u64 {
            let taken = |place| place >= 5 || split.pattern >> place & 1 == 1;
            let tail = (0..split.tail).map(|_| false);
            let atoms = (0..split.head).map(taken).chain(tail);
            self.seen.extend(atoms.map(Seen::Atom));
        } else if split.kind == ItemKind::Address as u64 {
            self.seen.push(Seen::Address(address, isa, space));
        } else if split.number() == Item::source().number() {
            self.seen.push(Seen::Source(address, isa, space));
        } else {
            self.seen.push(Seen::Other(split.number()));
        }
    }

    fn run(&mut self, rng: &mut StdRng, packets: &[Packet], pauses: [f64; 2]) {
        for packet in packets {
            while !self.ready || rng.random_bool(pauses[0]) {
                self.cycle(None, !rng.random_bool(pauses[1]));
            }
            self.cycle(Some(packet), !rng.random_bool(pauses[1]));
        }
        (0..TAIL).for_each(|_| self.cycle(None, true));
    }
}

fn count_atoms(seen: &[Seen]) -> u64 {
    let is_atom = |seen: &&Seen| matches!(seen, Seen::Atom(_) | Seen::Source(..));
    seen.iter().filter(is_atom).count() as u64
}

fn sent_atoms(packets: &[Packet]) -> u64 {
    let sent = |packet: &Packet| packet.item.head + packet.item.tail;
    packets.iter().map(sent).sum()
}

/// Random packets through a ring and the queue; returns the atoms that were taken back.
fn compare<const A: usize>(seed: u64, max_spec: u32, count: usize, rates: Rates) -> u64 {
    println!("seed {seed}, depth {max_spec}, {rates:?}");
    let rng = StdRng::seed_from_u64(seed);
    let mut source = Source {
        rng,
        rates,
        max_spec,
        depth: 0,
        synced: false,
    };
    let mut packets: Vec<Packet> = (0..count).map(|_| source.packet()).collect();
    // So that nothing waits at the end.
    packets.push(gap(LostReason::BadPacket));
    let want = model(max_spec, &packets);
    let mut bench = Bench::<A>::new(max_spec);
    let mut rng = source.rng;
    let pauses = [rng.random_range(0.0..0.4), rng.random_range(0.0..0.4)];
    bench.run(&mut rng, &packets, pauses);
    let equal = want.iter().zip(&bench.seen).take_while(|(a, b)| a == b);
    let equal = equal.count();
    let around = |seen: &[Seen]| {
        format!(
            "{:?}",
            &seen[equal.saturating_sub(6)..seen.len().min(equal + 6)]
        )
    };
    assert_eq!(
        (want.len(), want.len()),
        (bench.seen.len(), equal),
        "at {equal}:\nmodel {}\nring  {}",
        around(&want),
        around(&bench.seen)
    );
    let taken_back = bench.uut.taken_back.val().to_u64();
    assert_eq!(sent_atoms(&packets), count_atoms(&want) + taken_back);
    assert!(!bench.uut.refused.val());
    taken_back
}

#[test]
fn what_comes_out_is_what_comes_out_of_the_queue() {
    let mut taken_back = 0;
    for seed in 0..36 {
        let mut rng = StdRng::seed_from_u64(1000 + seed);
        let rates = Rates {
            side: rng.random_range(0.0..0.5),
            commits: rng.random_range(0.0..0.3),
            cancels: rng.random_range(0.0..0.3),
            losses: rng.random_range(0.0..0.01),
            wrong: rng.random_range(0.0..0.02),
        };
        taken_back += match seed % 3 {
            0 => compare::<9>(seed, rng.random_range(1..=255), 1500, rates),
            1 => compare::<9>(seed, rng.random_range(1..=24), 1500, rates),
            _ => compare::<8>(seed, rng.random_range(1..=31), 1500, rates),
        };
    }
    assert!(taken_back > 5000, "only {taken_back} atoms");
}

/// A Trace Info without anything in front of it.
fn begin() -> Packet {
    let item = Item::of(ItemKind::TraceInfo);
    Packet::new(item, vec![]).speculation(0, false, false, false)
}

fn packet(header: u8) -> Packet {
    let packet = atoms(header);
    let item = Item::atoms(packet.pattern(), packet.count.into()).expect("a packet");
    Packet::new(item, vec![])
}

#[test]
fn a_full_ring_loses_the_flow_and_no_atom() {
    let mut losses = 0;
    for seed in 0..20 {
        println!("seed {seed}");
        let mut source = Source {
            rng: StdRng::seed_from_u64(seed),
            rates: Rates {
                side: 0.7,
                commits: 0.02,
                cancels: 0.05,
                losses: 0.0,
                wrong: 0.0,
            },
            max_spec: 7,
            depth: 0,
            synced: false,
        };
        let mut packets: Vec<Packet> = Vec::new();
        for number in 0..600 {
            source.synced = number % 100 != 0;
            packets.push(source.packet());
        }
        packets.push(gap(LostReason::BadPacket));
        let mut bench = Bench::<4>::new(7);
        bench.run(&mut source.rng, &packets, [0.1, 0.1]);
        let taken_back = bench.uut.taken_back.val().to_u64();
        assert_eq!(sent_atoms(&packets), count_atoms(&bench.seen) + taken_back);
        let dropped = Seen::Other(Item::gap(LostReason::Dropped as u8).number());
        losses += bench.seen.iter().filter(|seen| **seen == dropped).count();
    }
    assert!(losses > 20, "a ring was full {losses} times");
}

#[test]
fn without_speculation_items_pass_as_they_are() {
    let mut packets = vec![begin(), packet(0xF9), packet(0xD4), begin()];
    packets.push(gap(LostReason::Dropped));
    // Nobody waits for a Trace Info.
    let address = Packet {
        address: 0x1234_5678_9ABC,
        isa: 2,
        space: 3,
        ..Packet::new(Item::of(ItemKind::Address), vec![])
    };
    packets.extend([address, packet(0xE7), gap(LostReason::TraceOn)]);
    let mut want = vec![other(ItemKind::TraceInfo)];
    let taken = |taken| (0..taken).map(|_| Seen::Atom(true));
    want.extend([Seen::Atom(true), Seen::Atom(false), Seen::Atom(false)]);
    want.extend(taken(24));
    want.push(other(ItemKind::TraceInfo));
    want.push(Seen::Other(Item::gap(LostReason::Dropped as u8).number()));
    want.push(Seen::Address(0x1234_5678_9ABC, 2, 3));
    want.extend(taken(10).chain([Seen::Atom(false)]));
    want.push(Seen::Other(Item::gap(LostReason::TraceOn as u8).number()));

    let mut ring = Bench::<6>::new(0);
    ring.run(&mut StdRng::seed_from_u64(1), &packets, [0.3, 0.3]);
    assert_eq!(ring.seen, want);
    // A wire has no register.
    let mut wire = Bench::<1>::new(0);
    for packet in &packets {
        wire.cycle(Some(packet), true);
    }
    assert_eq!(wire.seen, want);
    assert!(!ring.uut.refused.val() && !wire.uut.refused.val());
}

#[test]
fn of_a_deeper_trace_unit_atoms_alone_come_out() {
    let address = Packet::new(Item::of(ItemKind::Address), vec![]);
    let packets = [
        begin(),
        packet(0xF7),
        address,
        packet(0xF6),
        gap(LostReason::Discard),
    ];
    let mut bench = Bench::<5>::new(16);
    bench.run(&mut StdRng::seed_from_u64(1), &packets, [0.0, 0.0]);
    assert!(bench.uut.refused.val());
    let want = [
        other(ItemKind::TraceInfo),
        Seen::Atom(true),
        Seen::Atom(false),
    ];
    assert_eq!(bench.seen, want);
    let refused = [Bench::<5>::new(15).uut, Bench::<5>::new(1 << 31).uut];
    assert_eq!(refused.map(|uut| uut.refused.val()), [false, true]);
    assert!(!Bench::<9>::new(255).uut.refused.val());
    assert!(Bench::<9>::new(256).uut.refused.val());
    assert!(Bench::<1>::new(1).uut.refused.val());
}

#[test]
fn an_item_per_cycle_goes_in_and_a_packet_per_cycle_out() {
    let mut bench = Bench::<9>::new(24);
    bench.cycle(Some(&begin()), true);
    (0..20).for_each(|_| bench.cycle(None, true));
    bench.seen.clear();
    // Each pushes out the one before it.
    for number in 0..1000 {
        assert!(bench.ready, "packet {number}");
        bench.cycle(Some(&packet(0xD4)), true);
    }
    assert!(count_atoms(&bench.seen) >= 24 * (1000 - 8));
}

#[test]
fn what_is_final_at_once_is_out_six_cycles_later() {
    let latency = |bench: &mut dyn FnMut(Option<&Packet>) -> bool| {
        let mut cycles = 1;
        let mut out = bench(Some(&packet(0xF7)));
        while !out {
            out = bench(None);
            cycles += 1;
        }
        cycles
    };
    let mut ring = Bench::<5>::new(1);
    ring.cycle(Some(&begin()), true);
    ring.cycle(Some(&packet(0xF6)), true);
    (0..20).for_each(|_| ring.cycle(None, true));
    ring.seen.clear();
    let cycles = latency(&mut |packet| {
        ring.cycle(packet, true);
        !ring.seen.is_empty()
    });
    assert_eq!((cycles, ring.seen[0]), (6, Seen::Atom(false)));
    let mut passing = Bench::<5>::new(0);
    let cycles = latency(&mut |packet| {
        passing.cycle(packet, true);
        !passing.seen.is_empty()
    });
    assert_eq!(cycles, 3);
}
