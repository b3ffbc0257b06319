# SPDX-License-Identifier: MIT OR Apache-2.0
# The result of a run as a readable line and as JSON. Plain Tcl 8.5, no Vivado.

namespace eval etm4::result {}

# A JSON string in ASCII, so the encoding of the file does not matter.
proc etm4::result::quoted {text} {
    set out {}
    foreach char [split $text {}] {
        scan $char %c code
        if {$code < 32 || $code > 126} {
            append out [format {\u%04x} $code]
        } elseif {$char in {\" \\}} {
            append out \\ $char
        } else {
            append out $char
        }
    }
    return "\"$out\""
}

# A JSON object from a dict whose values are JSON.
proc etm4::result::json_object {members} {
    set out {}
    dict for {key value} $members {
        lappend out "[quoted $key]: $value"
    }
    return "{[join $out {, }]}"
}

# A JSON array from a list of JSON values.
proc etm4::result::json_array {values} {
    return "\[[join $values {, }]\]"
}

# A JSON array from a list of strings.
proc etm4::result::strings {values} {
    set out {}
    foreach value $values {
        lappend out [quoted $value]
    }
    return [json_array $out]
}

# The JSON of a run. A run that ended with an error has only the head, the verdict and the reasons.
proc etm4::result::json {run} {
    set out [dict create schema [quoted etm4.vivado/1]]
    foreach key {preset version verilog_sha256 part tool} {
        dict set out $key [quoted [dict get $run $key]]
    }
    dict set out period_ns [dict get $run period]
    dict set out verdict [quoted [dict get $run verdict]]
    dict set out reasons [strings [dict get $run reasons]]
    if {[dict exists $run timing]} {
        foreach key {timing checks utilization} {
            dict set out $key [json_object [dict get $run $key]]
        }
        dict set out route_errors [dict get $run route_errors]
        set rows {}
        foreach row [dict get $run methodology] {
            foreach key {rule severity description} {
                dict set row $key [quoted [dict get $row $key]]
            }
            lappend rows [json_object $row]
        }
        dict set out methodology [json_array $rows]
        dict set out missing_reports [strings [dict get $run missing_reports]]
    }
    set lines {}
    dict for {key value} $out {
        lappend lines "  [quoted $key]: $value"
    }
    return "{\n[join $lines ,\n]\n}\n"
}

# The RESULT line of a run, with `-` for values missing because of an error.
proc etm4::result::line {run} {
    set out RESULT
    foreach key {preset part period} {
        append out " $key=[dict get $run $key]"
    }
    foreach {name section key} {
        WNS timing wns_ns TNS timing tns_ns WHS timing whs_ns pulse_width timing wpws_ns
        LUT utilization lut FF utilization ff BRAM utilization bram
    } {
        # Not `expr`: it would reformat numbers.
        set value -
        if {[dict exists $run $section $key]} {
            set value [dict get $run $section $key]
        }
        append out " $name=$value"
    }
    return "$out verdict=[dict get $run verdict]"
}
