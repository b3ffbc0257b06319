// SPDX-License-Identifier: MIT OR Apache-2.0
// The map from states of the chained decoder to states of the jump-ahead decoder, and the valid
// states of the chained decoder. `names.vh` is made from the Rust sources.

`include "names.vh"

// The rest of the packet, from the part and index of the next byte.
module abstraction (
  input wire [`STREAM_W-1:0] state,
  output wire [5:0] code
);
  wire [3:0] part = `stream_part(state);
  wire [3:0] index = `stream_index(state);
  wire [7:0] todo = `stream_todo(state);
  wire has_info = todo[`PART_INFO];
  wire has_field = todo[`PART_FIELD1];
  wire is_long = `stream_last(state) != 4'd1;
  // The next byte, those after it in this part, those of a context ID that follows a VMID.
  wire [5:0] left = 6'd1 + `stream_last(state) - index;
  wire [5:0] ids = left + (part == `PART_VMID && todo[`PART_CID] ? 6'd4 : 6'd0);
  // This field and those after it.
  wire [5:0] fields = 6'd1 + todo[0] + todo[1] + todo[2] + todo[3] + todo[4] + todo[5] + todo[6]
    + todo[7];

  // The first byte of PLCTL says how many fields follow; any other one is treated as a field.
  wire plctl = part == `PART_LEAD && index == 0;
  // The codes of counts, with room for any count.
  wire [16*6-1:0] fields_of = `STATE_FIELDS;
  wire [16*6-1:0] bytes_of = `STATE_BYTES;
  wire [16*6-1:0] bytes_field_of = `STATE_BYTES_FIELD;
  wire [16*6-1:0] bytes_info_of = `STATE_BYTES_INFO;
  wire [5:0] unbounded = plctl ? `STATE_PLCTL : fields_of[6*fields[3:0] +: 6];
  wire [5:0] one_left = has_field ? bytes_field_of[6 +: 6] : bytes_of[6 +: 6];
  wire [5:0] short = has_field ? `STATE_SHORT_FIELD : `STATE_SHORT;
  wire [5:0] bounded =
    is_long ? (has_field ? `STATE_TIMESTAMP_FIELD : `STATE_TIMESTAMP)
    : index != 0 ? one_left
    : `stream_exception(state) ? `STATE_EXCEPTION : short;
  wire [5:0] fixed =
    has_info ? bytes_info_of[6*left[3:0] +: 6]
    : has_field ? bytes_field_of[6*left[3:0] +: 6] : bytes_of[6*ids[3:0] +: 6];
  wire [2:0] mode = `stream_mode(state);
  assign code =
    mode == `MODE_UNSYNC ? `STATE_UNSYNC
    : mode == `MODE_HEADER ? `STATE_HEADER
    : mode == `MODE_EXTENSION ? `STATE_EXTENSION
    : mode == `MODE_ASYNC ? `STATE_ASYNC
    : mode == `MODE_INFORMATION ? `STATE_INFO
    : mode == `MODE_UNBOUNDED ? unbounded
    : mode == `MODE_BOUNDED ? bounded : fixed;
endmodule

// The invariant between two bytes of the chained decoder, for any history. `zeros` and `more` are
// the bytes right before, the newest in bit 0: which are zero, which have bit 7 set. The state is
// valid, and the state and the number of zeros agree with the bytes.
module invariant (
  input wire [`STREAM_W-1:0] state,
  input wire [3:0] zero_count,
  input wire [10:0] zeros,
  input wire [7:0] more,
  output wire known,
  output wire timed,
  output wire counted
);
  wire [2:0] mode = `stream_mode(state);
  wire [3:0] part = `stream_part(state);
  wire [3:0] index = `stream_index(state);
  wire [3:0] last = `stream_last(state);
  wire [7:0] todo = `stream_todo(state);
  wire plctl = `stream_plctl(state);
  wire exception = `stream_exception(state);

  wire no_tail = todo == 0;
  wire info = todo == 1 << `PART_INFO;
  wire field = todo == 1 << `PART_FIELD1;
  wire cid = todo == 1 << `PART_CID;
  wire only_fields = (todo & 8'h07) == 0;

  // A part of fixed or bounded size is not over.
  wire inside = index <= last;
  wire lead = part == `PART_LEAD;
  wire is_time = mode == `MODE_BOUNDED && lead && last == 8;

  // Continuation field k is part k + 3, and the parts still to read come after it.
  wire in_order = part >= `PART_FIELD0 && part < `PART_LEAD
    && (todo & ((9'd2 << part) - 9'd1)) == 0;
  wire unbounded = only_fields && (lead ? plctl && (index != 0 || no_tail) : in_order);
  wire bounded = lead && (no_tail || field) && (last == 8 || last == 1)
    && (!exception || last == 1 && no_tail);
  wire fixed_lead = last == 0 && no_tail || last == 3 && (no_tail || info || field)
    || last == 7 && (no_tail || info) || last == 8 && no_tail;
  wire vmid = part == `PART_VMID && (last == 0 || last == 1 || last == 3) && (no_tail || cid);
  wire fixed = lead ? fixed_lead : vmid || part == `PART_CID && last == 3 && no_tail;
  assign known =
    mode == `MODE_UNBOUNDED ? unbounded
    : mode == `MODE_BOUNDED ? bounded && inside && !plctl
    : mode == `MODE_INFORMATION ? part == `PART_INFO
    : mode != `MODE_FIXED || fixed && inside && !(lead && (plctl || exception));

  // In a timestamp at index i the last i bytes have bit 7 set, and the header before them has not.
  wire [15:0] newest = (16'd1 << index) - 16'd1;
  wire [15:0] bytes = {8'd0, more};
  assign timed = !is_time || (bytes & newest) == newest && !bytes[index];

  // The zero count saturates at eleven.
  wire [11:0] run = ~{1'b0, zeros} & ({1'b0, zeros} + 12'd1);
  assign counted = zero_count <= 11 && run == 12'd1 << zero_count;
endmodule
