// SPDX-License-Identifier: MIT OR Apache-2.0
// Samples through the pins of the exported `alchitry_cu`, with a port clock unrelated to the
// board's clock, and the characters on its serial line.
`timescale 1ps/1ps
module board_bench;
  parameter SAMPLES = 1;
  // Cycles of the board's clock in a bit of the line: twice those of the probe's.
  parameter BIT_CYCLES = 4;
  // Of the port, between two edges; the board's clock is one of 100 MHz.
  parameter EDGE = 21013;

  reg clock = 0, traceclk = 0, usb_rx = 1;
  reg [3:0] tracedata = 0;
  wire usb_tx;
  wire [7:0] leds;
  reg [3:0] samples [0:SAMPLES-1];

  alchitry_cu board (
    .clock(clock), .traceclk(traceclk), .tracedata(tracedata), .usb_rx(usb_rx), .usb_tx(usb_tx),
    .leds(leds)
  );

  always #5000 clock = ~clock;

  localparam BIT = 10000 * BIT_CYCLES;
  integer n, bit_number;
  reg [7:0] character;

  // The host: sends `1`, and prints what it receives.
  initial begin
    #(20 * BIT);
    character = 8'h31;
    usb_rx = 0; #BIT;
    for (n = 0; n < 8; n = n + 1) begin usb_rx = character[n]; #BIT; end
    usb_rx = 1;
  end
  reg [7:0] received;
  integer quiet = 0;
  initial #1000 forever begin
    @(negedge usb_tx);
    quiet = 0;
    #(BIT + BIT / 2);
    for (bit_number = 0; bit_number < 8; bit_number = bit_number + 1) begin
      received[bit_number] = usb_tx;
      #BIT;
    end
    $display("RX %h %b", received, usb_tx);
  end

  // The port: its data are valid half a period before and after each edge.
  integer sample;
  initial begin
    $readmemh("samples.mem", samples);
    #(60 * BIT);
    for (sample = 0; sample < SAMPLES; sample = sample + 1) begin
      tracedata = samples[sample];
      #(EDGE / 2) traceclk = ~traceclk;
      #(EDGE - EDGE / 2);
    end
    while (quiet < 200) begin #(10 * BIT) quiet = quiet + 1; end
    $display("LEDS %b", leds);
    $display("DONE");
    $finish;
  end
endmodule
