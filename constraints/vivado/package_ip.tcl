# SPDX-License-Identifier: MIT OR Apache-2.0
# Packages the exported core as an IP for Vivado's block designs, in the folder of this file.
#
#   cargo export etm4_core
#   vivado -mode batch -source target/export/etm4_core/package_ip.tcl
#
# Afterwards the folder is an IP repository: it has a `component.xml`. Its name, version and
# interfaces are in `manifest.json`, the list of Verilog files is in `files.f`, the registers are in
# `etm4_csr.tcl`. It needs the Vivado that `version.tcl` names.
# Exit code: 0, or 1 with the reason in a line that starts with ERROR.
# Not yet run in Vivado; tested with tclsh and stubs of the commands. Plain Tcl 8.5.

namespace eval etm4::ip {
    variable folder [file dirname [file normalize [info script]]]
    # The minimum range of a slave in a block design.
    variable range 4096
    # File groups of an IP, and the files of the folder that are in them.
    variable documents {
        xilinx_productguide integration.md
        xilinx_versioninformation CHANGELOG.md
    }
    variable simulation xilinx_anylanguagebehavioralsimulation
}
source [file join $etm4::ip::folder version.tcl]

proc etm4::ip::read_text {name} {
    variable folder
    set file [open [file join $folder $name]]
    set text [read $file]
    close $file
    return $text
}

# The IP's entries in the manifest: dict of vendor, library, name, top, version and interfaces.
proc etm4::ip::manifest {text} {
    if {![regexp {"ip": \{.*?\n  \}} $text block] || ![regexp {"version": "([^"]+)"} $text - version]} {
        error "manifest.json has no version, or no IP"
    }
    set ip [dict create version $version interfaces {}]
    foreach key {vendor library name top} {
        if {![regexp "\n    \"$key\": \"(\[^\"\]+)\"" $block - value]} {
            error "manifest.json has no $key of the IP"
        }
        dict set ip $key $value
    }
    foreach {- name} [regexp -all -inline {"interface": "([^"]+)"} $block] {
        dict lappend ip interfaces $name
    }
    return $ip
}

# A project with the sources and the constraints. These have the names below the top of the IP, and
# Vivado applies them to each instance of it. Not SCOPED_TO_REF: synthesis may rename the modules of
# an IP, to trace_core_0_0_etm4_core, and constraints of a module that is not found are dropped.
proc etm4::ip::open_sources {ip} {
    variable folder
    create_project -force package [file join $folder vivado package]
    foreach name [split [string trim [read_text files.f]] \n] {
        add_files -norecurse [file join $folder $name]
    }
    set_property top [dict get $ip top] [current_fileset]
    foreach {name properties} {
        etm4_core_ip.xdc {
            PROCESSING_ORDER LATE
            USED_IN {synthesis implementation}
        }
        etm4_core_ooc.xdc {
            USED_IN {synthesis implementation out_of_context}
        }
    } {
        # A core with one clock has no crossings.
        if {![file exists [file join $folder $name]]} {
            continue
        }
        add_files -norecurse -fileset constrs_1 [file join $folder $name]
        set_property -dict $properties [get_files $name]
    }
    update_compile_order -fileset sources_1
}

# The segment of the registers, whether or not the packager has made one.
proc etm4::ip::map_registers {core} {
    variable range
    set bus [ipx::get_bus_interfaces s_axi -of_objects $core]
    set map [ipx::get_memory_maps -quiet s_axi -of_objects $core]
    if {$map eq ""} {
        set map [ipx::add_memory_map s_axi $core]
    }
    set_property slave_memory_map_ref s_axi $bus
    set block [ipx::get_address_blocks -quiet reg0 -of_objects $map]
    if {$block eq ""} {
        set block [ipx::add_address_block reg0 $map]
    }
    set_property -dict [list base_address 0 range $range width 32 usage register] $block
    add_registers $block
}

# The registers with their fields, as `etm4_csr.tcl` lists them.
proc etm4::ip::add_registers {block} {
    variable folder
    source [file join $folder etm4_csr.tcl]
    foreach {name offset text fields} $registers {
        set register [ipx::add_register $name $block]
        set_property -dict [list address_offset $offset size 32 description $text] $register
        foreach {name low width access text} $fields {
            set field [ipx::add_field $name $register]
            set_property -dict [list bit_offset $low bit_width $width access $access \
                description $text] $field
        }
    }
}

# The values that each parameter may have.
proc etm4::ip::limit_parameters {core} {
    variable folder
    source [file join $folder etm4_parameters.tcl]
    foreach {name values text} $parameters {
        set parameter [ipx::get_user_parameters $name -of_objects $core]
        if {$parameter eq {}} {
            error "the packager did not recognise the parameter $name"
        }
        set_property -dict [list value_validation_type list value_validation_list $values] $parameter
    }
}

# Documents, and the sources for simulators if the packager has not listed them.
proc etm4::ip::add_files_of_groups {core} {
    variable documents
    variable simulation
    foreach {group name} $documents {
        ipx::add_file $name [ipx::add_file_group -type $group $group $core]
    }
    if {[ipx::get_file_groups -quiet $simulation -of_objects $core] eq {}} {
        set group [ipx::add_file_group -type $simulation $simulation $core]
        foreach name [split [string trim [read_text files.f]] \n] {
            ipx::add_file $name $group
        }
    }
}

proc etm4::ip::run {} {
    variable folder
    etm4::need_vivado
    set ip [manifest [read_text manifest.json]]
    open_sources $ip
    ipx::package_project -force -root_dir $folder -vendor [dict get $ip vendor] \
        -library [dict get $ip library] -taxonomy {/Debug_&_Verification/Debug /UserIP}
    set core [ipx::current_core]
    # An IP version has two numbers.
    set version [join [lrange [split [dict get $ip version] .] 0 1] .]
    set_property -dict [list name [dict get $ip name] version $version core_revision 1 \
        display_name {ETMv4 trace decoder} vendor_display_name etm4 \
        description {Trace port in, records and a profile of one ETMv4 or ETE source out} \
        supported_families {zynquplus Beta kintexuplus Beta virtexuplus Beta artixuplus Beta}] $core
    foreach name [dict get $ip interfaces] {
        if {[ipx::get_bus_interfaces -quiet $name -of_objects $core] eq ""} {
            error "the packager did not recognise the interface $name"
        }
    }
    map_registers $core
    limit_parameters $core
    add_files_of_groups $core
    ipx::create_xgui_files $core
    ipx::update_checksums $core
    ipx::check_integrity $core
    ipx::save_core $core
    close_project
    return "[dict get $ip vendor]:[dict get $ip library]:[dict get $ip name]:$version"
}

if {[catch {etm4::ip::run} message]} {
    puts stderr "ERROR: $message"
    exit 1
}
puts "PACKAGED $message in $etm4::ip::folder"
