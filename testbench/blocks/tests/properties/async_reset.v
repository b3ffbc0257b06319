// SPDX-License-Identifier: MIT OR Apache-2.0
// The progress of the reset handshake of a FIFO between two clocks. It has ten steps: the reader
// requests, the writer sees it, the reader sees that, and the same for the end of the request.
// `round` is the request and both registers of both synchronisers; `asked_open` and `cleared_open`
// mean that the first of them is in doubt.
module reset_round(
    input [4:0] round, input is_due, input asked_open, input cleared_open,
    output is_round, output is_calm, output knows_1, output knows_2,
    output is_cleared, output begins, output sees_1
);
    wire [4:0] other = ~round;
    assign is_round = !(round & round + 1'b1) || !(other & other + 1'b1);
    assign is_calm = round == 0 && !is_due;
    // The writer sees a reader that is cleared, by one register and by two.
    assign knows_1 = round != 0 && (round != 5'b10000 || asked_open);
    assign knows_2 = round != 0 && round != 5'b10000 && round != 5'b11000;
    // The writer is cleared, and restarts.
    assign is_cleared = round == 5'b01111 && asked_open || round == 5'b00111;
    assign begins = is_cleared || round == 5'b00011 || round == 5'b00001;
    // The reader sees a writer that has been cleared, by one register.
    assign sees_1 = round == 5'b00011 && cleared_open || round == 5'b00001;
endmodule
