# SPDX-License-Identifier: MIT OR Apache-2.0
# Out-of-context constraints for every preset: the clock of a trace port at 1 GB/s.
# Use: read_xdc -mode out_of_context constraints/etm4_ooc.xdc
# Not yet run in Vivado.

create_clock -name aclk -period 4.000 [get_ports aclk]

# The neighbours are taken to be registered: they have 30 % of the period for themselves.
set_input_delay -clock aclk 1.200 [get_ports {aresetn s_axis_tdata s_axis_tvalid}]

# The trace unit does not change while its stream is decoded.
set_false_path -from [get_ports {cfg_*}]
