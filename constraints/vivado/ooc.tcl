# SPDX-License-Identifier: MIT OR Apache-2.0
# Synthesises and routes a preset out of context at each of several clock periods, and reports
# whether each closes.
#
#   cargo export etm4_x4
#   vivado -mode batch -source constraints/vivado/ooc.tcl -tclargs etm4_x4 target/export/etm4_x4
#
# Options after the folder of the export: `-periods 4.000,2.000` (nanoseconds) and `-part PART`;
# these periods and an xczu5ev are the defaults.
#
# Every period has its own folder in the export, `vivado/4.000ns`, with the constraints, the reports
# as text, the routed checkpoint and `result.json`. A line that starts with RESULT summarises it. A
# failed period does not stop the next one.
#
# Exit code: 0 if every period closed, 1 if one did not, 2 if the call was wrong. `gate.tcl` defines
# closed: no slack below zero (setup, hold, pulse width), no path without a slack, no unrouted net,
# no critical methodology message without an explanation.
#
# Limits: out of context the clock has no buffer and no routing, so skew and hold are those of an
# ideal clock; only the complete design can decide both.
# Not yet run in Vivado; tested with tclsh and stubs of the commands. Plain Tcl 8.5.

namespace eval etm4::ooc {
    variable folder [file dirname [file normalize [info script]]]
    variable usage "usage: vivado -mode batch -source constraints/vivado/ooc.tcl -tclargs\
        PRESET FOLDER ?-periods 4.000,2.000? ?-part xczu5ev-sfvc784-2-i?\n\
        FOLDER is what `cargo export PRESET` wrote: target/export/PRESET"

    # Accepted critical methodology rules, each with its explanation. None yet: there has been no
    # run.
    variable explained {}
}
source [file join $etm4::ooc::folder gate.tcl]
source [file join $etm4::ooc::folder result.tcl]

proc etm4::ooc::read_text {path} {
    set file [open $path]
    set text [read $file]
    close $file
    return $text
}

proc etm4::ooc::write_text {path text} {
    set file [open $path w]
    puts -nonewline $file $text
    close $file
}

# The call -> dict of preset, folder, periods and part. Errors explain what is wrong.
proc etm4::ooc::arguments {argv} {
    set run [dict create -periods {4.000 2.000} -part xczu5ev-sfvc784-2-i]
    set places {}
    while {[llength $argv] > 0} {
        set word [lindex $argv 0]
        set argv [lrange $argv 1 end]
        if {![string match -* $word]} {
            lappend places $word
        } elseif {![dict exists $run $word]} {
            error "there is no flag $word"
        } elseif {[llength $argv] == 0} {
            error "$word has no value"
        } else {
            dict set run $word [lindex $argv 0]
            set argv [lrange $argv 1 end]
        }
    }
    if {[llength $places] != 2} {
        error "PRESET and FOLDER are two words, not [llength $places]"
    }
    foreach {preset folder} $places break
    foreach name [list $preset.v files.f manifest.json] {
        if {![file isfile [file join $folder $name]]} {
            error "there is no [file join $folder $name]"
        }
    }
    set periods [regexp -all -inline {[^\s,]+} [dict get $run -periods]]
    foreach period $periods {
        if {![regexp {^(0|[1-9]\d*)(\.\d+)?$} $period] || $period <= 0} {
            error "`$period` is not a period in nanoseconds"
        }
    }
    if {[llength $periods] == 0} {
        error "-periods names none"
    }
    return [dict create \
        preset $preset folder $folder periods $periods part [dict get $run -part]]
}

# The version of the export and the digest of its Verilog, from the manifest.
proc etm4::ooc::manifest {preset folder} {
    set text [read_text [file join $folder manifest.json]]
    set digest "\"name\": \"$preset.v\",\\s*\"sha256\": \"(\[0-9a-f\]{64})\""
    if {![regexp $digest $text - sha256] || ![regexp {"version": "([^"]+)"} $text - version]} {
        error "[file join $folder manifest.json] has no version, or no digest of $preset.v"
    }
    return [dict create version $version verilog_sha256 $sha256]
}

# The constraint file with another period.
proc etm4::ooc::constraints {text period} {
    set count [regsub -all -line {^set aclk_period \S+$} $text "set aclk_period $period" out]
    if {$count != 1} {
        error "the constraints set the period $count times, not once"
    }
    return $out
}

# From sources to a routed design, which stays open.
proc etm4::ooc::implement {run period out} {
    variable folder
    set top [dict get $run preset]
    set part [dict get $run part]
    create_project -in_memory -part $part
    foreach name [split [string trim [read_text [file join [dict get $run folder] files.f]]] \n] {
        read_verilog [file join [dict get $run folder] $name]
    }
    set xdc [file join $out constraints.xdc]
    set shared [file join [file dirname $folder] etm4_ooc.xdc]
    write_text $xdc [constraints [read_text $shared] $period]
    read_xdc -mode out_of_context $xdc
    synth_design -top $top -part $part -mode out_of_context -flatten_hierarchy rebuilt
    opt_design -directive Explore
    place_design -directive Explore
    phys_opt_design -directive Explore
    route_design -directive Explore
    phys_opt_design -directive Explore
    write_checkpoint -force [file join $out routed.dcp]
}

# The reports that the gate reads, then those for people. One of the latter may be missing, as not
# every release has every flag; its name is returned. The summary of the timing repeats that of
# the methodology, so it comes after it.
proc etm4::ooc::report {out} {
    report_methodology -file $out/methodology.rpt
    report_timing_summary -delay_type min_max -report_unconstrained -check_timing_verbose \
        -file $out/timing_summary.rpt
    check_timing -verbose -file $out/check_timing.rpt
    report_route_status -file $out/route_status.rpt
    report_utilization -file $out/utilization.rpt
    set missing {}
    foreach {name command} {
        pulse_width {report_pulse_width -all_violators}
        utilization_hierarchical {report_utilization -hierarchical}
        cdc {report_cdc -details}
        logic_levels {report_design_analysis -logic_level_distribution}
        clock_interaction {report_clock_interaction}
        high_fanout_nets {report_high_fanout_nets -timing}
        qor_assessment {report_qor_assessment}
    } {
        if {[catch {{*}$command -file $out/$name.rpt} message]} {
            puts "WARNING: no $name.rpt: $message"
            lappend missing $name
        }
    }
    return $missing
}

# The combined result of the reports in a folder.
proc etm4::ooc::judge {out} {
    variable explained
    set run {}
    foreach {name report} {
        timing timing_summary checks check_timing route_errors route_status
        utilization utilization methodology methodology
    } {
        dict set run $name [etm4::gate::$name [read_text $out/$report.rpt]]
    }
    set reasons [etm4::gate::reasons $run $explained]
    dict set run reasons $reasons
    dict set run verdict [expr {[llength $reasons] == 0 ? {MET} : {FAILED}}]
    return $run
}

# One period from sources to result; returns whether it closed.
proc etm4::ooc::run_period {run period} {
    set out [file join [dict get $run folder] vivado ${period}ns]
    file mkdir $out
    # An old result must not be left over if the run is killed half-way.
    file delete [file join $out result.json]
    dict set run period $period
    dict set run tool "Vivado [version -short]"
    if {[catch {
        implement $run $period $out
        set missing [report $out]
        set run [dict merge $run [judge $out]]
        dict set run missing_reports $missing
    } message]} {
        dict set run verdict ERROR
        dict set run reasons [list $message]
    }
    # There is nothing to close if the project could not be made.
    catch {close_project}
    write_text [file join $out result.json] [etm4::result::json $run]
    puts [etm4::result::line $run]
    foreach reason [dict get $run reasons] {
        puts "  $reason"
    }
    return [string equal [dict get $run verdict] MET]
}

# The call -> exit code.
proc etm4::ooc::main {argv} {
    variable usage
    if {[catch {
        set run [arguments $argv]
        set run [dict merge $run [manifest [dict get $run preset] [dict get $run folder]]]
    } message]} {
        puts stderr "ERROR: $message\n$usage"
        return 2
    }
    set code 0
    foreach period [dict get $run periods] {
        if {![run_period $run $period]} {
            set code 1
        }
    }
    return $code
}

exit [etm4::ooc::main $argv]
