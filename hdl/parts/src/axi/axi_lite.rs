// SPDX-License-Identifier: MIT OR Apache-2.0
//! `AxiLite`: an AXI4-Lite slave in front, a plain register port behind.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `s_axi_aw...`, `s_axi_w...`, `s_axi_b...` | | write channels, 32 data bits |
//! | `s_axi_ar...`, `s_axi_r...` | | read channels |
//! | `write_strobe` | out | for one cycle: the word at `write_index` is written |
//! | `write_index[I-1:0]`, `write_data[31:0]`, `write_strb[3:0]` | out | which word, what, and which bytes of it |
//! | `write_known` | in | there is a word at `write_index`, in the same cycle |
//! | `read_index[I-1:0]` | out | the word that is read |
//! | `read_data[31:0]`, `read_known` | in | the word and whether there is one, a cycle after its index |
//!
//! Addresses have `A` bits and words of four bytes, so `A` is `I` + 2; the two lowest bits are
//! ignored. An access to an address without a word returns SLVERR, and a read returns zeros; every
//! other access returns OKAY. AWPROT and ARPROT are not needed and left out.
//!
//! One write and one read can be in flight at a time, independently. All outputs to the bus are
//! registers: there is no combinational path from the bus back to it. No READY while `reset` is 1.
//!
//! Latency from address (and data) to response: 2 cycles for a write, 3 for a read.
//! Throughput one write in 3 cycles, one read in 4. Source: Arm IHI 0022, AXI4-Lite.

use rust_hdl::prelude::*;

#[derive(LogicBlock)]
pub struct AxiLite<const A: usize, const I: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axi_awaddr: Signal<In, Bits<A>>,
    pub s_axi_awvalid: Signal<In, Bit>,
    pub s_axi_awready: Signal<Out, Bit>,
    pub s_axi_wdata: Signal<In, Bits<32>>,
    pub s_axi_wstrb: Signal<In, Bits<4>>,
    pub s_axi_wvalid: Signal<In, Bit>,
    pub s_axi_wready: Signal<Out, Bit>,
    pub s_axi_bresp: Signal<Out, Bits<2>>,
    pub s_axi_bvalid: Signal<Out, Bit>,
    pub s_axi_bready: Signal<In, Bit>,
    pub s_axi_araddr: Signal<In, Bits<A>>,
    pub s_axi_arvalid: Signal<In, Bit>,
    pub s_axi_arready: Signal<Out, Bit>,
    pub s_axi_rdata: Signal<Out, Bits<32>>,
    pub s_axi_rresp: Signal<Out, Bits<2>>,
    pub s_axi_rvalid: Signal<Out, Bit>,
    pub s_axi_rready: Signal<In, Bit>,
    pub write_strobe: Signal<Out, Bit>,
    pub write_index: Signal<Out, Bits<I>>,
    pub write_data: Signal<Out, Bits<32>>,
    pub write_strb: Signal<Out, Bits<4>>,
    pub write_known: Signal<In, Bit>,
    pub read_index: Signal<Out, Bits<I>>,
    pub read_data: Signal<In, Bits<32>>,
    pub read_known: Signal<In, Bit>,
    // A write: its address and its data come in any order and stay until the response is taken.
    aw_ready: DFF<Bit>,
    aw_held: DFF<Bit>,
    aw_index: DFF<Bits<I>>,
    w_ready: DFF<Bit>,
    w_held: DFF<Bit>,
    w_data: DFF<Bits<32>>,
    w_strb: DFF<Bits<4>>,
    b_valid: DFF<Bit>,
    b_resp: DFF<Bits<2>>,
    // A read: the index is valid in stage 1, the word in stage 2.
    ar_ready: DFF<Bit>,
    ar_held: DFF<Bit>,
    ar_index: DFF<Bits<I>>,
    read_s1: DFF<Bit>,
    read_s2: DFF<Bit>,
    r_valid: DFF<Bit>,
    r_data: DFF<Bits<32>>,
    r_resp: DFF<Bits<2>>,
    apply: Signal<Local, Bit>,
}

impl<const A: usize, const I: usize> Default for AxiLite<A, I> {
    fn default() -> Self {
        assert_eq!(A, I + 2, "a word has four bytes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axi_awaddr: Default::default(),
            s_axi_awvalid: Default::default(),
            s_axi_awready: Default::default(),
            s_axi_wdata: Default::default(),
            s_axi_wstrb: Default::default(),
            s_axi_wvalid: Default::default(),
            s_axi_wready: Default::default(),
            s_axi_bresp: Default::default(),
            s_axi_bvalid: Default::default(),
            s_axi_bready: Default::default(),
            s_axi_araddr: Default::default(),
            s_axi_arvalid: Default::default(),
            s_axi_arready: Default::default(),
            s_axi_rdata: Default::default(),
            s_axi_rresp: Default::default(),
            s_axi_rvalid: Default::default(),
            s_axi_rready: Default::default(),
            write_strobe: Default::default(),
            write_index: Default::default(),
            write_data: Default::default(),
            write_strb: Default::default(),
            write_known: Default::default(),
            read_index: Default::default(),
            read_data: Default::default(),
            read_known: Default::default(),
            aw_ready: Default::default(),
            aw_held: Default::default(),
            aw_index: Default::default(),
            w_ready: Default::default(),
            w_held: Default::default(),
            w_data: Default::default(),
            w_strb: Default::default(),
            b_valid: Default::default(),
            b_resp: Default::default(),
            ar_ready: Default::default(),
            ar_held: Default::default(),
            ar_index: Default::default(),
            read_s1: Default::default(),
            read_s2: Default::default(),
            r_valid: Default::default(),
            r_data: Default::default(),
            r_resp: Default::default(),
            apply: Default::default(),
        }
    }
}

impl<const A: usize, const I: usize> Logic for AxiLite<A, I> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, aw_ready, aw_held, aw_index, w_ready, w_held, w_data, w_strb
        );
        dff_setup!(self, clock, b_valid, b_resp, ar_ready, ar_held, ar_index);
        dff_setup!(self, clock, read_s1, read_s2, r_valid, r_data, r_resp);

        self.s_axi_awready.next = self.aw_ready.q.val();
        self.s_axi_wready.next = self.w_ready.q.val();
        self.s_axi_bvalid.next = self.b_valid.q.val();
        self.s_axi_bresp.next = self.b_resp.q.val();
        self.s_axi_arready.next = self.ar_ready.q.val();
        self.s_axi_rvalid.next = self.r_valid.q.val();
        self.s_axi_rdata.next = self.r_data.q.val();
        self.s_axi_rresp.next = self.r_resp.q.val();

        // READY has its own register: it is low in reset and still does not depend on VALID.
        self.aw_ready.d.next = !self.aw_held.q.val();
        if self.s_axi_awvalid.val() & self.aw_ready.q.val() {
            self.aw_ready.d.next = false;
            self.aw_held.d.next = true;
            self.aw_index.d.next = self.s_axi_awaddr.val().get_bits::<I>(2);
        }
        self.w_ready.d.next = !self.w_held.q.val();
        if self.s_axi_wvalid.val() & self.w_ready.q.val() {
            self.w_ready.d.next = false;
            self.w_held.d.next = true;
            self.w_data.d.next = self.s_axi_wdata.val();
            self.w_strb.d.next = self.s_axi_wstrb.val();
        }
        self.apply.next = self.aw_held.q.val() & self.w_held.q.val() & !self.b_valid.q.val();
        self.write_strobe.next = self.apply.val();
        self.write_index.next = self.aw_index.q.val();
        self.write_data.next = self.w_data.q.val();
        self.write_strb.next = self.w_strb.q.val();
        if self.apply.val() {
            self.b_valid.d.next = true;
            self.b_resp.d.next = 2.into();
            if self.write_known.val() {
                self.b_resp.d.next = 0.into();
            }
        }
        if self.b_valid.q.val() & self.s_axi_bready.val() {
            self.b_valid.d.next = false;
            self.aw_held.d.next = false;
            self.aw_ready.d.next = true;
            self.w_held.d.next = false;
            self.w_ready.d.next = true;
        }

        self.read_index.next = self.ar_index.q.val();
        self.read_s1.d.next = false;
        self.read_s2.d.next = self.read_s1.q.val();
        self.ar_ready.d.next = !self.ar_held.q.val();
        if self.s_axi_arvalid.val() & self.ar_ready.q.val() {
            self.ar_ready.d.next = false;
            self.ar_held.d.next = true;
            self.ar_index.d.next = self.s_axi_araddr.val().get_bits::<I>(2);
            self.read_s1.d.next = true;
        }
        if self.read_s2.q.val() {
            self.r_valid.d.next = true;
            self.r_data.d.next = 0.into();
            self.r_resp.d.next = 2.into();
            if self.read_known.val() {
                self.r_data.d.next = self.read_data.val();
                self.r_resp.d.next = 0.into();
            }
        }
        if self.r_valid.q.val() & self.s_axi_rready.val() {
            self.r_valid.d.next = false;
            self.ar_held.d.next = false;
            self.ar_ready.d.next = true;
        }

        if self.reset.val() {
            self.aw_ready.d.next = false;
            self.aw_held.d.next = false;
            self.w_ready.d.next = false;
            self.w_held.d.next = false;
            self.b_valid.d.next = false;
            self.ar_ready.d.next = false;
            self.ar_held.d.next = false;
            self.read_s1.d.next = false;
            self.read_s2.d.next = false;
            self.r_valid.d.next = false;
        }
    }
}

crate::axi_slave!([const A: usize, const I: usize] AxiLite<A, I>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axi::master::{AxiMaster, AxiSlave, MasterPins, Response};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    type Uut = AxiLite<6, 4>;

    /// Indices with a word; each reads as its hash.
    fn word(index: u32) -> Option<u32> {
        (index % 3 != 2).then_some((index + 1).wrapping_mul(0x9E37_79B9))
    }

    fn response(index: u32) -> Response {
        match word(index) {
            Some(_) => Response::Okay,
            None => Response::Error,
        }
    }

    /// A slave with the words of [`word`] behind it.
    struct Rig {
        uut: Uut,
        /// Index, data and strobes of each word that was written.
        written: Vec<(u32, u32, u8)>,
    }

    impl Rig {
        fn new() -> Rig {
            let mut uut = Uut::default();
            uut.connect_all();
            uut.clock();
            let written = Vec::new();
            Rig { uut, written }
        }

        /// The answer of the register port for one cycle, then the clock edge of that cycle.
        fn step(&mut self, master: &mut AxiMaster<impl FnMut() -> bool>) {
            self.uut.set(&master.pins());
            let index = self.uut.write_index.val().to_u32();
            self.uut.write_known.next = word(index).is_some();
            if self.uut.write_strobe.val() {
                let data = self.uut.write_data.val().to_u32();
                self.written
                    .push((index, data, self.uut.write_strb.val().to_u8()));
            }
            let read = word(self.uut.read_index.val().to_u32());
            master.observe(self.uut.get());
            self.uut.clock();
            self.uut.read_known.next = read.is_some();
            self.uut.read_data.next = read.unwrap_or(!0).to_bits();
        }
    }

    #[test]
    fn every_transaction_is_answered_once_and_in_order_with_any_pauses() {
        for seed in 0..40 {
            let mut rng = StdRng::seed_from_u64(seed);
            let (mut rig, rate) = (Rig::new(), f64::from(seed as u32 % 5) * 0.2);
            let mut pauses = StdRng::seed_from_u64(seed + 1000);
            let mut master = AxiMaster::new(|| pauses.random_bool(rate));
            let writes: Vec<(u32, u32, u8)> = (0..50)
                .map(|_| {
                    (
                        rng.random_range(0..64),
                        rng.random(),
                        rng.random_range(0..16),
                    )
                })
                .collect();
            let reads: Vec<u32> = (0..50).map(|_| rng.random_range(0..64)).collect();
            for &(at, data, strb) in &writes {
                master.push_write(at, data, strb);
            }
            master.ar.extend(&reads);
            for _ in 0..3000 {
                rig.step(&mut master);
            }
            let in_words = |&(at, data, strb): &(u32, u32, u8)| (at / 4, data, strb);
            let expected: Vec<_> = writes.iter().map(in_words).collect();
            assert_eq!(rig.written, expected, "seed {seed}");
            let expected: Vec<_> = writes.iter().map(|(at, ..)| response(at / 4)).collect();
            assert_eq!(master.b, expected, "seed {seed}");
            let answer = |at: &u32| (response(at / 4), word(at / 4).unwrap_or(0));
            let expected: Vec<_> = reads.iter().map(answer).collect();
            assert_eq!(master.r, expected, "seed {seed}");
        }
    }

    #[test]
    fn a_write_takes_two_cycles_and_a_read_three_and_the_next_one_more() {
        let mut rig = Rig::new();
        let mut master = AxiMaster::new(|| false);
        for at in [0, 4, 8, 12] {
            master.push_write(at, 0, 0xF);
            master.ar.push_back(at);
        }
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for cycle in 0..20 {
            rig.step(&mut master);
            writes.extend(master.b.drain(..).map(|_| cycle));
            reads.extend(master.r.drain(..).map(|_| cycle));
        }
        assert_eq!(writes, [2, 5, 8, 11]);
        assert_eq!(reads, [3, 7, 11, 15]);
    }

    #[test]
    fn reset_drops_transfers_in_flight_and_holds_every_handshake_low() {
        let mut rig = Rig::new();
        let mut master = AxiMaster::new(|| false);
        master.push_write(0, 0, 0xF);
        master.ar.push_back(0);
        for _ in 0..2 {
            rig.step(&mut master);
        }
        rig.uut.reset.next = true;
        let pins = MasterPins {
            aw: Some(0),
            w: Some((0, 0)),
            ar: Some(0),
            ..MasterPins::default()
        };
        for _ in 0..5 {
            rig.uut.set(&pins);
            rig.uut.clock();
            assert_eq!(rig.uut.get(), Default::default());
        }
        rig.uut.reset.next = false;
        rig.uut.set(&MasterPins::default());
        for _ in 0..5 {
            rig.uut.clock();
            assert_eq!((rig.uut.get().b, rig.uut.get().r), (None, None));
        }
    }

    #[test]
    fn it_exports() {
        let text = coretrace_hdl_verilog::verilog(Uut::default(), "axi_lite").unwrap();
        assert!(!text.contains('$'));
    }
}
