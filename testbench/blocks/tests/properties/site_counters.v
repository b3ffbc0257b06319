// SPDX-License-Identifier: MIT OR Apache-2.0
// Sums by site against one that takes an event at a time, for any one site: the one that the memory
// keeps. An event adds its amount, or clears the sum; bit 31 stays once the sum has passed 2^31. The
// memory has it three cycles later, and what was there comes out in two.
// Assumed: at first nothing is on its way; the memory may hold anything.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [`A-1:0] \dut.sums.place ;
    (* hierconn *) wire [31:0] \dut.sums.word ;

    // The sum behind the events up to the one of the last cycle, and up to those before that.
    reg [31:0] now, was_1, was_2;
    wire comes = valid && site == \dut.sums.place ;
    wire [31:0] total = {1'b0, now[30:0]} + amount;
    wire [31:0] sum_behind = clears ? 0 : {now[31] | total[31], total[30:0]};
    always @(posedge clock) begin
        now <= comes ? sum_behind : now;
        {was_2, was_1} <= {was_1, now};
        // The event that is written now is the last one that counts.
        if (reset)
            {was_2, was_1, now} <= {3{was_1}};
    end

    // Whether an event of the last cycles cleared a sum, at this site and at any.
    reg [1:0] cleared = 0, cleared_here = 0;
    always @(posedge clock) begin
        cleared <= reset ? 0 : {cleared, valid & clears};
        cleared_here <= reset ? 0 : {cleared_here, comes & clears};
    end

    reg first = 1;
    always @(posedge clock)
        first <= 0;
    always @*
        if (first)
            assume({now, was_1, was_2} == {3{\dut.sums.word }});

    always @* begin
        assert(\dut.sums.word == was_2);
        assert(sum_valid == cleared[1]);
        if (cleared_here[1])
            assert(sum == was_2);
    end
endmodule
