// SPDX-License-Identifier: MIT OR Apache-2.0
//! Journals in files.

use std::cell::RefCell;
use std::io::{Error, ErrorKind, Write};
use std::rc::Rc;

use coretrace_target::{Ending, Journal, execute, undo};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, zynqmp};

/// A file in memory, with so many bytes of room.
#[derive(Clone)]
struct Disk(Rc<RefCell<Vec<u8>>>, usize);

impl Disk {
    fn new(room: usize) -> Disk {
        Disk(Rc::default(), room)
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).expect("text")
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut file = self.0.borrow_mut();
        if file.len() + bytes.len() > self.1 {
            return Err(Error::from(ErrorKind::StorageFull));
        }
        file.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_journal_that_is_cut_behind_any_line_undoes_what_was_done() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let before = World::cold(&topology).at_rest();
    // The steps of the journal were done, and the one that was cut was not.
    for done in 0..=steps.len() {
        let (disk, mut journal) = (Disk::new(usize::MAX), Journal::default());
        journal.keep_in(disk.clone());
        let mut world = World::cold(&topology);
        let mut time = Ticks::default();
        let ending = execute(
            &topology,
            &steps[..done],
            &mut world,
            &mut time,
            &mut journal,
        );
        assert_eq!(ending, Ending::Done);
        let whole = disk.text();
        for cut in ["", "{", "{\"begun\":{\"step\":{\"part\"", "\u{e9}\""] {
            let text = whole.clone() + cut;
            let mut read = Journal::read(&topology, &text).expect("a journal");
            assert_eq!(read.entries, journal.entries);
            let mut world = world.clone();
            assert!(undo(&topology, &mut read, &mut world, &mut time).is_empty());
            assert_eq!(world.at_rest(), before, "{done}");
        }
    }
}

#[test]
fn a_journal_that_cannot_be_written_ends_the_session() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let before = World::cold(&topology).at_rest();
    let (mut refused, mut undone) = (0, 0);
    for room in (0..40_000).step_by(1000) {
        let (mut world, mut journal) = (World::cold(&topology), Journal::default());
        journal.keep_in(Disk::new(room));
        let ending = execute(
            &topology,
            &steps,
            &mut world,
            &mut Ticks::default(),
            &mut journal,
        );
        match &ending {
            Ending::Refused(_) => refused += 1,
            Ending::Undone(_) => undone += 1,
            Ending::Done | Ending::Left(..) => panic!("{room}: {ending:?}"),
        }
        let failure = ending.failure().expect("a failure").to_string();
        assert!(
            failure.contains("the journal cannot be written"),
            "{failure}"
        );
        assert_eq!(world.at_rest(), before, "{room}");
    }
    assert!(refused > 3 && undone > 3, "{refused} {undone}");
}
