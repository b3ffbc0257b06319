// SPDX-License-Identifier: MIT OR Apache-2.0
// What arrives at a site departs from it: in the hops of any tokens through any table, with all of them
// counted or those between triggers, a flow begins once, goes on where it was, and ends where it is. From this follows the rule of the sums: what leads to
// a site or begins there is taken, passed or left there, but for the flow that goes on.
// Assumed of the tokens: what the serializer says of them.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    localparam SITES = 1 << `SW;
    (* hierconn *) wire [SITES*`SW-1:0] \dut.tables.exits.all ;
    (* hierconn *) wire [SITES*`FLAGS_W-1:0] \dut.tables.flag_words.all ;

    // What a trace unit is stays, and whether triggers start and stop counting.
    reg is_ete;
    reg is_windowed;
    // A token without an E is followed by one with a site, or by an empty cycle or one with cycles alone.
    reg must_wait = 0;
    reg first = 1;
    always @(posedge clock) begin
        first <= 0;
        is_ete <= ete;
        is_windowed <= windowed;
        must_wait <= token_valid & ~`token_taken & ~`token_only_counts;
    end
    always @* begin
        assume(reset == first);
        assume(first || ete == is_ete && windowed == is_windowed);
        if (token_valid) begin
            assume((`token_has_address | `token_source) == has_site);
            assume(!`token_has_address || !`token_source);
            assume(!`token_source || `token_taken && `token_count == 0);
            assume(!(`token_loaded && `token_damaged));
            // With one walker each address ends what was before.
            assume(`token_ends == `token_has_address && !`token_cuts);
            assume(`token_end_loaded == `token_loaded);
            assume(!has_site || end_site == site);
            assume(!must_wait || has_site || `token_only_counts);
            if (`token_only_counts)
                assume(`token_counted && !has_site && !`token_interrupted && !`token_forgets && `token_count == 0);
            // What is behind the atoms of an entry is in a token of its own.
            if (`token_leaves || `token_gap != 0 || `token_reads_out || `token_counted)
                assume(!`token_taken);
            assume(`token_leaves + (`token_gap != 0) + `token_reads_out + `token_counted <= 1);
            assume(`token_leaves || !`token_is_q);
        end
    end

    // The flow that goes on, and the site that it waits for.
    reg goes_on = 0;
    reg [`SW-1:0] waits_for;
    wire after_left = goes_on & ~`hop_left;
    wire has_begun = after_left | `hop_enters;
    wire [`SW-1:0] from = `hop_enters ? hop_base : waits_for;
    wire [`SW-1:0] behind = from + `hop_count;
    wire [`SW-1:0] passed = hop_ended_at - from;
    wire [`FLAGS_W-1:0] flags = \dut.tables.flag_words.all [hop_at * `FLAGS_W +: `FLAGS_W];
    wire [`SW-1:0] exit = \dut.tables.exits.all [hop_at * `SW +: `SW];
    always @(posedge clock) begin
        goes_on <= has_begun & ~`hop_leaves;
        waits_for <= from;
        if (`hop_valid)
            waits_for <= behind;
        if (`hop_taken) begin
            // Where an indirect branch leads, and one to the outside, begins another flow.
            goes_on <= ~flags[1] & ~flags[2];
            waits_for <= exit;
        end
        if (reset)
            goes_on <= 0;
    end

    always @* if (!first) begin
        if (`hop_left)
            assert(goes_on && hop_left_at == waits_for);
        if (`hop_enters)
            assert(!after_left);
        if (`hop_taken)
            assert(has_begun && !`hop_leaves && hop_base == from
                && (hop_at == behind || `hop_spans && from <= hop_at));
        if (`hop_leaves)
            assert(has_begun && (passed <= `hop_count || `hop_spans && from <= hop_ended_at));
        // A place that is lost is that of no flow.
        if (`hop_reason != 0 || `hop_gap != 0)
            assert(!has_begun || `hop_leaves);
        if (`hop_end_reason != 0)
            assert(!after_left);
    end
endmodule
