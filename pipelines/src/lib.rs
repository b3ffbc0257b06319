//! Complete decoders by name: presets, simulation engines and Verilog export.
