// SPDX-License-Identifier: MIT OR Apache-2.0
// From every valid state of the chained decoder, an A-Sync leads to the state after an A-Sync.
// Under resync every error leads to the state without sync, and only an A-Sync leads out of it.

`include "names.vh"

module resync (
  input wire [`SETTINGS_W-1:0] settings,
  input wire lenient,
  input wire discontinuity,
  input wire [7:0] octet,
  input wire [`STREAM_W-1:0] state,
  input wire [3:0] zero_count,
  input wire [10:0] zeros,
  input wire [7:0] more,
  output wire assumed,
  output wire resyncs,
  output wire stays,
  output wire fails
);
  wire [`CONFIG_W-1:0] cfg;
  config_decode decode (.settings(settings), .cfg(cfg));
  wire known, timed, counted;
  invariant before (
    .state(state), .zero_count(zero_count), .zeros(zeros), .more(more), .known(known), .timed(timed),
    .counted(counted));
  assign assumed = known && timed && counted;

  // Eleven times 0x00 and 0x80, one by one.
  wire [`STREAM_W-1:0] states [0:12];
  wire [3:0] zero_counts [0:12];
  wire [10:0] zero_flags [0:12];
  wire [7:0] more_flags [0:12];
  assign states[0] = state;
  assign zero_counts[0] = zero_count;
  assign zero_flags[0] = zeros;
  assign more_flags[0] = more;
  genvar i;
  generate
    for (i = 0; i < 12; i = i + 1) begin : async
      byte_step step (
        .cfg(cfg), .lenient(lenient), .reset(1'b0), .valid(1'b1), .discontinuity(1'b0), .keep(1'b1),
        .octet(i == 11 ? 8'h80 : 8'h00), .state(states[i]), .zero_count(zero_counts[i]),
        .zeros(zero_flags[i]), .more(more_flags[i]), .state_after(states[i+1]),
        .zero_count_after(zero_counts[i+1]), .zeros_after(zero_flags[i+1]),
        .more_after(more_flags[i+1]), .role());
    end
  endgenerate
  assign resyncs = `stream_mode(states[12]) == `MODE_HEADER && !`stream_suspect(states[12])
    && zero_counts[12] == 0;

  // Any byte, possibly after a loss.
  wire [`STREAM_W-1:0] state_after;
  wire [`ROLE_W-1:0] role;
  byte_step any (
    .cfg(cfg), .lenient(lenient), .reset(1'b0), .valid(1'b1), .discontinuity(discontinuity),
    .keep(1'b1), .octet(octet), .state(state), .zero_count(zero_count), .zeros(zeros), .more(more),
    .state_after(state_after), .zero_count_after(), .zeros_after(), .more_after(), .role(role));
  wire ends_async = zeros == 11'h7FF && octet == 8'h80 && !discontinuity;
  wire in_sync = `stream_mode(state) != `MODE_UNSYNC;
  wire in_sync_after = `stream_mode(state_after) != `MODE_UNSYNC;
  assign stays = in_sync || in_sync_after == ends_async;
  wire is_error = `role_outcome(role) == `OUTCOME_RESERVED
    || `role_outcome(role) == `OUTCOME_BAD_SEQUENCE;
  assign fails = !is_error || in_sync_after == lenient;
endmodule
