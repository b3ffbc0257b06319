# SPDX-License-Identifier: MIT OR Apache-2.0
# Clocks of `etm4_core` when it is synthesised out of context: `aclk` has 300 MHz.
# `trace_clk`, that of the trace port, has 250 MHz.
# A complete design defines its clocks itself.
# Not yet run in Vivado.
create_clock -name aclk -period 3.333 [get_ports aclk]
create_clock -name trace_clk -period 4.000 [get_ports trace_clk]
