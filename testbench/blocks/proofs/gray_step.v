// SPDX-License-Identifier: MIT OR Apache-2.0
// A counter whose Gray code another clock may read: the code matches the count, and no edge changes
// more than one bit of it, except one that clears it.
module gray_step (input clock, input enable, input clear, output holds);
  wire [`W-1:0] count, gray, gray_next;
  `COUNTER counter (
    .clock(clock), .enable(enable), .clear(clear),
    .count(count), .gray(gray), .gray_next(gray_next)
  );

  reg [`W-1:0] gray_before = 0;
  reg was_cleared = 0;
  always @(posedge clock) begin
    gray_before <= gray;
    was_cleared <= clear;
  end

  wire [`W-1:0] changed = gray ^ gray_before;
  wire steps = was_cleared || (changed & (changed - 1'b1)) == 0;
  wire [`W-1:0] next = count + 1'b1;
  assign holds = steps && gray == (count ^ (count >> 1)) && gray_next == (next ^ (next >> 1));
endmodule
