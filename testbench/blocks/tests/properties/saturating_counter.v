// SPDX-License-Identifier: MIT OR Apache-2.0
// A count never falls but by a reset or a clear, is the sum of all amounts, and stays at its greatest
// value, whatever it begins with. A clear takes away what the count shows and nothing else.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);

    reg [31:0] was = 0;
    reg past = 0, was_reset = 0, was_clear = 0;
    reg [2:0] amount_1 = 0, amount_2 = 0;
    always @(posedge clock) begin
        past <= 1;
        was <= count;
        was_reset <= reset;
        was_clear <= clear;
        amount_1 <= reset ? 0 : amount;
        amount_2 <= amount_1;
    end
    wire [32:0] sum = {1'b0, was} + {30'd0, amount_2};
    always @* begin
        if (was_reset)
            assert(count == 0);
        else if (was_clear && past)
            assert(count == amount_2);
        else if (past) begin
            assert(count >= was);
            assert(count == (sum[32] ? 32'hFFFFFFFF : sum[31:0]));
        end
    end
endmodule
