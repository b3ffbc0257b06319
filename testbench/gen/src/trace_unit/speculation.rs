// SPDX-License-Identifier: MIT OR Apache-2.0
//! P0 elements that are sent before they retire: wrong atoms, wrong paths, and what takes them back.

use super::encoder::Encoder;
use super::options::Speculation;
use crate::Rng;
use coretrace_etm::{Kind, Part};
use rand::RngExt;

/// The most P0 elements of a wrong path.
const LONGEST_PATH: u32 = 7;

/// The P0 elements that are not committed.
#[derive(Clone, Debug)]
pub struct Speculative {
    options: Speculation,
    depth: u32,
}

impl Speculative {
    pub fn new(options: Speculation) -> Speculative {
        let max_spec = options.max_spec.max(1);
        Speculative {
            options: Speculation {
                max_spec,
                ..options
            },
            depth: 0,
        }
    }

    /// How many they are.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// A P0 element was sent; the oldest one is committed if there are too many.
    pub fn sent(&mut self, count: u32) {
        self.depth = (self.depth + count).min(self.options.max_spec);
    }

    /// A number of P0 elements that a packet commits now, 0 where there are none.
    pub fn take_commit(&mut self, rng: &mut Rng) -> u32 {
        let count = rng.random_range(self.depth.min(1)..=self.depth);
        self.depth -= count;
        count
    }

    /// Now and then a Commit packet.
    pub fn maybe_commit(&mut self, rng: &mut Rng, encoder: &mut Encoder) {
        if self.depth > 0 && rng.random_bool(self.options.commits) {
            let count = self.take_commit(rng);
            commit(encoder, count);
        }
    }

    /// Commits everything.
    pub fn commit_all(&mut self, encoder: &mut Encoder) {
        if self.depth > 0 {
            commit(encoder, std::mem::take(&mut self.depth));
        }
    }

    /// The atom of a conditional branch, which may be wrong at first.
    pub fn conditional_atom(
        &mut self,
        taken: bool,
        broadcast: bool,
        near: u64,
        rng: &mut Rng,
        encoder: &mut Encoder,
    ) {
        if !rng.random_bool(self.options.mispredicts) {
            encoder.atom(taken);
            self.sent(1);
            return;
        }
        let most = LONGEST_PATH.min(self.options.max_spec - 1);
        let count = rng.random_range(0..=most);
        // Some packets have the newest atom themselves.
        let is_short = rng.random();
        match count {
            0 if is_short => {
                self.sent(1);
                encoder.header(Kind::Mispredict, if taken { 0x33 } else { 0x31 });
                return;
            }
            1 if is_short && !taken && !broadcast => {
                self.sent(2);
                encoder.header(Kind::CancelF2, 0x36);
                self.depth -= 1;
                return;
            }
            _ => {}
        }
        encoder.atom(!taken);
        if !taken && broadcast {
            encoder.address(address_near(near, rng));
        }
        let atom_in_packet = is_short && (1..=5).contains(&count);
        self.wrong_path(count - u32::from(atom_in_packet), near, rng, encoder);
        self.sent(1 + u32::from(atom_in_packet));
        match (count, atom_in_packet) {
            (0, _) => encoder.header(Kind::Mispredict, 0x30),
            (1, false) => encoder.header(Kind::CancelF2, 0x34),
            (1, true) => encoder.header(Kind::CancelF2, if rng.random() { 0x35 } else { 0x37 }),
            (2..=5, _) if atom_in_packet || rng.random() => {
                let header = 0x38 | (count as u8 - 2) << 1 | u8::from(atom_in_packet);
                encoder.header(Kind::CancelF3, header);
            }
            (_, _) if rng.random() => {
                encoder.fields(Kind::CancelF1Mispredict, 0x2F, &[(Part::Field0, count)]);
            }
            _ => {
                cancel(encoder, count);
                encoder.header(Kind::Mispredict, 0x30);
            }
        }
        self.depth -= count;
    }

    /// In front of an exception: what was sent behind it is taken back.
    pub fn maybe_cancel(&mut self, near: u64, rng: &mut Rng, encoder: &mut Encoder) {
        if rng.random_bool(self.options.mispredicts) {
            let count = rng.random_range(1..=LONGEST_PATH.min(self.options.max_spec));
            self.wrong_path(count, near, rng, encoder);
            cancel(encoder, count);
            self.depth -= count;
        }
    }

    /// P0 elements that never retire.
    fn wrong_path(&mut self, count: u32, near: u64, rng: &mut Rng, encoder: &mut Encoder) {
        for _ in 0..count {
            encoder.atom(rng.random());
            if rng.random_bool(0.3) {
                encoder.address(address_near(near, rng));
            }
        }
        self.sent(count);
    }
}

fn address_near(near: u64, rng: &mut Rng) -> u64 {
    near & !0xFFF | rng.random_range(0..0x1000) & !3
}

fn commit(encoder: &mut Encoder, count: u32) {
    encoder.fields(Kind::Commit, 0x2D, &[(Part::Field0, count)]);
}

fn cancel(encoder: &mut Encoder, count: u32) {
    encoder.fields(Kind::CancelF1, 0x2E, &[(Part::Field0, count)]);
}
