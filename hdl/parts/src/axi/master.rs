// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AXI4-Lite master for simulation: requests go into queues, responses come from other queues,
//! and a source of pauses decides which channels wait.
//!
//! The master keeps the rules of the bus (a VALID stays until READY, with the same payload) and
//! panics when the slave breaks them.

#[doc(hidden)]
pub use coretrace_hdl_dataflow::sim::cycle;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Cycles without a response after which the slave is considered hung.
const PATIENCE: usize = 1000;

/// The signals that a master drives in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MasterPins {
    /// AWADDR, if AWVALID.
    pub aw: Option<u32>,
    /// WDATA and WSTRB, if WVALID.
    pub w: Option<(u32, u8)>,
    /// BREADY.
    pub b_ready: bool,
    /// ARADDR, if ARVALID.
    pub ar: Option<u32>,
    /// RREADY.
    pub r_ready: bool,
}

/// The signals that a slave drives in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SlavePins {
    /// AWREADY.
    pub aw_ready: bool,
    /// WREADY.
    pub w_ready: bool,
    /// The response, if BVALID.
    pub b: Option<Response>,
    /// ARREADY.
    pub ar_ready: bool,
    /// The response and RDATA, if RVALID.
    pub r: Option<(Response, u32)>,
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// OKAY.
    Okay,
    /// SLVERR, or any other code that is not OKAY.
    Error,
}

impl Response {
    /// The meaning of BRESP or RRESP.
    pub fn of(code: Bits<2>) -> Response {
        if code == 0 {
            Response::Okay
        } else {
            Response::Error
        }
    }
}

/// A block with an AXI4-Lite slave port.
pub trait AxiSlave: Block {
    /// Sets the inputs from the bus.
    fn set(&mut self, pins: &MasterPins);
    /// The outputs to the bus.
    fn get(&self) -> SlavePins;
    /// One clock cycle.
    fn clock(&mut self);
}

/// Makes [`AxiSlave`] of a block with the ports `s_axi_...` of [`AxiLite`](crate::axi::AxiLite);
/// its generic parameters, if any, come first in brackets; last comes how its clock is set, if it
/// is not `clock`.
#[macro_export]
macro_rules! axi_slave {
    ([$($generic:tt)*] $block:ty, $set_clock:expr) => {
        impl<$($generic)*> $crate::axi::master::AxiSlave for $block {
            fn set(&mut self, pins: &$crate::axi::master::MasterPins) {
                let (data, strb) = pins.w.unwrap_or((0xDEAD_BEEF, 0xF));
                self.s_axi_awvalid.next = pins.aw.is_some();
                self.s_axi_awaddr.next = pins.aw.unwrap_or(0).to_bits();
                self.s_axi_wvalid.next = pins.w.is_some();
                self.s_axi_wdata.next = data.to_bits();
                self.s_axi_wstrb.next = strb.to_bits();
                self.s_axi_bready.next = pins.b_ready;
                self.s_axi_arvalid.next = pins.ar.is_some();
                self.s_axi_araddr.next = pins.ar.unwrap_or(0).to_bits();
                self.s_axi_rready.next = pins.r_ready;
            }

            fn get(&self) -> $crate::axi::master::SlavePins {
                use $crate::axi::master::Response;
                let b = || Response::of(self.s_axi_bresp.val());
                let r = || {
                    let data = self.s_axi_rdata.val().to_u32();
                    (Response::of(self.s_axi_rresp.val()), data)
                };
                $crate::axi::master::SlavePins {
                    aw_ready: self.s_axi_awready.val(),
                    w_ready: self.s_axi_wready.val(),
                    b: self.s_axi_bvalid.val().then(b),
                    ar_ready: self.s_axi_arready.val(),
                    r: self.s_axi_rvalid.val().then(r),
                }
            }

            fn clock(&mut self) {
                $crate::axi::master::cycle(self, $set_clock);
            }
        }
    };
    ([$($generic:tt)*] $block:ty) => {
        $crate::axi_slave!([$($generic)*] $block, |uut: &mut Self, clock| uut.clock.next = clock);
    };
    ($block:ty, $set_clock:expr) => {
        $crate::axi_slave!([] $block, $set_clock);
    };
    ($block:ty) => {
        $crate::axi_slave!([] $block);
    };
}

/// A master and its queues.
pub struct AxiMaster<F> {
    /// Whether a channel pauses; asked once for each free channel and READY in each cycle.
    pause: F,
    /// Addresses to be written to.
    pub aw: VecDeque<u32>,
    /// Data and strobes to be written.
    pub w: VecDeque<(u32, u8)>,
    /// Responses to writes.
    pub b: VecDeque<Response>,
    /// Addresses to be read.
    pub ar: VecDeque<u32>,
    /// Responses to reads, with the data.
    pub r: VecDeque<(Response, u32)>,
    pins: MasterPins,
    /// What the slave offered in the last cycle and the master did not accept.
    waiting: SlavePins,
}

impl<F: FnMut() -> bool> AxiMaster<F> {
    /// A master with nothing to do.
    pub fn new(pause: F) -> AxiMaster<F> {
        AxiMaster {
            pause,
            aw: VecDeque::new(),
            w: VecDeque::new(),
            b: VecDeque::new(),
            ar: VecDeque::new(),
            r: VecDeque::new(),
            pins: MasterPins::default(),
            waiting: SlavePins::default(),
        }
    }

    /// Puts a write into the queues.
    pub fn push_write(&mut self, address: u32, data: u32, strb: u8) {
        self.aw.push_back(address);
        self.w.push_back((data, strb));
    }

    /// The signals to drive in this cycle.
    pub fn pins(&mut self) -> MasterPins {
        if self.pins.aw.is_none() && !(self.pause)() {
            self.pins.aw = self.aw.pop_front();
        }
        if self.pins.w.is_none() && !(self.pause)() {
            self.pins.w = self.w.pop_front();
        }
        if self.pins.ar.is_none() && !(self.pause)() {
            self.pins.ar = self.ar.pop_front();
        }
        self.pins.b_ready = !(self.pause)();
        self.pins.r_ready = !(self.pause)();
        self.pins
    }

    /// Samples what the slave drives before the clock edge of this cycle.
    ///
    /// # Panics
    /// If the slave withdrew a response before it was accepted.
    pub fn observe(&mut self, slave: SlavePins) {
        let kept = self.waiting.b.is_none() || self.waiting.b == slave.b;
        assert!(kept, "BVALID or BRESP changes before BREADY");
        let kept = self.waiting.r.is_none() || self.waiting.r == slave.r;
        assert!(kept, "RVALID, RDATA or RRESP changes before RREADY");
        self.waiting = slave;
        if slave.aw_ready {
            self.pins.aw = None;
        }
        if slave.w_ready {
            self.pins.w = None;
        }
        if slave.ar_ready {
            self.pins.ar = None;
        }
        if self.pins.b_ready {
            self.b.extend(self.waiting.b.take());
        }
        if self.pins.r_ready {
            self.r.extend(self.waiting.r.take());
        }
    }

    /// One clock cycle of a slave.
    ///
    /// # Panics
    /// As [`observe`](Self::observe).
    pub fn step(&mut self, slave: &mut impl AxiSlave) {
        slave.set(&self.pins());
        self.observe(slave.get());
        slave.clock();
    }

    /// Writes and waits for the response.
    ///
    /// # Panics
    /// If none comes.
    pub fn write(&mut self, slave: &mut impl AxiSlave, at: u32, data: u32, strb: u8) -> Response {
        self.push_write(at, data, strb);
        for _ in 0..PATIENCE {
            if let Some(response) = self.b.pop_front() {
                return response;
            }
            self.step(slave);
        }
        panic!("no response to a write to {at:#x}")
    }

    /// Reads and waits for the response.
    ///
    /// # Panics
    /// If none comes.
    pub fn read(&mut self, slave: &mut impl AxiSlave, at: u32) -> (Response, u32) {
        self.ar.push_back(at);
        for _ in 0..PATIENCE {
            if let Some(response) = self.r.pop_front() {
                return response;
            }
            self.step(slave);
        }
        panic!("no response to a read of {at:#x}")
    }
}
