//! Exported Verilog in Verilator, Icarus and Yosys: co-simulation and engine.
