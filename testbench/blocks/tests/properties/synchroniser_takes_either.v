// SPDX-License-Identifier: MIT OR Apache-2.0
// A synchroniser equals `takes_either.v` if no bit is in doubt.
module rules(`INPUTS);
    wire [1:0] q, either_q;
    synchroniser dut(.clock(clock), .d(d), .q(q));
    `BLOCK either(.clock(clock), .d(d), .q(either_q));
    (* hierconn *) wire [1:0] \dut.inside , \either.old , \either.open ;
    always @*
        assume(\either.open == 0);
    always @*
        assert(q == either_q && \dut.inside == \either.old );
endmodule
