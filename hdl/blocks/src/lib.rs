//! rust-hdl blocks of the ETMv4 decoder, their simulation and their Verilog export.

pub mod sim;
