// SPDX-License-Identifier: MIT OR Apache-2.0
// The FIFO of a table of indirect branches never overflows, from any state of the table: at most four
// entries are written after it sets `fills_up`, ten fewer than `sync_fifo.v` allows.
// Assumed: at first the FIFO does not say that it fills up without saying that it is half full. Memories
// return any word.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.entries__write_valid ;
    (* hierconn *) wire \dut.entries__fills_up , \dut.entries__half_full ;
    wire writes = \dut.entries__write_valid ;
    wire fills = \dut.entries__fills_up ;

    reg first = 1;
    always @(posedge clock)
        first <= 0;
    wire is_sound = \dut.entries__half_full || !fills;
    always @*
        if (first)
            assume(is_sound);

    // Entries written since the FIFO set `fills_up`.
    reg [2:0] late = 0;
    always @(posedge clock)
        late <= reset | ~fills ? 0 : late + writes;
    always @* begin
        assert(is_sound);
        assert(late <= 4);
        if (late == 4)
            assert(!(writes && fills));
    end
endmodule
