# SPDX-License-Identifier: MIT OR Apache-2.0
# The clock crossings of `etm4_core`, all in the FIFO after the trace port.
# Use: read_xdc -ref etm4_core etm4_core.xdc, after the clocks (PROCESSING_ORDER LATE). The names
# are those inside the core, and `get_ports` are its pins; the * behind `fifo` is the chosen size. `etm4_core_ip.xdc`, made by the export,
# is the same with the names of the packaged IP, whose modules Vivado may rename.
# `check_crossings.tcl` checks in a synthesised design that every constraint has cells and paths.
# Not yet run in Vivado.
#
# Each crossing is a register in front of a synchroniser, whose two registers carry ASYNC_REG in the
# Verilog. All bits of a Gray code arrive within one period of its source clock, and within the
# shorter period of each other, so at most one of them is in transit. A counter's highest bit and
# that of its Gray code are the same register after synthesis, under either name, so the pattern of
# a counter matches both; KEEP would make two registers of it. There is no constraint for the
# memory: block RAM has a clock for each side. If it were made of LUTs, its paths would be timed as
# between any two clocks, and reported.

# Without a clock at a port, the shortest period that the core is meant for.
set trace_clock [get_clocks -quiet -of_objects [get_ports trace_clk]]
set core_clock [get_clocks -quiet -of_objects [get_ports aclk]]
set trace_period [expr {$trace_clock eq {} ? 4.000 : [get_property -min PERIOD $trace_clock]}]
set core_period [expr {$core_clock eq {} ? 3.333 : [get_property -min PERIOD $core_clock]}]
set skew [expr {min($trace_period, $core_period)}]

# Pointer of the writer, to the reader.
set_max_delay -datapath_only \
    -from [get_cells {fifo/*/write_pointer/*/q_reg*}] \
    -to [get_cells {fifo/*/write_pointer_seen/first_reg*}] \
    $trace_period
set_bus_skew \
    -from [get_cells {fifo/*/write_pointer/*/q_reg*}] \
    -to [get_cells {fifo/*/write_pointer_seen/first_reg*}] \
    $skew

# Pointer of the reader, to the writer.
set_max_delay -datapath_only \
    -from [get_cells {fifo/*/read_pointer/*/q_reg*}] \
    -to [get_cells {fifo/*/read_pointer_seen/first_reg*}] \
    $core_period
set_bus_skew \
    -from [get_cells {fifo/*/read_pointer/*/q_reg*}] \
    -to [get_cells {fifo/*/read_pointer_seen/first_reg*}] \
    $skew

# Number of dropped words.
set_max_delay -datapath_only \
    -from [get_cells {fifo/*/drops/*/q_reg*}] \
    -to [get_cells {fifo/*/drops_seen/first_reg*}] \
    $trace_period
set_bus_skew \
    -from [get_cells {fifo/*/drops/*/q_reg*}] \
    -to [get_cells {fifo/*/drops_seen/first_reg*}] \
    $skew

# Clear request and acknowledgement: one bit each, with no limit on the delay.
set_max_delay -datapath_only \
    -from [get_cells {fifo/*/asks/q_reg*}] \
    -to [get_cells {fifo/*/write_reset/first_reg*}] \
    $core_period
set_max_delay -datapath_only \
    -from [get_cells {fifo/*/write_reset/second_reg*}] \
    -to [get_cells {fifo/*/is_cleared/first_reg*}] \
    $trace_period
