// SPDX-License-Identifier: MIT OR Apache-2.0
//! The compressors under test, with blocks of 4 KiB.

use coretrace_abi::compressed::encoder::Encoder;
use coretrace_hdl_compress::{
    ADDRESS_W, HistoryCompressorX1, HistoryCompressorX2, INSTRUCTIONS_W, KIND_W, LOST_W,
    RaptorCompressor, StreamCacheCompressor,
};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

/// Address bits of the words of a block.
const BLOCK_A: usize = 9;
/// Bytes of a block.
pub const BLOCK: usize = 8 << BLOCK_A;

/// M4; its FIFO has 512 places.
pub type M4 = RaptorCompressor<9, 8, 5, 9, BLOCK_A>;
/// X1; its FIFO has 1024 places.
pub type X1 = HistoryCompressorX1<10, BLOCK_A>;
/// X2; its FIFO has 1024 places.
pub type X2 = HistoryCompressorX2<10, BLOCK_A>;

/// rBASE; its FIFO has 512 places.
pub type RBase = StreamCacheCompressor<9, BLOCK_A>;

/// The ports of a compressor.
pub struct Ports<'a> {
    pub clock: &'a mut Signal<In, Clock>,
    pub reset: &'a mut Signal<In, Bit>,
    pub trace_id: &'a mut Signal<In, Bits<7>>,
    pub last_place: &'a mut Signal<In, Bits<BLOCK_A>>,
    pub most_cycles: &'a mut Signal<In, Bits<32>>,
    pub flush: &'a mut Signal<In, Bit>,
    pub event_valid: &'a mut Signal<In, Bit>,
    pub begins: &'a mut Signal<In, Bit>,
    pub lost_before: &'a mut Signal<In, Bits<LOST_W>>,
    pub pc: &'a mut Signal<In, Bus<ADDRESS_W>>,
    pub next_pc: &'a mut Signal<In, Bus<ADDRESS_W>>,
    pub kind: &'a mut Signal<In, Bits<KIND_W>>,
    pub taken: &'a mut Signal<In, Bit>,
    pub is_discontinuity: &'a mut Signal<In, Bit>,
    pub instructions: &'a mut Signal<In, Bits<INSTRUCTIONS_W>>,
    pub lost: &'a Signal<Out, Bits<LOST_W>>,
    pub m_axis_tdata: &'a Signal<Out, Bus<64>>,
    pub m_axis_tvalid: &'a Signal<Out, Bit>,
    pub m_axis_tready: &'a mut Signal<In, Bit>,
    pub m_axis_tlast: &'a Signal<Out, Bit>,
}

/// A compressor, whatever its encoder.
pub trait Compressor: Block + Default {
    /// The name of its encoder.
    const NAME: &'static str;
    /// The share of cycles without an event that it needs for any events.
    const GAPS: f64;
    /// The most instructions of an event that is not lost.
    const MOST_INSTRUCTIONS: u32;

    /// Its ports.
    fn ports(&mut self) -> Ports<'_>;

    /// Its encoder.
    fn encoder() -> Encoder {
        Encoder::named(Self::NAME).expect("an encoder")
    }
}

macro_rules! compressor {
    ($compressor:ty, $name:literal, $gaps:literal, $most:expr) => {
        impl Compressor for $compressor {
            const NAME: &'static str = $name;
            const GAPS: f64 = $gaps;
            const MOST_INSTRUCTIONS: u32 = $most;

            fn ports(&mut self) -> Ports<'_> {
                Ports {
                    clock: &mut self.clock,
                    reset: &mut self.reset,
                    trace_id: &mut self.trace_id,
                    last_place: &mut self.last_place,
                    most_cycles: &mut self.most_cycles,
                    flush: &mut self.flush,
                    event_valid: &mut self.event_valid,
                    begins: &mut self.begins,
                    lost_before: &mut self.lost_before,
                    pc: &mut self.pc,
                    next_pc: &mut self.next_pc,
                    kind: &mut self.kind,
                    taken: &mut self.taken,
                    is_discontinuity: &mut self.is_discontinuity,
                    instructions: &mut self.instructions,
                    lost: &self.lost,
                    m_axis_tdata: &self.m_axis_tdata,
                    m_axis_tvalid: &self.m_axis_tvalid,
                    m_axis_tready: &mut self.m_axis_tready,
                    m_axis_tlast: &self.m_axis_tlast,
                }
            }
        }
    };
}

compressor!(M4, "M4", 0.65, u32::MAX);
compressor!(RBase, "rBASE", 0.65, (1 << 14) - 1);
compressor!(X1, "X1", 0.5, u32::MAX);
compressor!(X2, "X2", 0.5, u32::MAX);
