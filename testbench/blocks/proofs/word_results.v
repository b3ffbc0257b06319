// SPDX-License-Identifier: MIT OR Apache-2.0
// The stream state of every lane: where a record ends, and how.

`include "names.vh"

module word_results #(parameter N = `LANES) (
  // As of `word_step`.
  input wire [`SETTINGS_W-1:0] settings,
  input wire lenient,
  input wire restart,
  input wire valid,
  input wire lost,
  input wire discontinuity,
  input wire [N-1:0] live,
  input wire update,
  input wire [8*N-1:0] octet,
  input wire next_restarts,
  input wire next_after_loss,
  input wire [`STREAM_W-1:0] state,
  input wire [3:0] zero_count,
  input wire [`TABLE_PAST_W-1:0] past,
  // State of the results between words.
  input wire [`RESULTS_PAST_W-1:0] results_past,
  output wire assumed,
  output wire outcomes_agree
);
  wire [`CONFIG_W-1:0] cfg;
  wire [`WORD_FLAGS_W-1:0] flags;
  wire resume;
  wire [5:0] register_before;
  wire [8*N-1:0] octet_out;
  wire [`LANE_FLAGS_W*N-1:0] lane_out;
  wire [`PREDECODE_W*N-1:0] predecode;
  wire [`ROLE_W*N-1:0] role;
  word_step step (
    .settings(settings), .lenient(lenient), .restart(restart), .valid(valid), .lost(lost),
    .discontinuity(discontinuity), .live(live), .update(update), .octet(octet),
    .next_restarts(next_restarts), .next_after_loss(next_after_loss), .state(state), .zero_count(zero_count),
    .past(past), .assumed(assumed), .cfg(cfg), .flags(flags), .resume(resume),
    .register_before(register_before), .octet_out(octet_out), .lane_out(lane_out), .predecode(predecode),
    .role(role));

  wire [`RESULT_W*N-1:0] result;
  jump_results results (
    .clock(1'b0), .reset(1'b0), .cfg(cfg), .lenient(lenient), .flags(flags), .resume(resume),
    .state(register_before), .past(results_past), `RESULTS_LANES);

  wire [N-1:0] agree;
  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : lane
      wire [`RESULT_W-1:0] got = result[`RESULT_W*i +: `RESULT_W];
      wire [`ROLE_W-1:0] want = role[`ROLE_W*i +: `ROLE_W];
      assign agree[i] = `result_outcome(got) == (valid ? `role_outcome(want) : 0);
    end
  endgenerate
  assign outcomes_agree = &agree;
endmodule
