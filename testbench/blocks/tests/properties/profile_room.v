// SPDX-License-Identifier: MIT OR Apache-2.0
// The FIFOs of a profile path never overflow, from any state of the path: at most four entries are
// written after the FIFO of a table sets `fills_up`, two fewer than `sync_fifo.v` allows, and one
// after the last FIFO does.
// Assumed: nothing. Memories return any word.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.discards , \dut.beat_fifo__write_valid , \dut.beat_fifo__fills_up ;
    (* hierconn *) wire \dut.entry_fifo_0__write_valid , \dut.entry_fifo_1__write_valid ;
    (* hierconn *) wire \dut.entry_fifo_2__write_valid , \dut.entry_fifo_3__write_valid ;
    (* hierconn *) wire \dut.entry_fifo_0__fills_up , \dut.entry_fifo_1__fills_up ;
    (* hierconn *) wire \dut.entry_fifo_2__fills_up , \dut.entry_fifo_3__fills_up ;
    wire [3:0] writes = {\dut.entry_fifo_3__write_valid , \dut.entry_fifo_2__write_valid ,
        \dut.entry_fifo_1__write_valid , \dut.entry_fifo_0__write_valid };
    wire [3:0] fills = {\dut.entry_fifo_3__fills_up , \dut.entry_fifo_2__fills_up ,
        \dut.entry_fifo_1__fills_up , \dut.entry_fifo_0__fills_up };

    // Whether the last FIFO set `fills_up` a cycle ago.
    reg full = 0;
    always @(posedge clock)
        full <= \dut.beat_fifo__fills_up ;
    // Entries written since the FIFO set `fills_up`.
    reg [11:0] late = 0;
    integer n;
    always @(posedge clock)
        for (n = 0; n < 4; n = n + 1)
            late[3 * n +: 3] <= \dut.discards | ~fills[n] ? 0 : late[3 * n +: 3] + writes[n];
    always @* begin
        for (n = 0; n < 4; n = n + 1) begin
            assert(late[3 * n +: 3] <= 4);
            if (late[3 * n +: 3] == 4)
                assert(!(writes[n] && fills[n]));
        end
        assert(!(\dut.beat_fifo__write_valid && full));
    end
endmodule
