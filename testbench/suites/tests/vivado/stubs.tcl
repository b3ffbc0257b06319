# SPDX-License-Identifier: MIT OR Apache-2.0
# Stubs of the Vivado commands that `constraints/vivado/ooc.tcl` calls, and the call itself.
#
#   tclsh stubs.tcl OOC_TCL DIFFERENCES ARGUMENT...
#
# Every stub checks its flags and the number of its other words, which are those of the Tcl
# reference (UG835) as far as they may be of use here, and prints a line `CALL name words`. A
# command without a stub is an error of Tcl. Requested reports have numbers that close; DIFFERENCES
# is a dict of changes by period and name: `2.000 {wns_ns -0.050}`. Besides the names in `numbers`
# it knows `methodology` (rows of rule, severity and count), `crash` and `garble` (names of
# commands).

# The scripts must also run in Tcl 8.5.
foreach newer {lmap try throw tailcall coroutine yield yieldto} {
    rename $newer {}
}

set script [lindex $argv 0]
set differences [lindex $argv 1]
set argv [lrange $argv 2 end]
set period none
set constraint_files {}

set numbers {
    wns_ns 0.123 tns_ns 0.000 setup_failing 0 setup_total 5123
    whs_ns 0.021 ths_ns 0.000 hold_failing 0 hold_total 5123
    wpws_ns 1.725 tpws_ns 0.000 pulse_width_failing 0 pulse_width_total 3421
    no_clock 0 unconstrained_internal_endpoints 0 no_input_delay 0 no_output_delay 0
    loops 0 latch_loops 0
    route_errors 0 lut 4312 ff 3421 bram 0.5
}

proc different {name} {
    if {[dict exists $::differences $::period $name]} {
        return [dict get $::differences $::period $name]
    }
    return {}
}

proc number {name} {
    set value [different $name]
    if {$value eq {}} {
        set value [dict get $::numbers $name]
    }
    return $value
}

# The text of a report.
proc report_text {command} {
    if {$command in [different garble]} {
        return "nothing that anyone expects\n"
    }
    switch $command {
        report_timing_summary {
            set row {}
            foreach name [lrange [dict keys $::numbers] 0 11] {
                append row "   [number $name]"
            }
            return "| Design Timing Summary\n| -----------\n\n    WNS(ns)      TNS(ns)  TNS\
                Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)  THS Failing\
                Endpoints  THS Total Endpoints     WPWS(ns)     TPWS(ns)  TPWS Failing\
                Endpoints  TPWS Total Endpoints  \n    -------      -------  ------\n$row  \n"
        }
        check_timing {
            set text "check_timing report\n"
            set place 0
            foreach name [lrange [dict keys $::numbers] 12 17] {
                append text "[incr place]. checking $name ([number $name])\n"
            }
            return $text
        }
        report_route_status {
            return "   # of fully routed nets............. :        9120 :\n      \
                # of nets with routing errors.......... :          [number route_errors] :\n"
        }
        report_utilization {
            return "| CLB LUTs                   | [number lut] |     0 |          0 |\
                117120 |  3.68 |\n| CLB Registers              | [number ff] |     0 |\
                0 |    234240 |  1.46 |\n| Block RAM Tile    | [number bram] |     0 |\
                0 |       144 |  0.35 |\n"
        }
        report_methodology {
            set sum 0
            set table {}
            foreach {rule severity count} [different methodology] {
                append table "| $rule | $severity | Some description | $count |\n"
                incr sum $count
            }
            return "             Violations found: $sum\n| Rule | Severity | Description |\
                Violations |\n$table"
        }
        default {
            return "$command\n"
        }
    }
}

# A stub by its flags (with 1 where a value follows) and the number of its other words.
proc stub {name flags words} {
    proc $name args "stubbed [list $name $flags $words] \$args"
}

proc stubbed {name flags words arguments} {
    puts "CALL $name $arguments"
    set values {}
    set others {}
    while {[llength $arguments] > 0} {
        set word [lindex $arguments 0]
        set arguments [lrange $arguments 1 end]
        if {![string match -* $word]} {
            lappend others $word
        } elseif {![dict exists $flags $word]} {
            error "$name has no flag $word"
        } elseif {[dict get $flags $word]} {
            if {[llength $arguments] == 0} {
                error "$name: $word has no value"
            }
            dict set values $word [lindex $arguments 0]
            set arguments [lrange $arguments 1 end]
        } else {
            dict set values $word {}
        }
    }
    if {[llength $others] != $words} {
        error "$name takes $words words beside its flags, not [llength $others]"
    }
    if {$name in [different crash]} {
        error "$name crashed"
    }
    if {[dict exists $values -file]} {
        set file [open [dict get $values -file] w]
        puts -nonewline $file [report_text $name]
        close $file
    }
    return [effect $name $values $others]
}

# The effect of a stub besides being recorded.
proc effect {name values others} {
    switch $name {
        create_project {
            set ::period none
            set ::constraint_files {}
        }
        read_verilog {
            if {![file isfile [lindex $others 0]]} {
                error "there is no [lindex $others 0]"
            }
        }
        read_xdc {
            lappend ::constraint_files [lindex $others 0]
        }
        synth_design {
            foreach file $::constraint_files {
                constrain $file
            }
        }
        create_clock {
            set ::period [dict get $values -period]
        }
        get_ports {
            return [ports $values $others]
        }
        version {
            return 2023.2
        }
    }
}

# Runs a constraint file in an interpreter that has only what such a file may use (UG903).
proc constrain {file} {
    set xdc [interp create]
    foreach name {create_clock set_input_delay set_output_delay set_false_path get_ports} {
        interp alias $xdc $name {} $name
    }
    set text [read [set channel [open $file]]]
    close $channel
    foreach command [interp eval $xdc {info commands}] {
        if {$command ni {
            set expr list create_clock set_input_delay set_output_delay set_false_path get_ports
            rename
        }} {
            interp eval $xdc [list rename $command {}]
        }
    }
    interp eval $xdc {rename rename {}}
    interp eval $xdc $text
    interp delete $xdc
}

# The ports of the exported preset that a pattern or a filter names; at least one.
proc ports {values others} {
    set manifest [read [set channel [open [file join [lindex $::argv 1] manifest.json]]]]
    close $channel
    set pattern "\"direction\": \"(\\w+)\",\\s*\"name\": \"(\\w+)\""
    set found {}
    foreach {- direction name} [regexp -all -inline $pattern $manifest] {
        set DIRECTION [expr {$direction eq "input" ? "IN" : "OUT"}]
        set NAME $name
        if {[dict exists $values -filter]} {
            set condition [dict get $values -filter]
            regsub -all {(DIRECTION|NAME) (==|!=) (\w+)} $condition {$\1 \2 "\3"} condition
            set chosen [expr $condition]
        } else {
            set chosen [string match [lindex $others 0] $name]
        }
        if {$chosen} {
            lappend found $name
        }
    }
    if {[llength $found] == 0} {
        error "no port is $values $others"
    }
    return $found
}

stub create_project {-in_memory 0 -part 1 -force 0} 0
stub close_project {} 0
stub version {-short 0} 0
stub read_verilog {-sv 0 -library 1} 1
stub read_xdc {-mode 1 -unmanaged 0 -no_add 0 -cells 1 -ref 1} 1
stub synth_design {-top 1 -part 1 -mode 1 -flatten_hierarchy 1 -directive 1} 0
stub opt_design {-directive 1} 0
stub place_design {-directive 1} 0
stub phys_opt_design {-directive 1} 0
stub route_design {-directive 1} 0
stub write_checkpoint {-force 0} 1
stub create_clock {-name 1 -period 1 -waveform 1 -add 0} 1
stub set_input_delay {-clock 1 -min 0 -max 0 -clock_fall 0 -add_delay 0} 2
stub set_output_delay {-clock 1 -min 0 -max 0 -clock_fall 0 -add_delay 0} 2
stub set_false_path {-from 1 -to 1 -through 1 -setup 0 -hold 0} 0
proc get_ports args {
    return [stubbed get_ports {-filter 1 -quiet 0} [expr {"-filter" in $args ? 0 : 1}] $args]
}
stub report_methodology {-file 1 -name 1 -checks 1 -no_waivers 0} 0
stub report_timing_summary {
    -file 1 -delay_type 1 -report_unconstrained 0 -check_timing_verbose 0 -max_paths 1 -nworst 1
} 0
stub check_timing {-file 1 -verbose 0} 0
stub report_route_status {-file 1 -show_all 0} 0
stub report_utilization {-file 1 -hierarchical 0 -hierarchical_depth 1} 0
stub report_pulse_width {-file 1 -all_violators 0 -limit 1} 0
stub report_cdc {-file 1 -details 0} 0
stub report_design_analysis {-file 1 -logic_level_distribution 0 -timing 0} 0
stub report_clock_interaction {-file 1 -delay_type 1} 0
stub report_high_fanout_nets {-file 1 -timing 0 -load_types 0 -max_nets 1} 0
stub report_qor_assessment {-file 1} 0

source $script
