// SPDX-License-Identifier: MIT OR Apache-2.0
// The end of a read-out of indirect branches goes into the FIFO behind the entry of every place of
// the table: each was emptied since the read-out began, and its entry has left the table, which takes
// four cycles.
// Assumed: a read-out begins after the end of the one before; and, if `FROM_ANY` is 1, that all of this
// holds at first. Memories return any word.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.turns__q , \dut.walking__q , \dut.settling__q , \dut.ending__q ;
    (* hierconn *) wire \dut.empties , \dut.ends ;
    (* hierconn *) wire [8:0] \dut.place__q ;
    (* hierconn *) wire [2:0] \dut.tail__q ;
    wire walking = \dut.walking__q ;
    wire settling = \dut.settling__q ;
    wire ending = \dut.ending__q ;
    wire empties = \dut.empties ;

    // Any place of the table: whether it was emptied since the read-out began. Cycles since a place
    // was emptied.
    reg [8:0] place;
    reg emptied `AT_FIRST;
    reg [3:0] rest `AT_FIRST;
    always @(posedge clock) begin
        place <= place;
        emptied <= !reset && !\dut.turns__q && (emptied || empties && \dut.place__q == place);
        rest <= empties ? 0 : rest == 15 ? 15 : rest + 1;
    end
    reg holds;
    always @* begin
        holds = walking + settling + ending <= 1;
        if ((walking && \dut.place__q > place || settling || ending) && !emptied)
            holds = 0;
        if (settling && rest < \dut.tail__q || ending && rest < 7)
            holds = 0;
        if (\dut.ends && !(emptied && rest > 4))
            holds = 0;
    end
    reg first = 1;
    always @(posedge clock)
        first <= 0;
    always @* begin
        assume(!(\dut.turns__q && (walking || settling || ending)));
        assume(holds || !first || !`FROM_ANY);
        assert(holds);
    end
endmodule
