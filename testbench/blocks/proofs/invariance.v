// SPDX-License-Identifier: MIT OR Apache-2.0
// The invariant holds after reset and, if it holds before a byte, after it.

`include "names.vh"

module invariance (
  input wire [`SETTINGS_W-1:0] settings,
  input wire lenient,
  input wire valid,
  input wire discontinuity,
  input wire keep,
  input wire [7:0] octet,
  input wire [`STREAM_W-1:0] state,
  input wire [`ROW_W-1:0] row_stale,
  input wire [3:0] zero_count,
  input wire [10:0] zeros,
  input wire [7:0] more,
  output wire assumed,
  output wire kept,
  output wire starts
);
  wire [`CONFIG_W-1:0] cfg;
  config_decode decode (.settings(settings), .cfg(cfg));

  wire [`STREAM_W-1:0] state_after;
  wire [3:0] zero_count_after;
  wire [10:0] zeros_after;
  wire [7:0] more_after;
  byte_step step (
    .cfg(cfg), .lenient(lenient), .reset(1'b0), .valid(1'b1), .discontinuity(discontinuity),
    .keep(keep), .octet(octet), .state(state), .zero_count(zero_count), .zeros(zeros),
    .more(more), .state_after(state_after), .zero_count_after(zero_count_after),
    .zeros_after(zeros_after), .more_after(more_after), .role());
  wire known, timed, counted, known_after, timed_after, counted_after;
  wire known_first, timed_first, counted_first;
  invariant before (
    .state(state), .zero_count(zero_count), .zeros(zeros), .more(more), .known(known), .timed(timed),
    .counted(counted));
  assign assumed = known && timed && counted;
  invariant after (
    .state(state_after), .zero_count(zero_count_after), .zeros(zeros_after), .more(more_after),
    .known(known_after), .timed(timed_after), .counted(counted_after));
  assign kept = known_after && timed_after && counted_after;

  // Reset in any state, with anything in the pipeline.
  wire [`STREAM_W-1:0] state_first;
  wire [3:0] zero_count_first;
  wire [10:0] zeros_first;
  wire [7:0] more_first;
  byte_step first (
    .cfg(cfg), .lenient(lenient), .reset(1'b1), .valid(valid), .discontinuity(discontinuity),
    .keep(keep), .octet(octet), .state(state), .zero_count(zero_count), .zeros(zeros),
    .more(more), .state_after(state_first), .zero_count_after(zero_count_first),
    .zeros_after(zeros_first), .more_after(more_first), .role());
  invariant at_first (
    .state(state_first), .zero_count(zero_count_first), .zeros(zeros_first), .more(more_first),
    .known(known_first), .timed(timed_first), .counted(counted_first));
  // The byte in the first stage at the reset reaches the stream state after it, without a hit.
  wire [`STREAM_W-1:0] state_stale;
  stream_state_process stale (
    .cfg(cfg), .reset(1'b0), .lenient(lenient), .valid(valid), .discontinuity(discontinuity),
    .state(state_first), .row_0(row_stale), .octet_0(octet), .keep_0(keep), .hit_0(1'b0),
    .after(state_stale), .role_0());
  assign starts = known_first && timed_first && counted_first && `stream_mode(state_first) == `MODE_UNSYNC
    && zero_count_first == 0 && `stream_mode(state_stale) == `MODE_UNSYNC;
endmodule
