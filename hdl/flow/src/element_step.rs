// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ElementStep`: the next byte of a row, or the next atom of a byte, and what goes out then.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `reset` | in | active high: nothing waits |
//! | `ready` | in | an element may go out |
//! | `ends` | in | the results end behind the row: what waits goes out |
//! | `row_valid`, `row`, `takes` | in, in, out | the next row, as from [`ElementRows`](super::ElementRows), and whether it is taken |
//! | `held` | in | the row |
//! | `state`, `state_next` | in, out | [`ElementState`] |
//! | `ended` | out | nothing waits any more |
//! | `waits` | out | bytes of a row or of an A-Sync wait, or a loss |
//! | `element_valid`, `element` | out | a [`PacketElement`] |
//!
//! An atom waits for the byte behind it: the address behind an E belongs to it. The bytes of all other packets wait
//! until they are a short note, or an atom comes. So do those of an address while it is not known whether it ends;
//! they are at most nine.
//!
//! Behind a loss nothing goes out up to the next A-Sync. That begins the elements again, and is in front of them.
//!
//! Combinational; `N` is 1.

use super::element_rows::{ELEMENT_ADDRESS_W, ELEMENT_ROW_W, ElementByte, ElementRow, ROW_BYTES};
use coretrace_abi::compressed::history::LENGTH_BITS;
use coretrace_abi::compressed::item::SHORT_BYTES;
use coretrace_etm::address::{AddressForm, address_form};
use coretrace_etm::atom::atoms;
use coretrace_etm::{ASYNC_BYTES, ASYNC_END, HEADERS};
use coretrace_hdl_dataflow::{
    Bus, Table, Word, all, any, join, kernel_block, layout, lowest_set, mux_tree, named,
    priority_mux, without_lowest,
};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Bits of the bytes of a short note.
const SHORT_W: usize = 8 * SHORT_BYTES;
/// Bytes of an address that are more than a short note has.
const MORE_BYTES: usize = 2;
/// Bits of them.
const MORE_W: usize = 8 * MORE_BYTES;
/// Bits of a number of bytes, or of the rest of an A-Sync.
const COUNT_W: usize = 4;
/// Bits of the number of an atom in its packet.
const ATOM_W: usize = 5;

layout! {
    /// What waits.
    pub struct ElementState {
        /// Bytes of the row.
        left: ROW_BYTES,
        /// The loss in front of the row.
        gap: 1,
        /// An A-Sync was seen behind the last loss; and one in front of it.
        is_known: 1,
        was_known: 1,
        /// Bytes of the A-Sync at the begin.
        begin: COUNT_W,
        /// The next byte is a header; those before are of an address that may be that of the atom.
        is_header: 1,
        in_address: 1,
        /// Atoms of the packet that have been read.
        atom: ATOM_W,
        /// An atom.
        has_atom: 1,
        taken: 1,
        /// Bytes, the first one lowest, and 0 above them.
        count: COUNT_W,
        bytes: SHORT_W,
        more: MORE_W,
    }
}

/// Bits of a state.
pub const ELEMENT_STATE_W: usize = ElementState::WIDTH;

layout! {
    /// An element, bytes of packets that are none, or a begin.
    pub struct PacketElement {
        /// It is no element: they begin again.
        begins: 1,
        /// Some were lost in front of it.
        is_loss: 1,
        is_bytes: 1,
        taken: 1,
        has_address: 1,
        /// Of bytes, their number less 1 and they; see `ElementEncoder`.
        address: ELEMENT_ADDRESS_W,
    }
}

/// Bits of a [`PacketElement`].
pub const PACKET_ELEMENT_W: usize = PacketElement::WIDTH;

kernel_block! {
    /// See the module text.
    pub struct ElementStep;
    inputs StepInputs {
        reset: Bit,
        ready: Bit,
        ends: Bit,
        row_valid: Bit,
        row: Bus<ELEMENT_ROW_W>,
        held: Bus<ELEMENT_ROW_W>,
        state: Bus<ELEMENT_STATE_W>,
    }
    lane_inputs {}
    outputs StepOutputs {
        takes: Bit,
        ended: Bit,
        waits: Bit,
        state_next: Bus<ELEMENT_STATE_W>,
        element_valid: Bit,
        element: Bus<PACKET_ELEMENT_W>,
    }
    lane_outputs {}
    kernel element_step;
}

layout! {
    /// The atoms of a header, as [`coretrace_etm::Atoms`] has them.
    struct HeaderAtoms {
        count: ATOM_W,
        bits: 5,
        /// An address of A64 or A32 without a context begins, of more than one byte.
        begins_address: 1,
    }
}

static ATOMS: LazyLock<Table> = LazyLock::new(|| {
    HeaderAtoms::table(|header| {
        let atoms = atoms(header as u8);
        let form = address_form(header as u8);
        let is_long = !matches!(form, None | Some((AddressForm::Match(_), _) | (_, true)));
        HeaderAtoms {
            count: atoms.count.into(),
            bits: u64::from(atoms.bits),
            begins_address: u64::from(is_long && HEADERS[header].kind.is_address()),
        }
    })
});

/// A byte that joins the bytes that wait, at a place.
fn placed<T: Word>(octet: T, place: T, first: usize, count: usize) -> T {
    let at = |number: usize| octet.mask(place.is((first + number) as u64));
    join((0..count).map(at))
}

#[named]
fn element_step<T: Word, const N: usize>(i: StepInputs<T::Port, N>) -> StepOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (lives, ready, ends) = (bit(&i.reset).not(), bit(&i.ready), bit(&i.ends));
    let state = ElementState::<T>::unpack(&i.state);
    let row = ElementRow::<T>::unpack(&i.held);
    let byte_at = |number: usize| {
        let low = ElementRow::WIDTH + number * ElementByte::WIDTH;
        join(ElementByte::<T>::unpack_at(&i.held, low).pack())
    };

    // The next byte.
    let chosen = lowest_set(state.left);
    let number = join([
        chosen.bit(1).or(chosen.bit(3)),
        chosen.bit(2).or(chosen.bit(3)),
    ]);
    let bytes: Vec<T> = (0..ROW_BYTES).map(byte_at).collect();
    let byte = ElementByte::split(mux_tree(&bytes, number, 2));
    let address = number.bit(1).mux(row.address_1, row.address_0);
    let of_header = HeaderAtoms::split(byte.octet.rom(&ATOMS));
    let is_some = state.left.any();

    // What happens: the first of these that holds.
    let is_begin = state.begin.any();
    let is_gap = state.gap;
    let is_unknown = is_some.and(state.is_known.not());
    let is_end = all(&[is_some.not(), ends, bit(&i.row_valid).not()]);
    let has_bytes = state.count.any();
    let begins_now = is_begin.and(ready);
    let not_begin = ready.and(is_begin.not());
    let closes = not_begin.and(is_gap.or(is_end));
    let reads = all(&[not_begin, is_gap.not(), is_some]);
    let skips = reads.and(is_unknown);
    let takes_byte = reads.and(is_unknown.not());

    let is_open = state.has_atom.and(state.taken);
    let is_atoms = takes_byte.and(byte.is_atoms);
    let reads_atom = is_atoms.and(has_bytes.not());
    let is_led = all(&[takes_byte, byte.is_address, is_open]);
    let may_lead = state
        .in_address
        .or(state.is_header.and(of_header.begins_address));
    let waits = all(&[takes_byte, is_open, may_lead, byte.ends.not()]);
    let is_other = any(&[byte.is_atoms, is_led, waits]).not();
    let puts = takes_byte.and(is_other).or(begins_now);
    let octet_of_begin = T::constant(ASYNC_END.into(), 8).mask(state.begin.is(1));
    let octet = is_begin.mux(octet_of_begin, byte.octet);

    // What goes out.
    let is_full = T::constant(SHORT_BYTES as u64 - 1, COUNT_W as u32).lt(state.count);
    let restarts = skips.and(byte.is_async);
    let puts_atom_out = any(&[closes, puts, reads_atom]).and(state.has_atom);
    let atom_goes = puts_atom_out.or(is_led);
    let no_atom = state.has_atom.not();
    let bytes_go = any(&[
        all(&[closes, no_atom, has_bytes]),
        all(&[puts, no_atom, is_full]),
        is_atoms.and(has_bytes),
    ]);
    let short = T::constant(SHORT_BYTES as u64, COUNT_W as u32);
    let length = is_full
        .mux(short, state.count)
        .add_const((1 << COUNT_W) - 1);
    let value = join([length.extend(LENGTH_BITS), state.bytes]);
    let element = PacketElement {
        begins: restarts,
        is_loss: restarts.and(state.was_known),
        is_bytes: bytes_go,
        taken: state.taken.and(atom_goes),
        has_address: is_led,
        address: bytes_go.mux(value.extend(ELEMENT_ADDRESS_W as u32), address),
    };

    // The bytes that are left, and one more.
    let stays = is_led.not();
    let count_left = is_full.mux(
        state.count.add_const((1 << COUNT_W) - SHORT_BYTES as u64),
        T::constant(0, COUNT_W as u32),
    );
    let count_kept = bytes_go.mux(count_left, state.count).mask(stays);
    let bytes_kept = bytes_go
        .mux(state.more.extend(SHORT_W as u32), state.bytes)
        .mask(stays);
    let more_kept = state.more.mask(bytes_go.not().and(stays));
    let appends = puts.or(waits);
    let octet = octet.mask(appends);
    let bytes_next = bytes_kept.or(placed(octet, count_kept, 0, SHORT_BYTES));
    let more_next = more_kept.or(placed(octet, count_kept, SHORT_BYTES, MORE_BYTES));
    let count_next = count_kept.add(appends.extend(COUNT_W as u32));

    // The next atom of the packet.
    let behind = state.atom.add_const(1);
    let is_last = behind.eq(of_header.count);
    let of_bits = |number: u32| of_header.bits.bit(number);
    let early = mux_tree(
        &[of_bits(0), of_bits(1), of_bits(2), of_bits(3)],
        state.atom.slice(0, 2),
        2,
    );
    let is_late = state.atom.slice(2, ATOM_W as u32 - 2).any();
    let taken = priority_mux(&[(is_last, of_bits(4)), (is_late, of_bits(3))], early);

    // What is read.
    let consumes = any(&[
        skips,
        reads_atom.and(is_last),
        is_led,
        waits,
        takes_byte.and(is_other),
    ]);
    let left = consumes.mux(without_lowest(state.left), state.left);
    let gap_ends = all(&[closes, is_gap, no_atom, has_bytes.not()]);
    let end_ends = all(&[closes, is_gap.not(), no_atom, has_bytes.not()]);
    let gap = is_gap.and(gap_ends.not());
    let is_free = left.any().or(gap).not();
    let takes = all(&[bit(&i.row_valid), is_free, lives]);
    let next = ElementRow::<T>::unpack(&i.row);
    let is_known = state.is_known.or(restarts).and(gap_ends.or(end_ends).not());
    let begin_left = state.begin.add_const((1 << COUNT_W) - 1);
    let begin = begins_now.mux(begin_left, state.begin);
    let whole = T::constant(ASYNC_BYTES as u64, COUNT_W as u32);
    let state_next = ElementState {
        left: takes.mux(next.keep, left),
        gap: takes.mux(next.gap, gap),
        is_known,
        was_known: state.was_known.or(restarts).and(end_ends.not()),
        begin: restarts.mux(whole, begin),
        is_header: consumes.mux(byte.ends, state.is_header),
        in_address: consumes.mux(waits, state.in_address),
        atom: reads_atom
            .and(is_last.not())
            .mux(behind, state.atom.mask(consumes.not())),
        has_atom: reads_atom.or(state.has_atom.and(atom_goes.not())),
        taken: reads_atom.mux(taken, state.taken),
        count: count_next,
        bytes: bytes_next,
        more: more_next,
    };
    StepOutputs {
        takes: vec![takes],
        ended: vec![end_ends],
        waits: vec![any(&[is_some, is_gap, is_begin])],
        state_next: state_next.map(|word| word.mask(lives)).pack(),
        element_valid: vec![any(&[restarts, atom_goes, bytes_go]).and(lives)],
        element: element.pack(),
    }
}
