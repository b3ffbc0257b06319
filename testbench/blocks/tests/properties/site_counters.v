// SPDX-License-Identifier: MIT OR Apache-2.0
// Sums by site against one that takes an event at a time, for any one site: the one that the memory
// keeps. An event adds its amount, or puts another sum in its place; bit 32 stays once the sum has
// passed 2^32. The memory has it four cycles later, and what was there comes out in three.
// Assumed: at first nothing is on its way; the memory may hold anything.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [`A-1:0] \dut.sums.place ;
    (* hierconn *) wire [32:0] \dut.sums.word ;

    // The sum behind the events up to the one of the last cycle, and up to those before that.
    reg [32:0] now, was_1, was_2, was_3;
    wire comes = valid && site == \dut.sums.place ;
    wire [33:0] total = {1'b0, now[31:0]} + amount;
    wire [32:0] sum_behind = replaces ? value : {now[32] | total[32], total[31:0]};
    always @(posedge clock) begin
        now <= comes ? sum_behind : now;
        {was_3, was_2, was_1} <= {was_2, was_1, now};
        // The event that is written now is the last one that counts.
        if (reset)
            {was_3, was_2, was_1, now} <= {4{was_2}};
    end

    // Whether an event of the last cycles was to put another sum there, at this site and at any.
    reg [2:0] replaced = 0, replaced_here = 0;
    reg fills_here = 0;
    always @(posedge clock) begin
        replaced <= reset ? 0 : {replaced, valid & replaces};
        replaced_here <= reset ? 0 : {replaced_here, comes & replaces};
    end

    reg first = 1;
    always @(posedge clock)
        first <= 0;
    always @*
        if (first)
            assume({now, was_1, was_2, was_3} == {4{\dut.sums.word }});

    always @* begin
        assert(\dut.sums.word == was_3);
        assert(sum_valid == replaced[2]);
        if (replaced_here[2])
            assert(sum == was_3);
    end
endmodule
