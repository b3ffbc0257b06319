# SPDX-License-Identifier: MIT OR Apache-2.0
# Out-of-context constraints for every preset: the clock of a trace port at 1 GB/s.
# Use: read_xdc -mode out_of_context constraints/etm4_ooc.xdc
# `vivado/ooc.tcl` runs other clocks with this text: it replaces the number in the `set` line.
# Not yet run in Vivado.

# Nanoseconds.
set aclk_period 4.000
create_clock -name aclk -period $aclk_period [get_ports aclk]

# The neighbours are assumed to be registered: 30 % of the period is reserved for them. Minimum and
# maximum are equal: hold at the ports is left to the surrounding design.
set_input_delay -clock aclk [expr {0.3 * $aclk_period}] \
    [get_ports -filter {DIRECTION == IN && NAME != aclk}]
set_output_delay -clock aclk [expr {0.3 * $aclk_period}] \
    [get_ports -filter {DIRECTION == OUT}]

# The trace unit does not change while its stream is decoded.
set_false_path -from [get_ports {cfg_*}]
