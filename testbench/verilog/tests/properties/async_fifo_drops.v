// SPDX-License-Identifier: MIT OR Apache-2.0
// A FIFO between two clocks tells the words that it has lost: what it shows is their number three
// edges of `clock` ago, or after that step, and it stays at the greatest one.
// A clock is 1 in the steps in which it rises. Assumed: there is no reset; a run may begin with any
// number.
module rules(`INPUTS);
    `OUTPUTS
    wire step;
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.is_full ;
    (* hierconn *) wire [15:0] \dut.drops__count , \dut.drops__gray ;
    (* hierconn *) wire [15:0] \dut.drops_seen.old , \dut.drops_seen.open ;
    (* hierconn *) wire [15:0] \dut.drops_seen.first , \dut.drops_seen__q ;
    (* hierconn *) wire \dut.is_due__q , \dut.asks__q , \dut.write_reset__q , \dut.is_cleared__q ;
    (* hierconn *) wire \dut.write_reset.old , \dut.is_cleared.old ;
    function [15:0] code(input [15:0] number);
        code = number ^ number >> 1;
    endfunction

    function follows(input [15:0] number, input [15:0] earlier);
        follows = number == earlier || earlier != 16'hffff && number == earlier + 1'b1;
    endfunction

    // The words lost, now and at the last edges of `clock`, and what the registers on the way show.
    reg [15:0] lost, lost_1 = 0, lost_2 = 0, lost_3 = 0;
    reg [15:0] lost_s1 = 0, lost_s2 = 0, shown = 0;
    wire [15:0] lost_first = \dut.drops_seen.first == code(lost_s1) ? lost_s1 : lost;
    always @(posedge step) begin
        if (write_clock && write_valid && \dut.is_full && lost != 16'hffff)
            lost <= lost + 1;
        lost_s1 <= clock ? lost : lost_first;
        if (clock) begin
            lost_1 <= lost;
            lost_2 <= lost_1;
            lost_3 <= lost_2;
            lost_s2 <= lost_first;
            shown <= lost_s2;
        end
    end

    reg past = 0;
    always @(posedge step)
        past <= 1;
    always @* begin
        assume(!reset);
        if (!past)
            assume(\dut.drops__count == lost && \dut.drops__gray == code(lost) && sts_overflows == 0);
    end
    always @* begin
        assert(sts_overflows == shown);
        assert(follows(shown, lost_3));
        assert(follows(lost_s2, lost_2));
        assert(lost_s1 == lost_1 || follows(lost_s1, lost_1) && \dut.drops_seen.open == 0);
        // One step changes one bit at most.
        assert(\dut.drops_seen.open == 0 || follows(lost, lost_s1));
        // The registers of the block say the same.
        assert(\dut.drops__count == lost && \dut.drops__gray == code(lost));
        assert(\dut.drops_seen.old == code(lost_s1) && \dut.drops_seen__q == code(lost_s2));
        // Nobody asks for a reset.
        assert(!\dut.is_due__q && !\dut.asks__q && !\dut.write_reset__q && !\dut.is_cleared__q );
        assert(!\dut.write_reset.old && !\dut.is_cleared.old );
    end
endmodule
