// SPDX-License-Identifier: MIT OR Apache-2.0
// A FIFO between two clocks counts the words that it has lost: the output is their number three
// edges of `clock` ago, or after that step, and it saturates. After a reset, which may come at any
// time, it starts at 0. A clock is 1 in the steps in which it rises. A run may start with any
// number.
module rules(`INPUTS);
    `OUTPUTS
    wire step;
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.has_room , \dut.is_quiet ;
    (* hierconn *) wire [`N-1:0] \dut.drops__count , \dut.drops__gray , \dut.drops__gray_next ;
    (* hierconn *) wire [`N-1:0] \dut.drops_seen.old , \dut.drops_seen.open ;
    (* hierconn *) wire [`N-1:0] \dut.drops_seen.first , \dut.drops_seen__q ;
    (* hierconn *) wire \dut.is_due__q , \dut.asks__q , \dut.write_reset__q , \dut.is_cleared__q ;
    (* hierconn *) wire \dut.write_reset.old , \dut.write_reset.open ;
    (* hierconn *) wire \dut.is_cleared.old , \dut.is_cleared.open ;
    function [`N-1:0] code(input [`N-1:0] number);
        code = number ^ number >> 1;
    endfunction

    function follows(input [`N-1:0] number, input [`N-1:0] earlier);
        follows = number == earlier || earlier != {`N{1'b1}} && number == earlier + 1'b1;
    endfunction

    // The words lost, now and at the last edges of `clock`, and what the registers on the way show.
    reg [`N-1:0] lost, lost_1 = 0, lost_2 = 0, lost_3 = 0;
    reg [`N-1:0] lost_s1 = 0, lost_s2 = 0, shown = 0;
    wire [`N-1:0] lost_first = \dut.drops_seen.first == code(lost_s1) ? lost_s1 : lost;
    always @(posedge step) begin
        if (write_clock && write_valid && !\dut.has_room && lost != {`N{1'b1}})
            lost <= lost + 1;
        if (write_clock && \dut.write_reset__q )
            lost <= 0;
        lost_s1 <= clock ? lost : lost_first;
        if (clock) begin
            lost_1 <= lost;
            lost_2 <= lost_1;
            lost_3 <= \dut.is_quiet ? 0 : lost_2;
            lost_s2 <= lost_first;
            shown <= \dut.is_quiet ? 0 : lost_s2;
        end
    end

    reg past = 0;
    always @(posedge step)
        past <= 1;
    always @*
        if (!past)
            assume(\dut.drops__count == lost && \dut.drops__gray == code(lost)
                && \dut.drops__gray_next == code(lost + 1'b1) && sts_overflows == 0);

    // The reset handshake.
    wire is_round, is_calm, is_cleared, sees_1;
    reset_round reset_round(
        .round({\dut.asks__q , \dut.write_reset.old , \dut.write_reset__q ,
            \dut.is_cleared.old , \dut.is_cleared__q }),
        .is_due(\dut.is_due__q ),
        .asked_open(\dut.write_reset.open ), .cleared_open(\dut.is_cleared.open ),
        .is_round(is_round), .is_calm(is_calm), .is_cleared(is_cleared), .sees_1(sees_1)
    );
    always @* begin
        assert(sts_overflows == shown && follows(shown, lost_3));
        // At most one bit is in doubt.
        if (is_calm || sees_1) begin
            assert(\dut.drops_seen.old == code(lost_s1));
            assert(lost_s1 == lost_1 || follows(lost_s1, lost_1) && \dut.drops_seen.open == 0);
            assert(follows(lost, lost_s1) || \dut.drops_seen.open == 0);
        end
        if (is_calm)
            assert(\dut.drops_seen__q == code(lost_s2) && follows(lost_s2, lost_2));
        assert(is_calm || shown == 0);
        assert(is_round);
        assert(!is_cleared || lost == 0);
        // The registers of the block say the same.
        assert(\dut.drops__count == lost && \dut.drops__gray == code(lost)
            && \dut.drops__gray_next == code(lost + 1'b1));
    end
endmodule
