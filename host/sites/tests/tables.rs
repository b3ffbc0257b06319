// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the compiler makes of code.

use coretrace_abi::flow_table::{FRAME_ROWS, LONGEST_RUN, NO_SPACE, TableKind, Widths, space};
use coretrace_etm::Context;
use coretrace_flow::{Image, Images, Reported, Spaces};
use coretrace_isa::Isa;
use coretrace_sites::compile::Compiler;
use coretrace_sites::file::FileError;
use coretrace_sites::module::{Module, SpaceMask};
use coretrace_sites::section::Section;
use coretrace_sites::{AddressSpaces, TooManySpaces};
use coretrace_sites::{DoesNotFit, FlowTable};

const NOP: u32 = 0xD503_201F;
const RET: u32 = 0xD65F_03C0;

/// b.ne to so many instructions from here.
fn branch(distance: i32) -> u32 {
    0x5400_0001 | (distance as u32 & 0x7_FFFF) << 5
}

/// bl to so many instructions from here.
fn call(distance: i32) -> u32 {
    0x9400_0000 | distance as u32 & 0x3FF_FFFF
}

fn section(address: u64, words: &[u32]) -> Section {
    Section {
        address,
        bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}

fn module(sections: &[Section]) -> Module {
    Module {
        isa: Isa::A64,
        spaces: SpaceMask::ANY,
        sections: sections.to_vec(),
    }
}

fn compiler() -> Compiler {
    let widths = Widths::new(10, 4).expect("widths");
    Compiler::new(widths, Reported::default())
}

fn rank(compiler: &Compiler, address: u64) -> Option<u32> {
    compiler.table().rank(Isa::A64, NO_SPACE, address).ok()
}

#[test]
fn an_address_becomes_the_site_of_the_next_atom() {
    let mut compiler = compiler();
    let code = section(
        0x1010,
        &[NOP, branch(-1), NOP, call(3), NOP, NOP, branch(1), RET],
    );
    compiler.add(&module(&[code])).expect("room");
    let table = compiler.table();
    // In front of the code is a site that is none.
    let sites = [0x1010, 0x1014, 0x1018, 0x101C, 0x1020, 0x1028, 0x102C];
    let ranks = sites.map(|address| rank(&compiler, address));
    assert_eq!(ranks, [2, 2, 3, 3, 4, 4, 5].map(Some));
    let exits = [2, 3, 4, 5].map(|site| table.exit(site));
    assert_eq!(exits.map(|exit| exit.exit), [2, 4, 5, 0]);
    assert_eq!(exits.map(|exit| exit.link), [false, true, false, false]);
    assert_eq!(exits.map(|exit| exit.indirect), [false, false, false, true]);
    let runs = (1..8).map(|site| table.run(site));
    assert_eq!(runs.collect::<Vec<_>>(), [0, 1, 0, 1, 0, 0, 0]);
}

#[test]
fn addresses_beside_code_lead_to_no_atom() {
    let mut compiler = compiler();
    let [first, second] = [0x1010, 0x1040].map(|address| section(address, &[branch(0), RET]));
    compiler.add(&module(&[first, second])).expect("room");
    for address in [0x1000, 0x100C, 0x1018, 0x103C, 0x1048, 0x107C] {
        let site = rank(&compiler, address).expect("a row with code");
        assert!(compiler.table().exit(site).is_end(), "{address:#x}");
        assert_eq!(compiler.table().run(site), 0, "{address:#x}");
    }
    for address in [0x1080, 0x1FFC, 0x2000, 0xFFC, 0x1_0000_1010] {
        assert_eq!(rank(&compiler, address), None, "{address:#x}");
    }
}

#[test]
fn a_run_counts_conditional_branches_up_to_its_limit() {
    let mut compiler = compiler();
    let words = [vec![branch(0); 40], vec![RET]].concat();
    compiler
        .add(&module(&[section(0x1000, &words)]))
        .expect("room");
    for (address, run) in [
        (0x1000, LONGEST_RUN),
        (0x1000 + 4 * 9, 31),
        (0x1000 + 4 * 10, 30),
        (0x109C, 1),
        (0x10A0, 0),
    ] {
        let site = rank(&compiler, address).expect("a site");
        assert_eq!(compiler.table().run(site), run, "{address:#x}");
    }
}

#[test]
fn a_module_that_is_loaded_later_is_where_calls_lead() {
    let mut compiler = compiler();
    let main = module(&[section(0x1000, &[call(0x1000), call(0x400), RET])]);
    compiler.add(&main).expect("room");
    let before = compiler.sites().to_vec();
    let [first, second] = [0x1000, 0x1004].map(|address| rank(&compiler, address).expect("a site"));
    assert!(compiler.table().exit(first).outside && compiler.table().exit(second).outside);
    assert_eq!(compiler.report().outside, 2);
    let library = module(&[section(0x5000, &[NOP, branch(-1), RET])]);
    compiler.add(&library).expect("room");
    assert_eq!(compiler.sites()[..before.len()], before);
    let exit = compiler.table().exit(first);
    assert_eq!(
        (exit.outside, Some(exit.exit)),
        (false, rank(&compiler, 0x5000))
    );
    assert_eq!(compiler.report().outside, 1);
    // And only once.
    let number = 5;
    assert_eq!(
        compiler.add(&library),
        Err(DoesNotFit::PageTaken { number })
    );
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let mut compiler = compiler();
    compiler
        .add(&module(&[section(0x1000, &[RET; 100])]))
        .expect("room");
    let before = compiler.clone();
    let many_sites = module(&[section(0x10_0000, &[RET; 1000])]);
    assert_eq!(compiler.add(&many_sites), Err(DoesNotFit::Sites(1103)));
    let many_pages: Vec<Section> = (0..20).map(|page| section(page << 20, &[NOP])).collect();
    assert_eq!(
        compiler.add(&module(&many_pages)),
        Err(DoesNotFit::Frames(21))
    );
    let behind_itself = [0x9000, 0x8000].map(|address| section(address, &[NOP]));
    let address = 0x8000;
    assert_eq!(
        compiler.add(&module(&behind_itself)),
        Err(DoesNotFit::Disorder { address })
    );
    assert_eq!(compiler.table(), before.table());
    assert_eq!(compiler.report(), before.report());
}

#[test]
fn a_page_that_always_has_the_slot_of_another_is_left_out_and_reported() {
    let mut compiler = compiler();
    let twins: [u64; 2] = [0x1000, 0x1000 ^ 0x2_00C0_1000];
    let pages = [twins[0], 0x40_1000, twins[1]].map(|address| section(address, &[RET]));
    compiler.add(&module(&pages)).expect("room");
    assert_eq!(compiler.report().left_out, [twins[1] >> 12]);
    let ranks = [twins[0], 0x40_1000, twins[1]].map(|address| rank(&compiler, address).is_some());
    assert_eq!(ranks, [true, true, false]);
}

#[test]
fn pages_of_one_bucket_move_to_slots_of_their_own() {
    // 1024 pages apart: one bucket.
    let addresses = (0..14).map(|page| 0x1000 | page << 22);
    let addresses: Vec<u64> = addresses.collect();
    let mut compiler = compiler();
    for &address in &addresses {
        compiler
            .add(&module(&[section(address, &[RET])]))
            .expect("room");
    }
    assert_eq!(compiler.report().left_out, [0; 0]);
    let ranks = addresses.iter().map(|&address| rank(&compiler, address));
    assert_eq!(
        ranks.collect::<Vec<_>>(),
        (1..15).map(|n| Some(2 * n - 1)).collect::<Vec<_>>()
    );
}

#[test]
fn pages_of_some_spaces_and_of_all_share_a_bucket() {
    let mut compiler = compiler();
    let of = |address, spaces| Module {
        spaces,
        ..module(&[section(address, &[RET])])
    };
    let modules = [
        of(0x1000, SpaceMask::ANY),
        of(0x1000 | 1 << 22, SpaceMask(0b101)),
        of(0x1000 | 1 << 22, SpaceMask(0b010)),
        of(0x1000 | 2 << 22, SpaceMask::ANY),
    ];
    compiler.add_all(&modules).expect("room");
    assert_eq!(compiler.report().left_out, [0; 0]);
    let table = compiler.table();
    let ranks =
        |address| [0, 1, 2, 3, NO_SPACE].map(|space| table.rank(Isa::A64, space, address).ok());
    assert_eq!(ranks(0x1000), [Some(1); 5]);
    assert_eq!(
        ranks(0x1000 | 1 << 22),
        [Some(3), Some(5), Some(3), None, None]
    );
    assert_eq!(ranks(0x1000 | 2 << 22), [Some(7); 5]);
    let again = of(0x1000, SpaceMask(1));
    assert_eq!(
        compiler.add(&again),
        Err(DoesNotFit::PageTaken { number: 1 })
    );
}

#[test]
fn each_context_is_in_the_space_of_its_images() {
    let image = |address, word: u32, cid| Image {
        cid,
        ..Image::new(address, word.to_le_bytes())
    };
    let images = [
        image(0x1000, call(0x400), Some(1)),
        image(0x1000, RET, Some(2)),
        image(0x2000, RET, None),
    ];
    let context = |cid| Context {
        info: 0xB0,
        vmid: 0,
        cid,
    };
    let contexts = [1, 2, 3].map(context);
    let mut spaces = AddressSpaces::new(Images::new(images.to_vec()), contexts);
    let numbers = [1, 2, 3, 4].map(|cid| spaces.of(&context(cid)));
    assert_eq!(numbers, [0, 1, 2, 2]);
    let modules = spaces.modules(&[Isa::A64]);
    let masks: Vec<SpaceMask> = modules.iter().map(|module| module.spaces).collect();
    assert_eq!(masks, [SpaceMask(1), SpaceMask::ANY, SpaceMask(2)]);
    let mut compiler = compiler();
    compiler.add_all(&modules).expect("room");
    let table = compiler.table();
    let ranks = |address| [0, 1, 2].map(|space| table.rank(Isa::A64, space, address).ok());
    let [one, two, none] = ranks(0x1000);
    assert!(one.is_some() && two.is_some() && one != two && none.is_none());
    let [shared, also, again] = ranks(0x2000);
    assert!(shared.is_some() && (shared, shared) == (also, again));
    assert_eq!(Some(table.exit(one.expect("a site")).exit), shared);
}

#[test]
fn rules_separate_the_spaces_of_images() {
    let image = |spaces, vmid, cid| Image {
        spaces,
        vmid,
        cid,
        ..Image::new(0x1000, RET.to_le_bytes())
    };
    let numbers = |vmid, cid| image(Spaces::ANY, vmid, cid);
    let levels = |spaces| image(spaces, None, None);
    let lists = [
        (vec![numbers(None, None)], 1),
        (vec![numbers(Some(1), None), numbers(Some(2), Some(7))], 2),
        (
            vec![
                numbers(None, None),
                numbers(None, Some(9)),
                numbers(None, Some(5)),
            ],
            3,
        ),
        (
            vec![
                levels(Spaces::EL1N),
                levels(Spaces::EL2),
                levels(Spaces::EL1S),
            ],
            3,
        ),
        (vec![levels(Spaces::EL1N), numbers(None, Some(3))], 3),
        (vec![], 0),
    ];
    for (images, want) in lists {
        let images = Images::new(images);
        let (_, rules) = AddressSpaces::with_rules(images.clone()).expect("few rules");
        let used = rules.iter().flatten().count();
        assert_eq!(used, want, "{rules:?}");
        let mut sets = images;
        let mut seen = Vec::new();
        for info in 0..=u8::MAX {
            for (vmid, cid) in [(0, 0), (1, 7), (1, 9), (2, 7), (2, 3), (3, 7), (4, 5)] {
                let context = Context { info, vmid, cid };
                let set = sets.set(&context);
                let space = match sets.parts(set).count() {
                    0 => None,
                    _ => Some(space(&rules, &context)),
                };
                assert!(space != Some(NO_SPACE), "{context:?}");
                seen.push((set, space));
            }
        }
        // Two that have one space see the same.
        for (set, space) in &seen {
            let same = seen
                .iter()
                .filter(|(_, other)| other == space && space.is_some());
            assert!(same.clone().all(|(other, _)| other == set));
        }
    }
    let many = (0..6).map(|cid| numbers(None, Some(cid)));
    let many = AddressSpaces::with_rules(Images::new(many.collect()));
    assert_eq!(many.err(), Some(TooManySpaces(6)));
}

#[test]
fn a_table_is_read_as_it_was_written() {
    let mut compiler = compiler();
    for page in [1, 7, 0xF_FFFF] {
        let code = section(page << 12, &[branch(1), call(9), NOP, RET]);
        let table = compiler.table();
        assert_eq!(FlowTable::from_bytes(&table.to_bytes()).as_ref(), Ok(table));
        compiler.add(&module(&[code])).expect("room");
    }
    let table = compiler.table();
    assert_eq!(FlowTable::from_bytes(&table.to_bytes()).as_ref(), Ok(table));
}

#[test]
fn a_file_that_is_cut_or_has_a_wrong_bit_is_refused() {
    let mut compiler = compiler();
    compiler
        .add(&module(&[section(0x1000, &[branch(1), RET])]))
        .expect("room");
    let file = compiler.table().to_bytes();
    for length in 0..file.len() {
        let error = FlowTable::from_bytes(&file[..length]).expect_err("a cut file");
        let want = if length < 32 {
            FileError::NoFlowTable
        } else {
            FileError::Length(file.len())
        };
        assert_eq!(error, want, "{length} bytes");
    }
    for place in 0..file.len() {
        for bit in 0..8 {
            let mut file = file.clone();
            file[place] ^= 1 << bit;
            let read = FlowTable::from_bytes(&file);
            assert!(read.is_err(), "bit {bit} of byte {place}");
        }
    }
}

#[test]
fn a_shadow_copy_has_the_numbers_that_the_active_table_leaves_free() {
    let widths = Widths::new(7, 2).expect("widths");
    let code = |branches: usize| {
        let words = [vec![branch(0); branches], vec![RET]].concat();
        module(&[section(0x1000, &words)])
    };
    let mut active = Compiler::new(widths, Reported::default());
    active.add(&code(80)).expect("room");
    let mut above = Compiler::shadow(active.table(), Reported::default());
    assert!(matches!(above.add(&code(60)), Err(DoesNotFit::Sites(_))));
    above.add(&code(40)).expect("room");
    let mut below = Compiler::shadow(above.table(), Reported::default());
    below.add(&code(75)).expect("room");
    assert_eq!(below.numbers().start, 1);

    for (active, shadow) in [(&active, &above), (&above, &below)] {
        let (of_active, own) = (active.table().used(), shadow.table().used());
        let words: Vec<_> = shadow.table().shadow_words().collect();
        for (kind, index, _) in words {
            let index = index as usize;
            match kind {
                TableKind::Rows => assert!(!of_active.frames.contains(&(index / FRAME_ROWS))),
                TableKind::Exits | TableKind::Runs => {
                    assert!(!of_active.sites.contains(&index), "{kind:?} {index}");
                }
                _ => panic!("{kind:?} is of both tables"),
            }
        }
        let numbers = shadow.numbers();
        assert!(own.sites.start == numbers.start && numbers.end <= own.sites.end);
        let swapped = shadow.table().swap_words(active.table());
        assert!(swapped.count() > 0);
        assert_eq!(active.table().swap_words(active.table()).count(), 0);
    }
}
