// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of items through the FIFO and the sequencer: all in order, and what is dropped is said and
//! counted.

use coretrace_abi::flow_table::LostReason;
use coretrace_etm::SourceConfig;
use coretrace_hdl_dataflow::sim::{cycle, settle};
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_flow::{
    ITEM_W, Item, ItemFifo, ItemKind, ItemSequencer, PacketItem, ROW_ITEMS, TAIL_W,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

/// Address bits of the FIFO.
const PLACES_W: usize = 4;

/// An item that comes out: its number, and its address; of atoms, that of the first packet of their row.
type Out = (u64, u64);

/// A row, and what comes of it.
struct Row {
    gap: bool,
    items: [PacketItem<u64>; ROW_ITEMS],
    atoms: u64,
    outs: Vec<Out>,
}

/// A row with an address of its own in each packet.
fn row(rng: &mut StdRng, number: u64) -> Row {
    let mut row = Row {
        gap: rng.random_bool(0.1),
        items: [PacketItem {
            item: 0,
            has_address: 0,
            address: 0,
            isa: 0,
            space: 0,
        }; ROW_ITEMS],
        atoms: 0,
        outs: vec![],
    };
    if row.gap {
        let address = number << 2;
        row.outs.push((bad_packet(), address));
    }
    let only = rng.random_range(0..ROW_ITEMS);
    for lane in 0..ROW_ITEMS {
        let address = number << 2 | lane as u64;
        row.items[lane].address = address;
        let (item, has_address) = match rng.random_range(0..6) {
            _ if lane != only && rng.random() => continue,
            0 => (Item::of(ItemKind::Address), true),
            1 => (Item::of(ItemKind::Q), false),
            2 => (Item::of(ItemKind::Q), true),
            _ => {
                let bits = rng.random_range(0..32);
                (Item::atoms(bits, 5).expect("atoms"), false)
            }
        };
        row.atoms += item.head + item.tail;
        row.outs.push(out(item.number(), address));
        if has_address && item.kind == ItemKind::Q as u64 {
            let behind = Item::of(ItemKind::Address).number();
            row.outs.push((behind, address));
        }
        row.items[lane] = PacketItem {
            item: item.number(),
            has_address: has_address.into(),
            address,
            isa: rng.random_range(0..3),
            space: rng.random_range(0..16),
        };
    }
    row
}

fn out(item: u64, address: u64) -> Out {
    (
        item,
        if is_atoms(item) {
            address & !3
        } else {
            address
        },
    )
}

fn is_atoms(item: u64) -> bool {
    item & 0xF == ItemKind::Atoms as u64
}

fn ends_taken(item: u64) -> bool {
    is_atoms(item) && item >> (ITEM_W - TAIL_W) == 0
}

fn bad_packet() -> u64 {
    Item::gap(LostReason::BadPacket as u8).number()
}

/// Both blocks, and what came out.
struct Bench {
    fifo: ItemFifo<PLACES_W>,
    sequencer: ItemSequencer,
    outs: Vec<Out>,
    /// Addresses that came out with atoms.
    folds: usize,
}

impl Bench {
    fn new(max_spec: u32) -> Bench {
        let mut bench = Bench {
            fifo: ItemFifo::default(),
            sequencer: ItemSequencer::default(),
            outs: vec![],
            folds: 0,
        };
        bench.fifo.connect_all();
        bench.sequencer.connect_all();
        let mut source = SourceConfig::default();
        source.registers.trcidr8 = max_spec;
        bench.sequencer.source.next = Bus(SourceSettings::of(0x10, &source).wide());
        bench.fifo.reset.next = true;
        bench.sequencer.reset.next = true;
        (0..4).for_each(|_| bench.clock(None, true));
        bench.fifo.reset.next = false;
        bench.sequencer.reset.next = false;
        bench
    }

    fn clock(&mut self, row: Option<&Row>, ready: bool) {
        let Bench {
            fifo,
            sequencer,
            outs,
            folds,
        } = self;
        fifo.any.next = row.is_some();
        if let Some(row) = row {
            fifo.gap.next = row.gap;
            for (port, item) in fifo.items.iter_mut().zip(&row.items) {
                port.next = Bus(item.wide());
            }
        }
        sequencer.ready.next = ready;
        settle(fifo);
        sequencer.row_valid.next = fifo.row_valid.val();
        sequencer.row.next = fifo.row.val();
        settle(sequencer);
        fifo.row_ready.next = sequencer.row_ready.val();
        cycle(fifo, |block, clock| block.clock.next = clock);
        cycle(sequencer, |block, clock| block.clock.next = clock);
        let item = sequencer.item.val().to_wide().field(0, ITEM_W as u32);
        let address = sequencer.address.val().to_wide().field(0, 64);
        if item & 0xF == ItemKind::AddressAndAtoms as u64 {
            let before = outs.last().expect("an item in front of an address");
            assert!(ends_taken(before.0), "{before:x?} waits");
            *folds += 1;
            outs.push((Item::of(ItemKind::Address).number(), address));
            outs.push(out(item & !0xF | ItemKind::Atoms as u64, address));
        } else if item != 0 {
            outs.push(out(item, address));
        }
    }
}

/// Rows at one rate, read at another, with and without speculation. Returns how often rows were dropped.
fn run(seed: u64, writes: f64, reads: f64) -> usize {
    let (_, folds) = run_with(1, seed, writes, reads);
    assert_eq!(folds, 0, "addresses that may be taken back");
    let (drops, folds) = run_with(0, seed, writes, reads);
    assert!(folds > 0, "no address came with atoms");
    drops
}

fn run_with(max_spec: u32, seed: u64, writes: f64, reads: f64) -> (usize, usize) {
    println!("seed {seed}, {writes} rows and {reads} items per cycle, depth {max_spec}");
    let mut rng = StdRng::seed_from_u64(seed);
    let mut bench = Bench::new(max_spec);
    let mut rows = Vec::new();
    let mut most = 0;
    for _ in 0..2000 {
        let row = rng
            .random_bool(writes)
            .then(|| row(&mut rng, rows.len() as u64));
        bench.clock(row.as_ref(), rng.random_bool(reads));
        rows.extend(row);
        most = most.max(bench.fifo.level.val().to_u64());
    }
    // The last one says whether those before it were dropped.
    (0..200).for_each(|_| bench.clock(None, true));
    rows.push(row(&mut rng, rows.len() as u64));
    bench.clock(rows.last(), true);
    (0..200).for_each(|_| bench.clock(None, true));

    let dropped = Item::gap(LostReason::Dropped as u8).number();
    let (mut drops, mut atoms) = (0, 0);
    let mut outs = bench.outs.as_slice();
    let mut rest = rows.as_slice();
    while let Some((row, behind)) = rest.split_first() {
        match outs {
            [(item, address), ..] if *item == dropped => {
                let count = (address >> 2) as usize + rest.len() - rows.len();
                assert!(count > 0, "no row was dropped");
                atoms += rest[..count].iter().map(|row| row.atoms).sum::<u64>();
                rest = &rest[count..];
                drops += 1;
                // It stands for the gap of the row, too.
                let first = &rest[0].outs[usize::from(rest[0].gap)..];
                assert_eq!(&outs[1..=first.len()], first);
                outs = &outs[1 + first.len()..];
                rest = &rest[1..];
            }
            _ => {
                assert_eq!(&outs[..row.outs.len()], row.outs);
                outs = &outs[row.outs.len()..];
                rest = behind;
            }
        }
    }
    assert_eq!(outs, []);
    assert_eq!(bench.fifo.dropped_atoms.val().to_u64(), atoms);
    assert_eq!(drops > 0, atoms > 0);
    assert!(drops == 0 || most == (1 << PLACES_W) - 1, "{most} rows");
    // What was lost comes out as long stretches.
    assert!(drops <= rows.len() >> (PLACES_W - 1));
    (drops, bench.folds)
}

#[test]
fn rows_come_out_as_items_in_order() {
    for seed in 0..6 {
        assert_eq!(run(seed, 0.3, 1.0), 0, "rows were dropped");
    }
}

#[test]
fn rows_that_find_the_fifo_full_are_reported_and_counted() {
    for seed in 10..16 {
        assert!(run(seed, 1.0, 1.0) > 10, "no row was dropped");
        assert!(run(seed, 0.4, 0.3) > 5, "no row was dropped");
    }
}
