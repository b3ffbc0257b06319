// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow stream as it is written and read: random events, and streams that are damaged.

use std::collections::BTreeMap;

use coretrace_abi::flow_stream::{Beat, BeatKind, MOST_CYCLES};
use coretrace_abi::flow_table::{LostReason, Widths};
use coretrace_sites::{Event, FlowDamage, FlowReader, FlowWriter, ReadOuts, SiteCounts};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;

fn widths() -> Widths {
    Widths::new(4, 1).expect("widths")
}

fn event(rng: &mut Rng) -> Event {
    let site = rng.random_range(0..16);
    match rng.random_range(0..30) {
        0 => Event::ReadOut,
        1 => Event::Lost {
            reason: LostReason::ALL[rng.random_range(0..LostReason::ALL.len())],
            site,
            atoms: 7,
        },
        2 => Event::Found {
            address: 0x1000,
            site,
            skipped: 3,
        },
        3..8 => Event::Enter { site },
        8..13 => Event::Leave { site },
        13..17 => Event::Indirect {
            site,
            target: rng.random_range(0..16),
        },
        17..20 => Event::Cycles {
            site: Some(site),
            count: rng.random_range(1..=MOST_CYCLES),
        },
        _ => Event::Taken { site },
    }
}

/// A stream of random events, and what they add up to.
fn written(rng: &mut Rng, events: usize) -> (Vec<Beat>, ReadOuts) {
    let mut writer = FlowWriter::new(widths());
    let mut read = read(&[], 1);
    let (mut beats, mut atoms) = (Vec::new(), (0, 0));
    for number in 0..=events {
        let event = match number == events {
            true => Event::ReadOut,
            false => event(rng),
        };
        match event {
            Event::Taken { .. } => atoms.0 += rng.random_range(1..30),
            Event::Lost { reason, .. } => {
                *read.losses.entry(reason).or_default() += 1;
                atoms.1 += 5;
            }
            Event::Found { site, .. } => *read.found.entry(site).or_default() += 1,
            Event::ReadOut => read.whole += 1,
            _ => {}
        }
        read.counts.add(&event);
        writer.event(&event, atoms, &mut |beat| beats.push(beat));
    }
    read.atoms.sent = atoms.0 + atoms.1;
    read.atoms.skipped = atoms.1;
    (beats, read)
}

fn bytes_of(beats: &[Beat]) -> Vec<u8> {
    let words = beats.iter().flat_map(Beat::words);
    words.flat_map(u32::to_le_bytes).collect()
}

fn read(bytes: &[u8], piece: usize) -> ReadOuts {
    let mut reader = FlowReader::new(widths());
    bytes.chunks(piece).for_each(|bytes| reader.bytes(bytes));
    reader.finish()
}

#[test]
fn read_outs_are_read_as_they_were_written_whatever_the_pieces() {
    for seed in 0..200 {
        let mut rng = rng(seed);
        let (beats, want) = written(&mut rng, 300);
        assert!(want.whole > 1, "seed {seed}");
        for piece in [1, 16, 1 << 20, rng.random_range(2..100)] {
            assert_eq!(read(&bytes_of(&beats), piece), want, "seed {seed}");
        }
    }
}

/// The beats of each read-out, from READ_OUT to END, and its sums.
fn read_outs(beats: &[Beat]) -> Vec<(std::ops::Range<usize>, SiteCounts)> {
    let kinds: Vec<u32> = beats.iter().map(|beat| beat.words()[0] & 0xF).collect();
    let at = |kind| kinds.iter().enumerate().filter(move |it| *it.1 == kind);
    let pairs = at(4).zip(at(5));
    pairs
        .map(|((first, _), (last, _))| {
            let range = first..last + 1;
            let counts = read(&bytes_of(&beats[range.clone()]), 16).counts;
            (range, counts)
        })
        .collect()
}

#[test]
fn a_damaged_read_out_is_left_out_and_the_others_are_added_up() {
    for seed in 0..300 {
        let mut rng = rng(seed);
        let (beats, whole) = written(&mut rng, 300);
        let all = read_outs(&beats);
        let is_site = |it: &usize| matches!(beats[*it], Beat::Site { .. });
        let sites = |it: &std::ops::Range<usize>| it.clone().any(|it| is_site(&it));
        let with_sites: Vec<usize> = (0..all.len()).filter(|it| sites(&all[*it].0)).collect();
        let number = with_sites[rng.random_range(0..with_sites.len())];
        let (range, _) = &all[number];
        let sites: Vec<usize> = range.clone().filter(is_site).collect();
        let site = sites[rng.random_range(0..sites.len())];
        let mut bytes = bytes_of(&beats);
        let mut damage = FlowDamage {
            incomplete: 1,
            ..FlowDamage::default()
        };
        match seed % 4 {
            // No reason is 15.
            0 => {
                bytes[16 * site] = BeatKind::Lost as u8;
                bytes[16 * site + 3] = 0xF0;
            }
            // A site of another table.
            1 => bytes[16 * site + 3] = 1,
            // A site twice.
            2 => {
                let again = bytes[16 * site..][..16].to_vec();
                bytes.splice(16 * site..16 * site, again);
            }
            // No END.
            _ => drop(bytes.drain(16 * (range.end - 1)..16 * range.end)),
        }
        damage.wrong_beats = u64::from(seed % 4 < 3);
        let got = read(&bytes, 16);
        assert_eq!(got.damage, damage, "seed {seed}");
        assert_eq!(got.whole, whole.whole - 1, "seed {seed}");
        let mut want = SiteCounts::new(widths());
        for (_, counts) in all
            .iter()
            .enumerate()
            .filter(|it| it.0 != number)
            .map(|it| it.1)
        {
            for site in 0..16 {
                want.taken[site] += counts.taken[site];
                want.entered[site] += counts.entered[site];
                want.left[site] += counts.left[site];
            }
            for (way, count) in &counts.indirect {
                *want.indirect.entry(*way).or_default() += count;
            }
            for (site, cycles) in &counts.cycles {
                *want.cycles.entry(*site).or_default() += cycles;
            }
        }
        assert_eq!(got.counts, want, "seed {seed}");
    }
}

#[test]
fn read_outs_that_are_not_there_are_counted_and_a_reset_is_none() {
    let (beats, _) = written(&mut rng(3), 400);
    let all = read_outs(&beats);
    assert!(all.len() > 5);
    let of = |numbers: &[usize]| {
        let kept = numbers.iter().flat_map(|it| &beats[all[*it].0.clone()]);
        let kept: Vec<Beat> = kept.copied().collect();
        read(&bytes_of(&kept), 16)
    };
    assert_eq!(of(&[0, 1, 4, 5]).damage.missing, 2);
    assert_eq!(of(&[3, 4]).damage, FlowDamage::default());
    let twice = of(&[0, 1, 0, 1, 2]);
    assert_eq!(twice.damage, FlowDamage::default());
    let once = of(&[0, 1, 2]).atoms.sent + of(&[0, 1]).atoms.sent;
    assert_eq!(twice.atoms.sent, once);
}

#[test]
fn a_cut_stream_has_the_whole_read_outs_before_the_cut() {
    let (beats, _) = written(&mut rng(5), 400);
    let bytes = bytes_of(&beats);
    let ends: Vec<usize> = read_outs(&beats).iter().map(|it| 16 * it.0.end).collect();
    for cut in 0..bytes.len() {
        let got = read(&bytes[..cut], 16);
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(got.whole, whole as u64, "{cut}");
        assert_eq!(got.damage.cut_bytes, cut as u64 % 16, "{cut}");
    }
}

#[test]
fn a_sum_that_has_passed_its_end_is_counted_as_such() {
    let words = |words: [u32; 4]| words.map(u32::to_le_bytes).concat();
    let beats = [
        words([4, 9, 0, 0]),
        words([1 | 3 << 5 | 1 << 28, 5, 6, 7]),
        words([8 | 3 << 5 | 1 << 28, 8, 12, 0]),
        words([5, 9, 0, 0]),
    ];
    let got = read(&beats.concat(), 16);
    assert_eq!((got.whole, got.overflows), (1, 2));
    assert_eq!(got.counts.taken[3], (1 << 31) + 5);
    assert_eq!((got.counts.entered[3], got.counts.left[3]), (6, 7));
    assert_eq!((got.counts.cycles[&3], got.threshold), ((1 << 31) + 8, 12));
}

#[test]
fn more_ways_than_there_is_room_for_are_left_out_and_counted() {
    let mut reader = FlowReader::new(Widths::new(13, 1).expect("widths"));
    let mark = |kind: u32| [kind, 0, 0, 0];
    let way = |number: u32| {
        let beat = Beat::Indirect {
            site: number % 7000,
            target: number / 7000,
            count: 3,
            is_odd: false,
            missed: false,
        };
        beat.words()
    };
    let beats = [mark(4)].into_iter().chain((0..40_000).map(way));
    for words in beats.chain([mark(5)]) {
        reader.bytes(&words.map(u32::to_le_bytes).concat());
    }
    let read = reader.finish();
    let most = 4 << 13;
    assert_eq!((read.whole, read.counts.indirect.len()), (1, most));
    assert!(read.counts.indirect.values().all(|count| *count == 3));
    assert_eq!(read.missed_indirect, 40_000 - most as u64);
}

#[test]
fn no_bytes_make_the_reader_panic_or_grow() {
    for seed in 0..500 {
        let mut rng = rng(seed);
        let bytes: Vec<u8> = (0..rng.random_range(0..2000))
            .map(|_| rng.random::<u8>() >> rng.random_range(0..8))
            .collect();
        let got = read(&bytes, rng.random_range(1..40));
        assert_eq!(got, read(&bytes, bytes.len().max(1)), "seed {seed}");
        assert_eq!(got.counts.taken.len(), 16, "seed {seed}");
        let losses: BTreeMap<LostReason, u64> = got.losses;
        assert!(losses.len() <= LostReason::ALL.len(), "seed {seed}");
    }
}
