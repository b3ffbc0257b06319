// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of a compressor or an encoder.
//!
//! `cargo run -p coretrace-hdl-compress --example verilog -- x2` prints it; the names are m4, m4_encoder, rbase,
//! rbase_encoder, x1, x1_encoder, x2, x2_encoder, xe_encoder and retirement_port. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_compress::{
    ElementEncoder, HistoryCompressorX1, HistoryCompressorX2, HistoryEncoderX1, HistoryEncoderX2,
    RaptorCompressor, RaptorEncoder, RetirementPort, StreamCacheCompressor, StreamCacheEncoder,
};
use coretrace_hdl_verilog::verilog;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "m4" => verilog(RaptorCompressor::<9, 8, 5, 9, 11>::default(), &name),
        "m4_encoder" => verilog(RaptorEncoder::<9, 8, 5>::default(), &name),
        "rbase" => verilog(StreamCacheCompressor::<9, 11>::default(), &name),
        "rbase_encoder" => verilog(StreamCacheEncoder::default(), &name),
        "x1" => verilog(HistoryCompressorX1::<9, 11>::default(), &name),
        "x1_encoder" => verilog(HistoryEncoderX1::default(), &name),
        "x2" => verilog(HistoryCompressorX2::<9, 11>::default(), &name),
        "x2_encoder" => verilog(HistoryEncoderX2::default(), &name),
        "xe_encoder" => verilog(ElementEncoder::default(), &name),
        "retirement_port" => verilog(RetirementPort::default(), &name),
        _ => {
            let names = "m4, m4_encoder, rbase, rbase_encoder, x1, x1_encoder, x2, x2_encoder, xe_encoder and retirement_port";
            return Err(format!("there are {names}"));
        }
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
