# SPDX-License-Identifier: MIT OR Apache-2.0
# Stubs of the Vivado commands that the scripts of an exported core call, and the call itself.
#
#   tclsh ip_stubs.tcl SCRIPT DIFFERENCES ARGUMENT...
#
# A stub prints a line `CALL name words`; a command without a stub is a Tcl error. Objects requested
# by a get_... must exist: files of the folder, pins and interfaces of created cells. DIFFERENCES is
# a dict: `missing` is the name of an interface that the packager does not find, `board` is what
# Vivado has for boards, `version` is its version, `inline` is 1 if it has inline HDL in place of
# IPs, `progress` is how far runs come, `absent` is a pattern of cells that a design lacks,
# `unclocked` is a pin without a clock, `unconnected` is a cell from which no path starts,
# `exception` is what timing paths have, and `slack` is theirs.

# The scripts must also run in Tcl 8.5.
foreach newer {lmap try throw tailcall coroutine yield yieldto} {
    rename $newer {}
}

set script [lindex $argv 0]
set differences [lindex $argv 1]
set argv [lrange $argv 2 end]
set folder [file dirname [file normalize $script]]
set files {}
set cells {}

proc difference {name} {
    return [expr {[dict exists $::differences $name] ? [dict get $::differences $name] : {}}]
}

# A stub that prints its call and returns the result of the script.
proc stub {name {script {}}} {
    proc $name args "puts \"CALL $name \[regsub -all {\\s+} \$args { }\]\"\n$script"
}

# The last word of a call that is not the value of a flag.
proc subject {arguments} {
    return [lindex [lsearch -all -inline -not $arguments -*] 0]
}

# The manifest has every port; those of other cells are written here.
proc pins {vlnv} {
    switch -glob $vlnv {
        *:zynq_ultra_ps_e:* {
            return {
                pl_clk0 pl_clk1 pl_resetn0 pl_ps_irq0 pl_ps_irq1 pl_ps_trace_clk ps_pl_tracedata
                maxihpm0_fpd_aclk saxihp0_fpd_aclk M_AXI_HPM0_FPD S_AXI_HP0_FPD
            }
        }
        *:proc_sys_reset:* {
            return {slowest_sync_clk ext_reset_in peripheral_aresetn}
        }
        *:xlconstant:* - *:ilconstant {
            return dout
        }
        *:xlconcat:* - *:ilconcat {
            return {In0 In1 In2 In3 In4 In5 In6 In7 dout}
        }
        *:axi_dma:* {
            return {
                s_axi_lite_aclk m_axi_sg_aclk m_axi_s2mm_aclk axi_resetn s2mm_introut
                S_AXI_LITE M_AXI_SG M_AXI_S2MM S_AXIS_S2MM
            }
        }
        *:smartconnect:* {
            set pins {aclk aresetn}
            for {set index 0} {$index < 16} {incr index} {
                lappend pins [format S%02d_AXI $index] [format M%02d_AXI $index]
            }
            return $pins
        }
        default {
            set manifest [read [set channel [open [file join $::folder manifest.json]]]]
            close $channel
            set found {}
            foreach {- name} [regexp -all -inline {"(?:name|interface)": "(\w+)"} $manifest] {
                lappend found $name
            }
            return $found
        }
    }
}

proc known {name} {
    foreach {cell pin} [split $name /] break
    if {![dict exists $::cells $cell] || $pin ni [pins [dict get $::cells $cell]]} {
        error "there is no pin $name"
    }
    return $name
}

foreach name {
    set_property update_compile_order update_ip_catalog close_project create_project
    create_bd_design apply_bd_automation validate_bd_design save_bd_design assign_bd_address
    connect_bd_net connect_bd_intf_net make_bd_pins_external make_bd_intf_pins_external
    launch_runs wait_on_run open_run report_timing_summary report_cdc report_bus_skew
    report_utilization write_hw_platform
    ipx::package_project ipx::create_xgui_files ipx::update_checksums ipx::check_integrity
    ipx::save_core
} {
    namespace eval [expr {[namespace qualifiers $name] eq {} ? {::} : [namespace qualifiers $name]}] {}
    stub $name
}
stub add_files {
    set file [subject [lsearch -all -inline -not $args constrs_1]]
    if {![file isfile $file] && ![string match *wrapper.v $file]} {
        error "there is no $file"
    }
    lappend ::files [file tail $file]
}
stub get_files {
    if {$args ni $::files && $args ne "trace.bd"} {
        error "there is no file $args"
    }
    return $args
}
stub make_wrapper {return trace_wrapper.v}
stub current_fileset {return sources_1}
stub current_project {return project_1}
stub get_board_parts {return [difference board]}
stub create_bd_cell {
    foreach {- - - vlnv name} $args break
    dict set ::cells $name $vlnv
    return $name
}
stub get_bd_pins {return [known $args]}
stub get_bd_intf_pins {return [known $args]}
stub get_bd_ports {return $args}
stub get_bd_addr_spaces {return $args}
stub get_bd_addr_segs {
    known [join [lrange [split $args /] 0 1] /]
    return $args
}
stub ipx::current_core {return core_1}
stub ipx::get_bus_interfaces {
    set name [subject $args]
    return [expr {$name eq [difference missing] ? {} : $name}]
}
stub ipx::get_user_parameters {return [subject $args]}
stub ipx::get_memory_maps
stub ipx::add_memory_map {return [lindex $args 0]}
stub ipx::get_address_blocks
stub ipx::add_address_block {return [lindex $args 0]}
stub ipx::add_register {return [lindex $args 0]}
stub ipx::add_field {return [lindex $args 0]}
stub ipx::get_file_groups
stub ipx::add_file_group {return [lindex $args end-1]}
stub ipx::add_file {
    if {![file isfile [file join $::folder [lindex $args 0]]]} {
        error "there is no [lindex $args 0]"
    }
}
stub version {
    set version [difference version]
    return [expr {$version eq {} ? "2025.1" : $version}]
}
stub get_ipdefs {return [expr {[difference inline] eq 1 ? {} : [lindex $args end]}]}
stub get_runs {return $args}

# A design of one core below its IP. Paths are known by the cell where they start.
proc get_cells args {
    if {"-filter" in $args} {
        return [expr {[difference absent] eq "core" ? {} : "trace/core_0/inst/core"}]
    }
    set absent [difference absent]
    return [expr {$absent ne {} && [string match *$absent* [lindex $args end]] ? {} : [lindex $args end]}]
}
proc get_pins {name} {return $name}
proc get_clocks args {
    return [expr {[file tail [lindex $args end]] eq [difference unclocked] ? {} : "clock"}]
}
proc get_timing_paths args {
    set from [lindex $args [expr {[lsearch $args -from] + 1}]]
    set unconnected [difference unconnected]
    return [expr {$unconnected ne {} && [string match *$unconnected* $from] ? {} : "path"}]
}
proc get_property {name object} {
    switch $name {
        PROGRESS {
            return [expr {[difference progress] eq {} ? {100%} : [difference progress]}]
        }
        STATUS {
            return "a status"
        }
        EXCEPTION {
            set exception [difference exception]
            return [expr {$exception eq {} ? {MaxDelay Path 4.000ns -datapath_only} : $exception}]
        }
        SLACK {
            return [expr {[difference slack] eq {} ? 0.1 : [difference slack]}]
        }
        default {
            error "there is no property $name"
        }
    }
}

source $script
