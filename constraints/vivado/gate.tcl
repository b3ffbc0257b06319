# SPDX-License-Identifier: MIT OR Apache-2.0
# The gate: reads Vivado's reports and lists the reasons why a run did not close.
#
# Every procedure takes text or values and returns values; none calls Vivado, so tclsh can test
# them. A report of another format is the error `not understood`, never a pass.
# Plain Tcl 8.5. The formats are those of published reports of Vivado 2020 to 2023; not yet run in
# Vivado.

namespace eval etm4::gate {
    # The columns of the design's timing summary: as Vivado prints them, and the names used here.
    variable printed {
        WNS(ns) TNS(ns) TNS Failing Endpoints TNS Total Endpoints
        WHS(ns) THS(ns) THS Failing Endpoints THS Total Endpoints
        WPWS(ns) TPWS(ns) TPWS Failing Endpoints TPWS Total Endpoints
    }
    variable columns {
        wns_ns tns_ns setup_failing setup_total
        whs_ns ths_ns hold_failing hold_total
        wpws_ns tpws_ns pulse_width_failing pulse_width_total
    }
    # The paths found by these checks have no slack, so no slack figure covers them.
    variable complete {
        no_clock unconstrained_internal_endpoints no_input_delay no_output_delay loops latch_loops
    }
    variable harmless {Advisory Warning}
    variable critical {{Critical Warning} Error Fatal}
}

proc etm4::gate::not_understood {what} {
    error "not understood: $what"
}

# report_timing_summary -> dict of `columns`. The design's own table is the one without a column
# for a clock's name, and the row of numbers is two lines below its head.
proc etm4::gate::timing {text} {
    variable printed
    variable columns
    set lines {}
    foreach line [split $text \n] {
        lappend lines [join [regexp -all -inline {\S+} $line]]
    }
    set head [lsearch -exact $lines [join $printed]]
    if {$head < 0} {
        not_understood "no table with the columns [join $printed]"
    }
    set numbers [split [lindex $lines [expr {$head + 2}]]]
    set timing {}
    foreach name $columns number $numbers {
        set shape [expr {[string match *_ns $name] ? {^-?\d+\.\d+$} : {^\d+$}}]
        if {$name eq "" || ![regexp $shape $number]} {
            not_understood "the row `$numbers` of the timing summary"
        }
        dict set timing $name $number
    }
    return $timing
}

# check_timing -> dict of the counts of `complete`.
proc etm4::gate::checks {text} {
    variable complete
    set counts {}
    foreach {- name count} [regexp -all -inline {checking (\w+) \((\d+)\)} $text] {
        dict set counts $name $count
    }
    set checks {}
    foreach name $complete {
        if {![dict exists $counts $name]} {
            not_understood "no count of $name in the timing checks"
        }
        dict set checks $name [dict get $counts $name]
    }
    return $checks
}

# report_route_status -> number of nets with routing errors.
proc etm4::gate::route_errors {text} {
    if {![regexp {# of nets with routing errors\.* *: *(\d+) *:} $text - count]} {
        not_understood "no count of nets with routing errors"
    }
    return $count
}

# report_utilization (not -hierarchical) -> dict of lut, ff and bram; bram in tiles of 36 Kb.
proc etm4::gate::utilization {text} {
    set used {}
    foreach {name row number} {
        lut {CLB LUTs} {\d+} ff {CLB Registers} {\d+} bram {Block RAM Tile} {\d+(?:\.\d+)?}
    } {
        if {![regexp -line "^\\| *$row\\*? *\\| *($number) *\\|" $text - count]} {
            not_understood "no row `$row` in the utilization"
        }
        dict set used $name $count
    }
    return $used
}

# report_methodology -> list of dicts rule, severity, description, count: a row of the summary each.
# The rows must add up to the number in the report, so none is overlooked.
proc etm4::gate::methodology {text} {
    variable harmless
    variable critical
    if {![regexp {(?:Violations|Checks) found: *(\d+)} $text - found]} {
        not_understood "no number of methodology violations"
    }
    set rows {}
    set sum 0
    foreach line [split $text \n] {
        set cells {}
        foreach cell [split [string trim $line] |] {
            lappend cells [string trim $cell]
        }
        if {[llength $cells] != 6 || ![string is digit -strict [lindex $cells 4]]} {
            continue
        }
        foreach {- rule severity description count} $cells break
        if {$severity ni $harmless && $severity ni $critical} {
            not_understood "the severity `$severity` of $rule"
        }
        lappend rows [dict create \
            rule $rule severity $severity description $description count $count]
        incr sum $count
    }
    if {$sum != $found} {
        not_understood "$sum methodology violations in the table, $found by number"
    }
    return $rows
}

# The reasons why a run did not close; an empty list if it did. `run` is a dict of what the
# procedures above return, by their names; `explained` has the accepted critical methodology rules,
# each with its explanation.
proc etm4::gate::reasons {run explained} {
    variable critical
    set reasons {}
    set timing [dict get $run timing]
    foreach {kind slack} {setup wns_ns hold whs_ns pulse_width wpws_ns} {
        set slack [dict get $timing $slack]
        set failing [dict get $timing ${kind}_failing]
        if {[dict get $timing ${kind}_total] == 0} {
            lappend reasons "$kind: nothing was timed"
        } elseif {$slack < 0 || $failing > 0} {
            lappend reasons "$kind: worst slack $slack ns, $failing endpoints fail"
        }
    }
    dict for {check count} [dict get $run checks] {
        if {$count > 0} {
            lappend reasons "timing check $check: $count"
        }
    }
    if {[dict get $run route_errors] > 0} {
        lappend reasons "nets with routing errors: [dict get $run route_errors]"
    }
    foreach row [dict get $run methodology] {
        dict with row {
            if {$severity in $critical && ![dict exists $explained $rule]} {
                lappend reasons "methodology $rule ($severity): $description, $count times"
            }
        }
    }
    return $reasons
}
