// SPDX-License-Identifier: MIT OR Apache-2.0
// A stack of 16 places against a list of at most 16 values, the newest in the low bits: a push
// displaces the lowest value of a full list. `W` are the bits of a value.
// Assumed: there is no pop of an empty stack, and no push together with a pop.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [`W-1:0] \dut.top__q ;
    (* hierconn *) wire [3:0] \dut.place__q , \dut.free__q ;
    (* hierconn *) wire [4:0] \dut.depth__q ;
    (* hierconn *) wire [16*`W-1:0] \dut.below.all ;

    reg [16*`W-1:0] list;
    reg [4:0] depth = 0;
    always @(posedge clock) begin
        if (push) begin
            list <= {list, value};
            if (depth != 16)
                depth <= depth + 1;
        end
        if (pop) begin
            list <= list >> `W;
            depth <= depth - 1;
        end
        if (flush | reset)
            depth <= 0;
    end
    always @*
        assume(!(pop && (push || depth == 0)));

    integer k;
    reg [3:0] at;
    always @* begin
        assert(filled == (depth != 0));
        if (push)
            assert(top_next == value);
        else if (pop) begin
            if (depth > 1)
                assert(top_next == list[`W +: `W]);
        end else if (depth != 0)
            assert(top_next == list[0 +: `W]);

        // The registers of the block agree with this.
        assert(depth <= 16 && \dut.depth__q == depth);
        if (depth != 0) begin
            assert(\dut.top__q == list[0 +: `W]);
            assert(\dut.free__q == \dut.place__q + 4'd1);
        end
        for (k = 1; k < 16; k = k + 1) begin
            at = \dut.place__q + 4'd1 - k;
            if (k < depth)
                assert(\dut.below.all [at * `W +: `W] == list[k * `W +: `W]);
        end
    end
endmodule
