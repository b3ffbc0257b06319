// SPDX-License-Identifier: MIT OR Apache-2.0
// One byte of the chained decoder: its blocks with one lane, as `ChainedDecoder` connects them.

`include "names.vh"

module byte_step (
  input wire [`CONFIG_W-1:0] cfg,
  input wire lenient,
  input wire reset,
  input wire valid,
  input wire discontinuity,
  input wire keep,
  input wire [7:0] octet,
  input wire [`STREAM_W-1:0] state,
  input wire [3:0] zero_count,
  input wire [10:0] zeros,
  input wire [7:0] more,
  output wire [`STREAM_W-1:0] state_after,
  output wire [3:0] zero_count_after,
  output wire [10:0] zeros_after,
  output wire [7:0] more_after,
  output wire [`ROLE_W-1:0] role
);
  wire hit;
  wire [`ROW_W-1:0] row;
  header_lookup lookup (.cfg(cfg), .octet_0(octet), .row_0(row));
  async_detector detector (
    .reset(reset), .valid(valid && !reset), .discontinuity(discontinuity), .zeros(zero_count),
    .octet_0(octet), .keep_0(keep), .zeros_after(zero_count_after), .hit_0(hit));
  stream_state_process process (
    .cfg(cfg), .reset(reset), .lenient(lenient), .valid(valid), .discontinuity(discontinuity),
    .state(state), .row_0(row), .octet_0(octet), .keep_0(keep), .hit_0(hit), .after(state_after),
    .role_0(role));

  // The previous bytes, which the chained decoder does not keep. A loss clears no more than zeros.
  wire counts = valid && !reset && keep;
  wire [10:0] known = reset || valid && discontinuity ? 11'd0 : zeros;
  assign zeros_after = counts ? {known[9:0], octet == 0} : known;
  assign more_after = counts ? {more[6:0], octet[7]} : more;
endmodule
