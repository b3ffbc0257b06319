# SPDX-License-Identifier: MIT OR Apache-2.0
# The least version of Vivado that the scripts of an exported core are written for. Plain Tcl 8.5.

namespace eval etm4 {
    # It has the files of all boards of block_design.tcl. 2025.2 has inline HDL in place of two IPs.
    variable least_vivado 2021.1
}

# Ends with an error in an older Vivado.
proc etm4::need_vivado {} {
    variable least_vivado
    set found [version -short]
    if {![regexp {^\d+(\.\d+)*} $found number] || [package vcompare $number $least_vivado] < 0} {
        error "this is Vivado $found, and the script needs $least_vivado or newer"
    }
}
