// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes since the last record, counted one by one: the count falls only at a record, a loss or a
// reset, and never overflows. `OUTCOME` are the bits of an action that encode how a record ends, if
// one does.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);

    wire [3:0] keep = {keep_3, keep_2, keep_1, keep_0} & {4{valid}};
    wire [3:0] ends = {|action_3`OUTCOME, |action_2`OUTCOME, |action_1`OUTCOME, |action_0`OUTCOME};
    reg [31:0] count;
    integer i;
    always @* begin
        count = valid && discontinuity ? 0 : pending;
        for (i = 0; i < 4; i = i + 1)
            if (keep[i])
                count = ends[i] ? 0 : count == 32'hFFFFFFFF ? count : count + 1;
        assert(after == (reset ? 0 : count));
        if (!reset && !(valid && discontinuity) && !(keep & ends))
            assert(after >= pending);
    end
endmodule
