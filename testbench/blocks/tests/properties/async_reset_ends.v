// SPDX-License-Identifier: MIT OR Apache-2.0
// A reset of a FIFO between two clocks ends if both clocks rise often enough: the reader requests
// it at the next edge, each side sees the other one at its second edge, and then the reader ends it
// and is no longer quiet. A clock is 1 in the steps in which it rises.
module rules(`INPUTS);
    `OUTPUTS
    wire step;
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.is_quiet , \dut.is_due__q , \dut.asks__q ;
    (* hierconn *) wire \dut.write_reset__q , \dut.write_reset.old , \dut.write_reset.open ;
    (* hierconn *) wire \dut.is_cleared__q , \dut.is_cleared.old , \dut.is_cleared.open ;
    wire asks = \dut.asks__q , asked = \dut.write_reset__q , clears = \dut.is_cleared__q ;
    wire is_round;
    reset_round reset_round(
        .round({asks, \dut.write_reset.old , asked, \dut.is_cleared.old , clears}),
        .is_due(\dut.is_due__q ),
        .asked_open(\dut.write_reset.open ), .cleared_open(\dut.is_cleared.open ),
        .is_round(is_round)
    );

    // Edges of each side since it has something to see.
    reg [1:0] writer_edges = 0, reader_edges = 0;
    // The state expected at the last edge of the reader.
    reg was_reset = 0, begins = 0, ends = 0;
    always @(posedge step) begin
        writer_edges <= asked == asks ? 0 : writer_edges + write_clock;
        reader_edges <= clears == asked ? 0 : reader_edges + clock;
        if (clock) begin
            was_reset <= reset;
            begins <= \dut.is_due__q && !asks && !clears;
            ends <= asks && clears;
        end
    end
    always @* begin
        assert(!was_reset || \dut.is_due__q );
        assert(!begins || asks);
        assert(!ends || !asks);
        if (asked != asks)
            assert(writer_edges == 0 || writer_edges == 1 && \dut.write_reset.old == asks);
        if (clears != asked)
            assert(reader_edges == 0 || reader_edges == 1 && \dut.is_cleared.old == asked);
        assert(is_round);
        assert(\dut.is_quiet == (reset || \dut.is_due__q || asks || clears));
    end
endmodule
