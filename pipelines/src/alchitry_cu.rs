// SPDX-License-Identifier: MIT OR Apache-2.0
//! `alchitry_cu`: a probe for trace ports of 4 bits on the Alchitry Cu board (iCE40HX8K), see
//! [`TraceProbe`] and `docs/alchitry.md`.
//!
//! | port | pin | meaning |
//! |---|---|---|
//! | `clock` | P7 | the board's clock, 100 MHz; everything but the trace port runs at half of it |
//! | `traceclk` | G1: A8 of bank A | TRACECLK, at a pin that leads to a global clock |
//! | `tracedata[3:0]` | G3, E1, D1, C1: A9, A11, A12, A14 of bank A | TRACEDATA |
//! | `usb_rx` | P14 | from the host, 2 Mbaud: `1` begins a new stream, `0` ends it |
//! | `usb_tx` | M9 | to the host, 2 Mbaud: the record stream |
//! | `leds[7:0]` | J11 to N14 | see the fields `sts_*` of the probe, in their order |

use crate::trace_probe::{ProbeSource, TraceProbe};
use coretrace_etm::{Protocol, Registers};
use rust_hdl::prelude::*;
use rust_hdl_bsp_alchitry_cu::pins;

/// Address bits of the memory behind the trace port.
const PORT_A: usize = 10;
/// Address bits of the memory before the serial line.
const RECORD_A: usize = 10;

/// MHz of the board's clock.
pub const BOARD_MHZ: u32 = 100;
/// MHz of the clock that everything behind the trace port runs at.
pub const CLOCK_MHZ: u32 = BOARD_MHZ / 2;
/// MHz of TRACECLK, at most. A trace port changes its data at both edges.
pub const TRACECLK_MHZ: u32 = 75;
/// Cycles of the clock in a bit of the serial line, for 2 Mbaud.
pub const CYCLES_PER_BIT: u16 = 25;

/// The nets of the clocks in the exported text, and the MHz that they must reach.
pub const CLOCKS: [(&str, u32); 3] = [
    ("clock", BOARD_MHZ),
    ("half__q", CLOCK_MHZ),
    ("traceclk", TRACECLK_MHZ),
];

/// A Cortex-M33 with an ETM-M33, as trace ID 1.
pub const CORTEX_M33: ProbeSource = ProbeSource {
    trace_id: 1,
    protocol: Protocol::Etm4,
    v8m: true,
    registers: Registers {
        trcconfigr: 0x1,
        trcidr0: 0x0800_0EA1,
        trcidr1: 0x4100_F423,
        trcidr2: 0x4,
        ..Registers::ZERO
    },
};

/// The board; see the module text.
#[derive(LogicBlock)]
pub struct AlchitryCu {
    pub clock: Signal<In, Clock>,
    pub traceclk: Signal<In, Clock>,
    pub tracedata: Signal<In, Bits<4>>,
    pub usb_rx: Signal<In, Bit>,
    pub usb_tx: Signal<Out, Bit>,
    pub leds: Signal<Out, Bits<8>>,
    half: DFF<Bit>,
    half_clock: Signal<Local, Clock>,
    probe: TraceProbe<PORT_A, RECORD_A>,
}

impl Default for AlchitryCu {
    fn default() -> AlchitryCu {
        AlchitryCu::with_source(CORTEX_M33, CYCLES_PER_BIT)
    }
}

impl AlchitryCu {
    /// A probe for this source, with so many cycles of the clock in a bit of the serial line.
    pub fn with_source(source: ProbeSource, cycles_per_bit: u16) -> AlchitryCu {
        let pad = |pin: &str| pins::map_alchitry_pin_to_cu_pad(pin).to_owned();
        let mut traceclk = Signal::<In, Clock>::default();
        traceclk.add_location(0, &pad("A8"));
        let mut tracedata = Signal::<In, Bits<4>>::default();
        for (bit, pin) in ["A9", "A11", "A12", "A14"].into_iter().enumerate() {
            tracedata.add_location(bit, &pad(pin));
        }
        let mut usb_rx = Signal::<In, Bit>::default();
        usb_rx.add_location(0, "P14");
        let mut usb_tx = Signal::<Out, Bit>::default();
        usb_tx.add_location(0, "M9");
        AlchitryCu {
            clock: pins::clock(),
            traceclk,
            tracedata,
            usb_rx,
            usb_tx,
            leds: pins::leds(),
            half: Default::default(),
            half_clock: Default::default(),
            probe: TraceProbe::new(source, cycles_per_bit),
        }
    }
}

impl Logic for AlchitryCu {
    #[hdl_gen]
    fn update(&mut self) {
        self.half.clock.next = self.clock.val();
        self.half.d.next = !self.half.q.val();
        self.half_clock.next = self.half.q.val().into();
        self.probe.clock.next = self.half_clock.val();
        self.probe.trace_clock.next = self.traceclk.val();
        self.probe.trace_data.next = self.tracedata.val();
        self.probe.rx.next = self.usb_rx.val();
        self.usb_tx.next = self.probe.tx.val();
        self.leds.next = bits::<8>(0)
            .replace_bit(0, self.probe.sts_trace_clock.val())
            .replace_bit(1, self.probe.sts_running.val())
            .replace_bit(2, self.probe.sts_synced.val())
            .replace_bit(3, self.probe.sts_aligned.val())
            .replace_bit(4, self.probe.sts_active.val())
            .replace_bit(5, self.probe.sts_waiting.val())
            .replace_bit(6, self.probe.sts_lost.val())
            .replace_bit(7, self.probe.sts_error.val());
    }
}
