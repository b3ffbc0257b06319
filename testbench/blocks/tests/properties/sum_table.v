// SPDX-License-Identifier: MIT OR Apache-2.0
// A table of sums against one that processes an event at a time, for any one place: the one that
// the memory keeps. An event with the stored key is added. Any other event, and one whose sum would
// overflow 32 bits, evicts the entry and starts a new sum with its own weight. A flush evicts the
// entry and empties the place. All of this is visible four cycles later.
// Assumed: at first the pipeline is empty; the place may hold anything. After a reset the claim is
// suspended until a flush of the place.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [8:0] \dut.places.place ;
    (* hierconn *) wire [98:0] \dut.places.word ;
    wire [8:0] place = \dut.places.place ;
    wire [98:0] word = \dut.places.word ;

    // The input, and whether it is for the place. The low bits of a key are its kind.
    wire comes = counts & evt[0] & ~flush;
    wire empties = flush && walk == place;
    wire adds = comes && evt[107:99] == place;
    wire [65:0] new_key = evt[66:1];
    wire [31:0] weight = evt[98:67];

    // The contents of the place, if known, and whether they are evicted now.
    reg known, full;
    reg [65:0] key;
    reg [31:0] sum;
    wire [32:0] total = {1'b0, sum} + {1'b0, weight};
    wire fits = full && key == new_key && !total[32];
    wire leaves = full && (empties || adds && !fits);
    always @(posedge clock) begin
        if (empties)
            {known, full} <= 2'b10;
        if (adds) begin
            full <= 1;
            key <= new_key;
            sum <= fits ? total[31:0] : weight;
        end
        if (reset)
            known <= 0;
    end

    // The sum of the weights of any one key that were sent to the place.
    reg [65:0] any_key;
    reg [39:0] came;
    always @(posedge clock) begin
        any_key <= any_key;
        if (!known)
            came <= 0;
        else if (adds && new_key == any_key)
            came <= came + weight;
    end

    // All this in the last four cycles, the oldest in the high bits.
    reg [3:0] comings = 0;
    reg [7:0] doings = 0;
    reg [559:0] states;
    always @(posedge clock) begin
        comings <= {comings, (comes | flush) & ~reset};
        doings <= {doings, known & ~reset & (empties | adds), leaves};
        states <= {states, known, full, key, sum, came};
    end
    wire was_known, was_full;
    wire [65:0] was_key;
    wire [31:0] was_sum;
    wire [39:0] was_came;
    assign {was_known, was_full, was_key, was_sum, was_came} = states[559:420];

    // The sum of its evicted weights, and of those in the memory.
    reg [39:0] left = 0;
    wire [39:0] holds = word[0] && word[66:1] == any_key ? word[98:67] : 0;
    always @(posedge clock)
        if (!was_known)
            left <= 0;
        else if (doings[7] && entry_valid && entry[65:0] == any_key)
            left <= left + entry[97:66];

    reg first = 1;
    always @(posedge clock)
        first <= 0;
    always @*
        if (first)
            assume({known, full, key, sum, came} == {1'b1, word[0], word[66:1], word[98:67], holds}
                && states == {4{known, full, key, sum, came}});

    always @* begin
        // An evicted entry is what the place held, and nothing else is evicted.
        if (!comings[3])
            assert(!entry_valid);
        if (doings[7]) begin
            assert(entry_valid == doings[6]);
            if (entry_valid)
                assert(entry == {was_sum, was_key});
        end
        if (was_known) begin
            assert(word[0] == was_full);
            if (was_full)
                assert(word[98:1] == {was_sum, was_key});
            // The input equals the evicted plus the stored sum, modulo 2^40.
            assert(was_came == left + holds);
        end
    end
endmodule
