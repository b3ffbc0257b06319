# SPDX-License-Identifier: MIT OR Apache-2.0
# Checks that every clock crossing of every core in an open design has its constraint.
#
#   open_run synth_1
#   source target/export/etm4_core/check_crossings.tcl
#   etm4::crossings::check
#
# The design is synthesised or routed. The crossings are those of `etm4_core.xdc` in the folder of
# this file. An error names the constraint that has no cells, no paths or no effect, which Vivado
# itself reports in warnings only. Not yet run in Vivado; tested with tclsh and stubs of the
# commands. Plain Tcl 8.5.

namespace eval etm4::crossings {
    variable folder [file dirname [file normalize [info script]]]
}

# The crossings of the constraints -> list of two patterns each, of cells inside the core.
proc etm4::crossings::patterns {} {
    variable folder
    set file [open [file join $folder etm4_core.xdc]]
    set text [read $file]
    close $file
    set found {}
    set call {set_max_delay -datapath_only[\s\\]+-from \[get_cells \{([^\}]+)\}\][\s\\]+-to \[get_cells \{([^\}]+)\}}
    foreach {- from to} [regexp -all -inline $call $text] {
        lappend found [list $from $to]
    }
    if {[llength $found] == 0} {
        error "etm4_core.xdc has no constraints"
    }
    return $found
}

# The cores of the design, also those that synthesis has renamed.
proc etm4::crossings::cores {} {
    set is_core {ORIG_REF_NAME == etm4_core || REF_NAME == etm4_core}
    set cores [get_cells -quiet -hierarchical -filter $is_core]
    if {[llength $cores] == 0} {
        error "the design has no cell of etm4_core"
    }
    return $cores
}

# The cells of one end of a crossing.
proc etm4::crossings::cells {core pattern} {
    set cells [get_cells -quiet $core/$pattern]
    if {[llength $cells] == 0} {
        error "$core: no cell is $pattern, so its constraint covers nothing"
    }
    return $cells
}

proc etm4::crossings::check_one {core from to} {
    set path [get_timing_paths -quiet -max_paths 1 \
        -from [cells $core $from] -to [cells $core $to]]
    if {[llength $path] == 0} {
        error "$core: there is no path from $from to $to"
    }
    set exception [get_property EXCEPTION $path]
    if {![regexp -nocase {max *delay.*datapath_only} $exception]} {
        error "$core: set_max_delay from $from to $to has no effect: the path has `$exception`"
    }
}

proc etm4::crossings::check {} {
    set patterns [patterns]
    set cores [cores]
    foreach core $cores {
        foreach pin {aclk trace_clk} {
            if {[llength [get_clocks -quiet -of_objects [get_pins $core/$pin]]] == 0} {
                error "$core: there is no clock at $pin"
            }
        }
        foreach pair $patterns {
            check_one $core [lindex $pair 0] [lindex $pair 1]
        }
    }
    puts "CROSSINGS [llength $patterns] of each of [llength $cores] cores have their constraints"
}
