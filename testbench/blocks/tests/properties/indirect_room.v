// SPDX-License-Identifier: MIT OR Apache-2.0
// The FIFO of a table of indirect branches never overflows, from any state of the table: at most four
// entries are written after it sets `fills_up`, ten fewer than `sync_fifo.v` allows.
// Assumed: nothing. Memories return any word.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.entries__write_valid , \dut.entries__fills_up ;
    wire writes = \dut.entries__write_valid ;
    wire fills = \dut.entries__fills_up ;

    // Entries written since the FIFO set `fills_up`.
    reg [2:0] late = 0;
    always @(posedge clock)
        late <= reset | ~fills ? 0 : late + writes;
    always @* begin
        assert(late <= 4);
        if (late == 4)
            assert(!(writes && fills));
    end
endmodule
