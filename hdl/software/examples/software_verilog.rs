// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of a decoder of software trace.
//!
//! `cargo run -p coretrace-hdl-software --example software_verilog -- stp_x4` prints it; the names are stp_byte,
//! stp_x4, itm_byte and itm_x4. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::StpDecoder;
use coretrace_hdl_software::stp::x4::StpX4;
use coretrace_hdl_verilog::verilog;

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "stp_byte" => verilog(StpDecoder::<2, 1>::default(), &name),
        "stp_x4" => verilog(StpX4::<4, 1>::default(), &name),
        "itm_byte" => verilog(ItmDecoder::<1, 1>::default(), &name),
        "itm_x4" => verilog(ItmX4::<4, 1>::default(), &name),
        _ => return Err("there are stp_byte, stp_x4, itm_byte and itm_x4".to_owned()),
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
