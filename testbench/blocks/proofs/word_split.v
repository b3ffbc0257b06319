// SPDX-License-Identifier: MIT OR Apache-2.0
// A word of the jump-ahead decoder equals a word of its first four bytes followed by a word of the
// other bytes: the next state and the kept flags are the same. So a word of eight, twelve or
// sixteen lanes equals a sequence of four-byte words.

`include "names.vh"

module word_split #(parameter N = `LANES) (
  input wire [`CONFIG_W-1:0] cfg,
  input wire lenient,
  input wire lost,
  input wire [8*N-1:0] octet,
  input wire [5:0] code,
  input wire [`TABLE_PAST_W-1:0] past,
  output wire assumed,
  output wire splits
);
  wire [`WORD_FLAGS_W-1:0] whole_flags = {1'b0, lost, 3'b110};
  wire [`WORD_FLAGS_W-1:0] rest_flags = {1'b0, 1'b0, 3'b110};
  wire [`LANE_FLAGS_W*N-1:0] live = {`LANE_FLAGS_W*N{1'b1}};

  wire [`ROWS_W-1:0] whole_rows, four_rows, rest_rows;
  wire whole_restarts, four_restarts, rest_restarts;
  wire [`TABLE_PAST_W-1:0] whole_future, four_future, rest_future;
  jump_table whole (
    .clock(1'b0), .cfg(cfg), .lenient(lenient), .flags_in(whole_flags), .rows(whole_rows),
    .next_restarts(whole_restarts), .past(past), .future(whole_future), `WHOLE_LANES);
  jump_table_four four (
    .clock(1'b0), .cfg(cfg), .lenient(lenient), .flags_in(whole_flags), .rows(four_rows),
    .next_restarts(four_restarts), .past(past), .future(four_future), `FOUR_LANES);
  jump_table_rest rest (
    .clock(1'b0), .cfg(cfg), .lenient(lenient), .flags_in(rest_flags), .rows(rest_rows),
    .next_restarts(rest_restarts), .past(four_future), .future(rest_future), `REST_LANES);

  wire [5:0] whole_after, four_after, rest_after;
  state_after after_whole (
    .rows(whole_rows), .restarts(whole_restarts), .code(code), .flags(whole_flags), .after(whole_after));
  state_after after_four (
    .rows(four_rows), .restarts(four_restarts), .code(code), .flags(whole_flags), .after(four_after));
  state_after after_rest (
    .rows(rest_rows), .restarts(rest_restarts), .code(four_after), .flags(rest_flags), .after(rest_after));

  assign assumed = code != `STATE_RESTART && code < `STATES;
  assign splits = whole_after == rest_after && whole_future == rest_future;
endmodule

module state_after (
  input wire [`ROWS_W-1:0] rows,
  input wire restarts,
  input wire [5:0] code,
  input wire [`WORD_FLAGS_W-1:0] flags,
  output wire [5:0] after
);
  state_lookup lookup (
    .rows(rows), .state(restarts ? `STATE_RESTART : code), .state_before(code), .flags(flags),
    .next_restarts(1'b0), .next_after_loss(1'b0), .state_after(after));
endmodule
