// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RegisterBlock`: the registers of a [`RegisterMap`] behind AXI4-Lite.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axi_...` | | AXI4-Lite slave with `A` address bits, see [`AxiLite`] |
//! | `settings[S-1:0]` | out | stored bits of all words |
//! | `pulses[P-1:0]` | out | pulses and events of all words: 1 for one cycle where 1 was written |
//! | `status[Q-1:0]` | in | live and sampled bits and events of all words |
//! | `snapshot` | in | copies the status of all sampled bits in this cycle |
//!
//! The map alone says which words there are and what their bits are; [`RegisterStep`] says how they
//! lie on the buses. `I` is `A` - 2.
//!
//! Latency of a write 1 cycle from the strobe of `AxiLite` to `settings` and `pulses`. Latency,
//! throughput and responses on the bus are those of `AxiLite`. Writes to bits that cannot be written
//! are answered OKAY and change nothing.

use super::register_map::RegisterMap;
use super::{AxiLite, RegisterStep};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Registers behind AXI4-Lite; see the module text.
#[derive(LogicBlock, Default)]
pub struct RegisterBlock<
    M: RegisterMap,
    const A: usize,
    const I: usize,
    const S: usize,
    const P: usize,
    const Q: usize,
> {
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
    pub settings: Signal<Out, Bus<S>>,
    pub pulses: Signal<Out, Bus<P>>,
    pub status: Signal<In, Bus<Q>>,
    pub snapshot: Signal<In, Bit>,
    bus: AxiLite<A, I>,
    step: RegisterStep<M, I, S, P, Q>,
    stored: DFF<Bus<S>>,
    sampled: DFF<Bus<Q>>,
    pulsed: DFF<Bus<P>>,
    read_data: DFF<Bits<32>>,
    read_known: DFF<Bit>,
}

impl<M: RegisterMap, const A: usize, const I: usize, const S: usize, const P: usize, const Q: usize>
    Logic for RegisterBlock<M, A, I, S, P, Q>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, sampled, pulsed, read_data, read_known);
        clock!(self, clock, bus);
        self.bus.reset.next = self.reset.val();
        self.bus.s_axi_awaddr.next = self.s_axi_awaddr.val();
        self.bus.s_axi_awvalid.next = self.s_axi_awvalid.val();
        self.s_axi_awready.next = self.bus.s_axi_awready.val();
        self.bus.s_axi_wdata.next = self.s_axi_wdata.val();
        self.bus.s_axi_wstrb.next = self.s_axi_wstrb.val();
        self.bus.s_axi_wvalid.next = self.s_axi_wvalid.val();
        self.s_axi_wready.next = self.bus.s_axi_wready.val();
        self.s_axi_bresp.next = self.bus.s_axi_bresp.val();
        self.s_axi_bvalid.next = self.bus.s_axi_bvalid.val();
        self.bus.s_axi_bready.next = self.s_axi_bready.val();
        self.bus.s_axi_araddr.next = self.s_axi_araddr.val();
        self.bus.s_axi_arvalid.next = self.s_axi_arvalid.val();
        self.s_axi_arready.next = self.bus.s_axi_arready.val();
        self.s_axi_rdata.next = self.bus.s_axi_rdata.val();
        self.s_axi_rresp.next = self.bus.s_axi_rresp.val();
        self.s_axi_rvalid.next = self.bus.s_axi_rvalid.val();
        self.bus.s_axi_rready.next = self.s_axi_rready.val();

        self.step.reset.next = self.reset.val();
        self.step.write_strobe.next = self.bus.write_strobe.val();
        self.step.write_index.next = self.bus.write_index.val();
        self.step.write_data.next = self.bus.write_data.val();
        self.step.write_strb.next = self.bus.write_strb.val();
        self.bus.write_known.next = self.step.write_known.val();
        self.step.read_index.next = self.bus.read_index.val();
        self.read_data.d.next = self.step.read_data.val();
        self.read_known.d.next = self.step.read_known.val();
        self.bus.read_data.next = self.read_data.q.val();
        self.bus.read_known.next = self.read_known.q.val();

        self.step.snapshot.next = self.snapshot.val();
        self.step.status.next = self.status.val();
        self.step.stored.next = self.stored.q.val();
        self.step.sampled.next = self.sampled.q.val();
        self.stored.d.next = self.step.stored_next.val();
        self.sampled.d.next = self.step.sampled_next.val();
        self.pulsed.d.next = self.step.pulses_next.val();
        self.settings.next = self.stored.q.val();
        self.pulses.next = self.pulsed.q.val();
    }
}

crate::axi_slave!(
    [M: RegisterMap, const A: usize, const I: usize, const S: usize, const P: usize, const Q: usize]
    RegisterBlock<M, A, I, S, P, Q>
);
