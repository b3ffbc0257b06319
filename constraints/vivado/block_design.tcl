# SPDX-License-Identifier: MIT OR Apache-2.0
# A block design for a Zynq UltraScale+ board: trace port of the processing system over EMIO, a core
# for each trace ID, and for each stream of a core a DMA into memory.
#
# A core without a trace port takes its stream from logic outside the design: the stream is an
# interface of the design, on the clock `clock` and with the reset `resetn` beside it. Instantiate
# trace_wrapper beside that logic; such a design has no synthesis of its own.
#
#   vivado -mode batch -source package_ip.tcl
#   vivado -mode batch -source block_design.tcl -tclargs zcu104 ?-cores 1? ?-out trace_zcu104?
#       ?-until design|synthesis|bitstream? ?-jobs 4?
#
# `-until synthesis` goes on to a synthesised design and checks its clock crossings. `-until
# bitstream` implements it too and leaves trace.xsa, with the bitstream, in the folder `-out`. Both
# leave reports of timing, clock crossings and utilisation there, and a design that misses its
# timing ends with exit code 1 and no XSA.
#
# Both files are in the folder of the exported core. Boards: zcu104, kv260, xu5. The project is
# created in the folder `-out`, by default one named after the board.
#
# pl_clk0, 300 MHz, is the clock of everything; pl_clk1, 250 MHz, is the clock of the trace port and
# of nothing else. Both come from the processing system with their buffers, and both divide its 1500
# MHz. The port outputs 32 bits at each rising edge of pl_clk1; trace_clk_out is left open.
# Registers at 0xA0000000, 4 KiB a core; DMAs at 0xA0010000, 64 KiB each, in the order of the cores.
#
# Without the files of the board Vivado knows nothing of its memory and pins: then a warning is
# printed, and the settings of the processing system must come from the board's own design. Exit
# code: 0, or 1 with the reason in a line that starts with ERROR, or 2 if the call was wrong. Not
# yet run in Vivado; tested with tclsh and stubs of the commands. Plain Tcl 8.5.

namespace eval etm4::design {
    variable folder [file dirname [file normalize [info script]]]
    variable usage "usage: vivado -mode batch -source block_design.tcl -tclargs\
        zcu104|kv260|xu5 ?-cores 1? ?-out FOLDER? ?-until design|synthesis|bitstream? ?-jobs 4?"
    variable stages {design synthesis bitstream}
    # Part, and the name of the board's files.
    variable boards {
        zcu104 {xczu7ev-ffvc1156-2-e xilinx.com:zcu104:part0:*}
        kv260 {xck26-sfvc784-2LV-c xilinx.com:kv260_som:part0:*}
        xu5 {xczu5ev-sfvc784-2-i enclustra.com:*xu5*:part0:*}
    }
    # A SmartConnect has 16 ports, and a DMA takes two of them; pl_ps_irq0 has 8 lines. Interrupts of
    # cores have pl_ps_irq1.
    variable max_dmas 8
    variable registers_base 0xA0000000
    variable dma_base 0xA0010000

    variable system {
        PSU__USE__M_AXI_GP0 1
        PSU__MAXIGP0__DATA_WIDTH 32
        PSU__USE__M_AXI_GP1 0
        PSU__USE__M_AXI_GP2 0
        PSU__USE__S_AXI_GP2 1
        PSU__SAXIGP2__DATA_WIDTH 128
        PSU__USE__IRQ0 1
        PSU__FPGA_PL0_ENABLE 1
        PSU__CRL_APB__PL0_REF_CTRL__SRCSEL IOPLL
        PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 300
    }
    # What the trace port needs of it.
    variable trace_port {
        PSU__FPGA_PL1_ENABLE 1
        PSU__CRL_APB__PL1_REF_CTRL__SRCSEL IOPLL
        PSU__CRL_APB__PL1_REF_CTRL__FREQMHZ 250
        PSU__TRACE__PERIPHERAL__ENABLE 1
        PSU__TRACE__PERIPHERAL__IO EMIO
        PSU__TRACE__WIDTH 32Bit
        PSU__TRACE__INTERNAL_WIDTH 32
    }
    # With descriptors, because a transfer without them waits for software after every packet. Write
    # channel only, in whole beats of 128 bits, so no realignment is needed.
    variable dma {
        c_include_sg 1
        c_sg_include_stscntrl_strm 0
        c_sg_length_width 26
        c_include_mm2s 0
        c_include_s2mm 1
        c_include_s2mm_dre 0
        c_m_axi_s2mm_data_width 128
        c_s_axis_s2mm_tdata_width 128
        c_s2mm_burst_size 16
        c_addr_width 40
    }
}
source [file join $etm4::design::folder version.tcl]
# A core with one clock has no crossings to be checked.
if {[file exists [file join $etm4::design::folder check_crossings.tcl]]} {
    source [file join $etm4::design::folder check_crossings.tcl]
}

# The call -> dict of board, cores and out. Errors explain what is wrong.
proc etm4::design::arguments {argv} {
    variable boards
    variable stages
    set call [dict create -cores 1 -out {} -until design -jobs 4]
    set board {}
    while {[llength $argv] > 0} {
        set word [lindex $argv 0]
        set argv [lrange $argv 1 end]
        if {[string match -* $word]} {
            if {![dict exists $call $word]} {
                error "there is no flag $word"
            }
            if {[llength $argv] == 0} {
                error "$word has no value"
            }
            dict set call $word [lindex $argv 0]
            set argv [lrange $argv 1 end]
        } elseif {$board eq {} && [dict exists $boards $word]} {
            set board $word
        } else {
            error "`$word` is not a board"
        }
    }
    if {$board eq {}} {
        error "there is not a board"
    }
    foreach {flag what} {-cores cores -jobs jobs} {
        set number [dict get $call $flag]
        if {![regexp {^[1-9]\d*$} $number]} {
            error "`$number` is not a number of $what"
        }
    }
    if {[dict get $call -until] ni $stages} {
        error "`[dict get $call -until]` is not one of $stages"
    }
    set out [dict get $call -out]
    return [dict create board $board cores [dict get $call -cores] \
        out [expr {$out eq {} ? "trace_$board" : $out}] \
        until [dict get $call -until] jobs [dict get $call -jobs]]
}

# The manifest -> dict of vlnv (any version), streams, without their prefix, inputs, which are streams from
# outside, and whether the core has a trace port and an interrupt.
proc etm4::design::manifest {} {
    variable folder
    set file [open [file join $folder manifest.json]]
    set text [read $file]
    close $file
    set vlnv {}
    foreach key {vendor library name} {
        if {![regexp "\n    \"$key\": \"(\[^\"\]+)\"" $text - value]} {
            error "manifest.json has no $key of the IP"
        }
        lappend vlnv $value
    }
    set streams {}
    foreach {- name} [regexp -all -inline {"interface": "m_axis_([^"]+)"} $text] {
        lappend streams $name
    }
    if {[llength $streams] == 0} {
        error "manifest.json has no streams"
    }
    set inputs {}
    foreach {- name} [regexp -all -inline {"interface": "(s_axis_[^"]+)"} $text] {
        lappend inputs $name
    }
    return [dict create vlnv [join $vlnv :]:* streams $streams inputs $inputs \
        port [regexp {"name": "trace_clk"} $text] interrupt [regexp {"name": "irq"} $text]]
}

proc etm4::design::pin {name} {
    return [get_bd_pins $name]
}

proc etm4::design::interface {name} {
    return [get_bd_intf_pins $name]
}

# An IP with its settings, named without CONFIG.
proc etm4::design::cell {name vlnv settings} {
    set cell [create_bd_cell -type ip -vlnv $vlnv $name]
    configure $cell $settings
    return $cell
}

proc etm4::design::configure {cell settings} {
    set list {}
    dict for {key value} $settings {
        lappend list CONFIG.$key $value
    }
    if {[llength $list] > 0} {
        set_property -dict $list $cell
    }
}

# A constant or a concatenation: from 2025.2 on they are inline HDL, before that they were IPs.
proc etm4::design::small_cell {name kind settings} {
    if {[get_ipdefs -quiet -all xilinx.com:ip:xl$kind:*] ne {}} {
        return [cell $name xilinx.com:ip:xl$kind:* $settings]
    }
    set cell [create_bd_cell -type inline_hdl -vlnv xilinx.com:inline_hdl:il$kind $name]
    configure $cell $settings
    return $cell
}

# One net from a pin to others.
proc etm4::design::net {from to} {
    set pins {}
    foreach name $to {
        lappend pins [pin $name]
    }
    connect_bd_net [pin $from] {*}$pins
}

proc etm4::design::bus {from to} {
    connect_bd_intf_net [interface $from] [interface $to]
}

# The project, with the board's files if Vivado has them; returns whether it does.
proc etm4::design::project {board out} {
    variable boards
    variable folder
    foreach {part pattern} [dict get $boards $board] break
    create_project -force -part $part trace $out
    set found [lindex [lsort -dictionary [get_board_parts -quiet $pattern]] end]
    if {$found ne {}} {
        set_property board_part $found [current_project]
    }
    set_property ip_repo_paths [list $folder] [current_project]
    update_ip_catalog
    return [expr {$found ne {}}]
}

proc etm4::design::processing_system {has_board has_port} {
    variable system
    variable trace_port
    set cell [cell ps xilinx.com:ip:zynq_ultra_ps_e:* {}]
    if {$has_board} {
        apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e \
            -config {apply_board_preset "1"} $cell
    } else {
        puts "WARNING: no files of this board: memory and pins of the processing system are not set"
    }
    configure $cell $system
    cell reset xilinx.com:ip:proc_sys_reset:* {}
    net ps/pl_clk0 {ps/maxihpm0_fpd_aclk ps/saxihp0_fpd_aclk reset/slowest_sync_clk}
    net ps/pl_resetn0 reset/ext_reset_in
    if {$has_port} {
        configure $cell $trace_port
        # In continuous mode each cycle has a word, so the port's control bit is not used.
        small_cell one constant {CONST_WIDTH 1 CONST_VAL 1}
        net ps/pl_clk1 ps/pl_ps_trace_clk
    }
}

# Cores, DMAs and their connections to the processing system; returns the names of the DMAs.
proc etm4::design::decoders {cores manifest} {
    variable dma
    set streams [dict get $manifest streams]
    set has_interrupt [dict get $manifest interrupt]

    set dmas {}
    set slaves {}
    for {set core 0} {$core < $cores} {incr core} {
        cell core_$core [dict get $manifest vlnv] {}
        if {[dict get $manifest port]} {
            net ps/pl_clk1 core_$core/trace_clk
            net ps/ps_pl_tracedata core_$core/trace_data
            net one/dout core_$core/trace_valid
        }
        net ps/pl_clk0 core_$core/aclk
        net reset/peripheral_aresetn core_$core/aresetn
        lappend slaves core_$core/s_axi
        foreach stream $streams {
            set name dma_${core}_$stream
            cell $name xilinx.com:ip:axi_dma:* $dma
            net ps/pl_clk0 "$name/s_axi_lite_aclk $name/m_axi_sg_aclk $name/m_axi_s2mm_aclk"
            net reset/peripheral_aresetn $name/axi_resetn
            bus core_$core/m_axis_$stream $name/S_AXIS_S2MM
            lappend slaves $name/S_AXI_LITE
            lappend dmas $name
        }
    }
    interconnect registers 1 [llength $slaves]
    bus ps/M_AXI_HPM0_FPD registers/S00_AXI
    set index -1
    foreach slave $slaves {
        bus registers/[format M%02d_AXI [incr index]] $slave
    }
    interconnect memory [expr {2 * [llength $dmas]}] 1
    bus memory/M00_AXI ps/S_AXI_HP0_FPD
    set index 0
    foreach name $dmas {
        bus $name/M_AXI_S2MM memory/[format S%02d_AXI [expr {2 * $index}]]
        bus $name/M_AXI_SG memory/[format S%02d_AXI [expr {2 * $index + 1}]]
        lappend lines $name/s2mm_introut
        incr index
    }
    interrupts interrupts $lines ps/pl_ps_irq0
    if {$has_interrupt} {
        configure ps {PSU__USE__IRQ1 1}
        set lines {}
        for {set core 0} {$core < $cores} {incr core} {
            lappend lines core_$core/irq
        }
        interrupts core_interrupts $lines ps/pl_ps_irq1
    }
    return $dmas
}

# The inputs of all cores as interfaces of the design, with the clock and the reset of what feeds them.
proc etm4::design::outside {cores inputs} {
    if {[llength $inputs] == 0} {
        return
    }
    set names {}
    for {set core 0} {$core < $cores} {incr core} {
        foreach input $inputs {
            lappend names core_${core}_$input
            make_bd_intf_pins_external -name core_${core}_$input [interface core_$core/$input]
        }
    }
    make_bd_pins_external -name clock [pin ps/pl_clk0]
    make_bd_pins_external -name resetn [pin reset/peripheral_aresetn]
    set_property CONFIG.ASSOCIATED_BUSIF [join $names :] [get_bd_ports clock]
}

# Lines of interrupts, in order, to an input of the processing system.
proc etm4::design::interrupts {name lines to} {
    small_cell $name concat [dict create NUM_PORTS [llength $lines]]
    net $name/dout $to
    set index -1
    foreach line $lines {
        net $line $name/In[incr index]
    }
}

proc etm4::design::interconnect {name masters slaves} {
    cell $name xilinx.com:ip:smartconnect:* [dict create NUM_SI $masters NUM_MI $slaves NUM_CLKS 1]
    net ps/pl_clk0 $name/aclk
    net reset/peripheral_aresetn $name/aresetn
}

# A segment at an address of the processing system.
proc etm4::design::place {segment offset range} {
    assign_bd_address -offset [format 0x%08X $offset] -range $range \
        -target_address_space [get_bd_addr_spaces ps/Data] [get_bd_addr_segs $segment]
}

proc etm4::design::addresses {cores dmas} {
    variable registers_base
    variable dma_base
    for {set core 0} {$core < $cores} {incr core} {
        place core_$core/s_axi/reg0 [expr {$registers_base + 0x1000 * $core}] 4K
    }
    set index -1
    foreach name $dmas {
        place $name/S_AXI_LITE/Reg [expr {$dma_base + 0x10000 * [incr index]}] 64K
    }
    # The rest is the memory, for the DMAs.
    assign_bd_address
}

proc etm4::design::build {call} {
    variable max_dmas
    etm4::need_vivado
    set manifest [manifest]
    set cores [dict get $call cores]
    set streams [dict get $manifest streams]
    if {$cores * [llength $streams] > $max_dmas} {
        error "$cores cores with [llength $streams] streams each need more than $max_dmas DMAs"
    }
    set inputs [dict get $manifest inputs]
    set until [dict get $call until]
    if {[llength $inputs] > 0 && $until ne {design}} {
        error "what feeds [join $inputs] is outside the design, so it cannot go on to $until"
    }
    set has_board [project [dict get $call board] [dict get $call out]]
    create_bd_design trace
    processing_system $has_board [dict get $manifest port]
    set dmas [decoders $cores $manifest]
    outside $cores $inputs
    addresses $cores $dmas
    validate_bd_design
    save_bd_design
    set wrapper [make_wrapper -top -files [get_files trace.bd]]
    add_files -norecurse $wrapper
    set_property top trace_wrapper [current_fileset]
    if {$until ne {design}} {
        implement $until [dict get $call jobs] [dict get $call out]
    }
    close_project
}

# Waits for a run, which must end well.
proc etm4::design::finish {run jobs args} {
    launch_runs $run -jobs $jobs {*}$args
    wait_on_run $run
    if {[get_property PROGRESS [get_runs $run]] ne {100%}} {
        error "$run has failed: [get_property STATUS [get_runs $run]]"
    }
    open_run $run
}

# Timing, clock crossings and utilisation of the open design.
proc etm4::design::reports {out stage} {
    report_timing_summary -file [file join $out ${stage}_timing.txt]
    report_cdc -details -file [file join $out ${stage}_cdc.txt]
    report_bus_skew -file [file join $out ${stage}_bus_skew.txt]
    report_utilization -hierarchical -file [file join $out ${stage}_utilization.txt]
    etm4::crossings::check
}

proc etm4::design::implement {until jobs out} {
    finish synth_1 $jobs
    reports $out synthesis
    if {$until eq {synthesis}} {
        return
    }
    finish impl_1 $jobs -to_step write_bitstream
    reports $out implementation
    foreach delay {max min} {
        set slack [get_property SLACK [get_timing_paths -delay_type $delay]]
        if {$slack < 0} {
            error "timing is missed: the worst $delay slack is $slack ns"
        }
    }
    write_hw_platform -fixed -include_bit -force [file join $out trace.xsa]
}

if {[catch {set etm4::design::call [etm4::design::arguments $argv]} message]} {
    puts stderr "ERROR: $message\n$etm4::design::usage"
    exit 2
}
if {[catch {etm4::design::build $etm4::design::call} message]} {
    puts stderr "ERROR: $message"
    exit 1
}
puts "BUILT [dict get $etm4::design::call board] in [dict get $etm4::design::call out]"
