// SPDX-License-Identifier: MIT OR Apache-2.0
//! Identifiers: `$` becomes `__`, and keywords of Verilog and SystemVerilog are refused.

/// Words of IEEE 1364-2005 and IEEE 1800-2017 that cannot be identifiers.
const KEYWORDS: &str = "
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class
clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign
default defparam design disable dist do edge else end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive
endprogram endproperty endspecify endsequence endtable endtask enum event eventually expect export
extends extern final first_match for force foreach forever fork forkjoin function generate genvar
global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir
include initial inout input inside instance int integer interconnect interface intersect join
join_any join_none large let liblist library local localparam logic longint macromodule matches
medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1
null or output package packed parameter pmos posedge primitive priority program property protected
pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos
rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence
shortint shortreal showcancelled signed small soft solve specify specparam static string strong
strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type
typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void
wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// Whether a name is reserved in Verilog or SystemVerilog.
pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_ascii_whitespace().any(|word| word == name)
}

/// Whether a name is a plain identifier.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_word)
}

/// Whether a character can continue an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The exported spelling of a rust-hdl path such as `fifo$0$data`: `fifo_0__data`.
///
/// Applied to whole Verilog text it leaves system functions such as `$signed` alone, because
/// their `$` starts a word.
pub(super) fn mangle(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '$' || !out.ends_with(is_word) {
            out.push(c);
        } else if rest.peek().is_some_and(char::is_ascii_digit) {
            out.push('_');
        } else {
            out.push_str("__");
        }
    }
    out
}

/// Whether `word` occurs in `text` as a whole identifier.
pub(super) fn mentions(text: &str, word: &str) -> bool {
    text.split(|c| !is_word(c)).any(|found| found == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_dollars_and_system_functions_keep_them() {
        assert_eq!(
            mangle("lane$0$data = $signed(x)"),
            "lane_0__data = $signed(x)"
        );
    }

    #[test]
    fn words_of_both_languages_are_reserved() {
        for word in ["wire", "table", "byte", "context", "unique"] {
            assert!(is_keyword(word), "{word}");
        }
        assert!(!is_keyword("evt"));
    }

    #[test]
    fn a_word_inside_another_word_is_not_mentioned() {
        assert!(mentions("a <= limit;", "limit"));
        assert!(!mentions("a <= limit_s1;", "limit"));
    }
}
