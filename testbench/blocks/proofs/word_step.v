// SPDX-License-Identifier: MIT OR Apache-2.0
// One word of the jump-ahead decoder against its bytes, one by one, in the chained decoder.
//
// The blocks of the jump-ahead decoder are here without their clock, with the registers that keep
// state between words as `past` and `future`. They are connected as in `JumpDecoder`.

`include "names.vh"

module word_step #(parameter N = `LANES) (
  // The same for a whole stream.
  input wire [`SETTINGS_W-1:0] settings,
  input wire lenient,
  // The word: whether bytes were lost before it, which of its first lanes have a byte, and whether
  // it is final or provisional. The gearbox also sets `lost` for the first word after a reset.
  input wire restart,
  input wire valid,
  input wire lost,
  input wire discontinuity,
  input wire [N-1:0] live,
  input wire update,
  input wire [8*N-1:0] octet,
  // The word after it.
  input wire next_restarts,
  input wire next_after_loss,
  // What is kept from word to word: by the chained decoder and by the jump table.
  input wire [`STREAM_W-1:0] state,
  input wire [3:0] zero_count,
  input wire [`TABLE_PAST_W-1:0] past,
  output wire assumed,
  output wire states_agree,
  output wire pasts_agree,
  // The word as the jump table passes it on, and its bytes as classified by the chained decoder.
  output wire [`CONFIG_W-1:0] cfg,
  output wire [`WORD_FLAGS_W-1:0] flags,
  output wire resume,
  output wire [5:0] register_before,
  output wire [8*N-1:0] octet_out,
  output wire [`LANE_FLAGS_W*N-1:0] lane_out,
  output wire [`PREDECODE_W*N-1:0] predecode,
  output wire [`ROLE_W*N-1:0] role
);
  config_decode decode (.settings(settings), .cfg(cfg));

  // The registers of the jump table: flags of the bytes before, and whether there was an A-Sync.
  // Its windows hold the oldest byte in the lowest bit.
  wire [10:0] zeros;
  wire [7:0] more;
  wire [10:0] zeros_future;
  wire [7:0] more_future;
  wire [`TABLE_PAST_W-1:0] future;
  wire seen = past[19];
  wire seen_future = future[19];
  genvar i;
  generate
    for (i = 0; i < 11; i = i + 1) begin : zero_window
      assign zeros[i] = past[10 - i];
      assign zeros_future[i] = future[10 - i];
    end
    for (i = 0; i < 8; i = i + 1) begin : time_window
      assign more[i] = past[18 - i];
      assign more_future[i] = future[18 - i];
    end
  endgenerate

  // The chained decoder. A loss clears its zeros; the jump table does so when the word arrives.
  wire [`STREAM_W-1:0] states [0:N];
  wire [3:0] zero_counts [0:N];
  wire [10:0] zero_flags [0:N];
  wire [7:0] more_flags [0:N];
  assign states[0] = state;
  assign zero_counts[0] = zero_count;
  assign zero_flags[0] = lost ? 11'd0 : zeros;
  assign more_flags[0] = more;
  generate
    for (i = 0; i < N; i = i + 1) begin : lane
      byte_step step (
        .cfg(cfg), .lenient(lenient), .reset(1'b0), .valid(valid),
        .discontinuity(i == 0 && discontinuity), .keep(live[i]), .octet(octet[8*i +: 8]),
        .state(states[i]), .zero_count(zero_counts[i]), .zeros(zero_flags[i]),
        .more(more_flags[i]), .state_after(states[i+1]), .zero_count_after(zero_counts[i+1]),
        .zeros_after(zero_flags[i+1]), .more_after(more_flags[i+1]),
        .role(role[`ROLE_W*i +: `ROLE_W]));
    end
  endgenerate

  // The jump-ahead decoder.
  wire [5:0] code;
  wire [5:0] code_after;
  abstraction abstract_before (.state(states[0]), .code(code));
  abstraction abstract_after (.state(states[N]), .code(code_after));

  wire [`WORD_FLAGS_W-1:0] flags_in =
    {1'b0, lost, update, valid, restart}; // report_loss, lost, update, valid, restart
  wire [`LANE_FLAGS_W*N-1:0] lane_in;
  generate
    for (i = 0; i < N; i = i + 1) begin : lane_flags
      assign lane_in[`LANE_FLAGS_W*i +: `LANE_FLAGS_W] = {live[i], live[i]}; // fresh, live
    end
  endgenerate
  wire [`ROWS_W-1:0] rows;
  // Without a clock these outputs belong to this word, not to the previous one: see `retime`.
  wire restarts;
  wire restarts_after_loss;
  jump_table table_of_word (
    .clock(1'b0), .cfg(cfg), .lenient(lenient), .flags_in(flags_in), .rows(rows),
    .next_restarts(restarts), .next_after_loss(restarts_after_loss), .resume(resume), .flags(flags), .past(past),
    .future(future), `TABLE_LANES);

  // The state registers: restarted if the previous word says so, else the chained decoder's state.
  wire [5:0] register = restarts ? `STATE_RESTART : code;
  assign register_before = restarts_after_loss ? `STATE_RESTART : code;
  wire [5:0] register_after;
  wire [5:0] register_before_after;
  state_lookup lookup (
    .rows(rows), .state(register), .state_before(register_before), .flags(flags),
    .next_restarts(next_restarts), .next_after_loss(next_after_loss), .state_after(register_after),
    .state_before_after(register_before_after));

  // Assumptions: the gearbox fills lanes from lane 0 on, passes no word while it restarts, completes
  // only words that it passes, and a complete word that is not full is followed by a loss.
  wire known, timed, counted;
  invariant before (
    .state(state), .zero_count(zero_count), .zeros(zeros), .more(more), .known(known),
    .timed(timed), .counted(counted));
  wire reads = `stream_mode(state) != `MODE_UNSYNC;
  wire full = &live;
  wire gearbox = (live & (live + 1)) == 0 && !(restart && valid) && (valid || !update)
    && (full || !update || next_after_loss) && (!next_after_loss || next_restarts);
  wire losses = lost
    ? discontinuity || !reads && zero_count == 0
    : !discontinuity && timed && counted;
  wire policy = !lenient || seen == reads;
  assign assumed = gearbox && losses && policy && known;

  // What is proven.
  wire passes = valid && update;
  wire [5:0] expected = passes ? code_after : register;
  wire [5:0] expected_before = passes ? code_after : register_before;
  assign states_agree = passes && !full
    || register_after == (next_restarts ? `STATE_RESTART : expected)
    && register_before_after == (next_after_loss ? `STATE_RESTART : expected_before);

  wire [`STREAM_W-1:0] state_after = states[N];
  wire reads_after = passes ? `stream_mode(state_after) != `MODE_UNSYNC : reads;
  wire windows_agree = passes
    ? zeros_future == zero_flags[N] && more_future == more_flags[N]
    : zeros_future == zeros && more_future == more;
  assign pasts_agree = (restart ? !seen_future : !lenient || seen_future == reads_after)
    && (windows_agree || passes && !full);
endmodule
