// SPDX-License-Identifier: MIT OR Apache-2.0
// Numbered words through the exported `async_fifo`, with 32 bits, at two clocks of any periods.
// They must be read in order and flagged exactly after a gap, and the gaps must add up to the
// count. A second stream follows a reset, during which the write clock is stopped.
`timescale 1ps/1ps
module async_fifo_bench;
  parameter WRITE_PERIOD = 10000;
  parameter READ_PERIOD = 10000;
  // Cycles of the writer in which a stream is sent.
  parameter CYCLES = 3000;

  reg write_clock = 0, write_runs = 1, write_valid = 0, sends = 0;
  reg clock = 0, reset = 0;
  reg [31:0] write_data = 0;
  wire [31:0] data;
  wire valid, lost;
  wire [15:0] overflows;

  async_fifo fifo (
    .write_clock(write_clock), .write_data(write_data), .write_valid(write_valid),
    .clock(clock), .reset(reset), .enable(1'b1), .m_axis_tdata(data), .m_axis_tvalid(valid),
    .m_axis_tuser(lost), .sts_overflows(overflows)
  );

  always #(WRITE_PERIOD / 2) if (write_runs || write_clock) write_clock = ~write_clock;
  always #(READ_PERIOD / 2) clock = ~clock;

  // Words written, words read, words in gaps, and errors.
  integer written = 0, taken = 0, gaps = 0, errors = 0;
  integer expected = 0, seed = 1;
  // The first word after a reset may have any number that is not too old.
  reg is_first = 0;
  integer oldest = 0;

  always @(posedge write_clock) if (write_valid) written = written + 1;
  always @(negedge write_clock) begin
    write_valid = sends && ($random(seed) & 7) != 0;
    write_data = written;
  end

  always @(negedge clock) begin
    if (valid === 1'bx || overflows === 16'bx) errors = errors + 1;
    if (valid === 1'b1) begin
      if (is_first) begin
        expected = data;
        if (data < oldest) errors = errors + 1;
      end
      is_first = 0;
      if (data < expected || data >= written) errors = errors + 1;
      if (lost !== (data != expected)) errors = errors + 1;
      gaps = gaps + data - expected;
      expected = data + 1;
      taken = taken + 1;
    end
  end

  task stream;
    begin
      sends = 1;
      repeat (CYCLES) @(negedge write_clock);
      sends = 0;
      repeat (10) @(negedge write_clock);
      repeat (40) @(negedge clock);
      #1 gaps = gaps + written - expected;
      $display("STREAM %0d %0d %0d %0d", taken, gaps, overflows, errors);
    end
  endtask

  initial begin
    stream;
    // The memory holds words at the reset, and the write clock is stopped.
    sends = 1;
    repeat (CYCLES) @(negedge write_clock);
    write_runs = 0;
    @(negedge clock) reset = 1;
    @(negedge clock) reset = 0;
    #1 is_first = 1; oldest = written; taken = 0; gaps = 0; expected = written;
    repeat (20) @(negedge clock);
    if (is_first == 0 || overflows != 0) errors = errors + 1;
    write_runs = 1;
    stream;
    $finish;
  end
endmodule
