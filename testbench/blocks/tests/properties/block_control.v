// SPDX-License-Identifier: MIT OR Apache-2.0
// An event leaves the FIFO when all its bits are in the block, a block has no more bits than fit, and it is
// closed in a bounded number of cycles. Its header is written once, behind its first beat. An event that overflows is the first one of its block. `LIMIT` bits may be in a block in front of an event, `CAPACITY` in all.
// Assumed: the limit is that of the block; a reset comes first; the first entry but flushes says where execution begins; an entry stays until it is read or
// rewound; an event has at most three beats of 64 bits, and what is behind the last one 64 bits; fewer than 100
// events are in flight.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [2:0] \dut.phase__q ;
    (* hierconn *) wire [1:0] \dut.header__q ;
    (* hierconn *) wire [7:0] \dut.cycle__q ;
    (* hierconn *) wire [6:0] \dut.in_flight__q ;
    (* hierconn *) wire [19:0] \dut.fill__q ;
    (* hierconn *) wire \dut.has_event__q , \dut.is_next_event__q , \dut.short__q ;
    (* hierconn *) wire \dut.is_filling__q , \dut.is_placing__q , \dut.is_quiet__q ;
    localparam FILL = 0, TAIL = 1, FLUSH = 2, SETTLE = 3, END = 4, REWIND = 5, PLACE = 6, START = 7;
    // Cycles of the tail, and those up to the end of the last word.
    localparam TAIL_CYCLES = 8, SETTLE_CYCLES = 8;
    wire [2:0] phase = \dut.phase__q ;
    wire [1:0] header = \dut.header__q ;
    wire [6:0] in_flight = \dut.in_flight__q ;
    wire [31:0] fill = \dut.fill__q ;
    wire [7:0] cycle = \dut.cycle__q ;

    // The number of the next entry to be read, and of the one that left last; whether that was an event; whether an
    // encoder has started.
    reg [7:0] next = 1, left = 0;
    reg left_event = 0, is_placed = 0, past = 0;
    // Beats of an event so far, and cycles since the block closed that waited for nothing.
    reg [1:0] beats = 0;
    reg [4:0] away = 0;
    // Bits behind the last event of the block that closes.
    reg [7:0] behind = 0;
    wire waits = phase == PLACE && !entry_valid;
    // The block has a beat, and how many words of its header were written.
    reg begun = 0;
    reg [1:0] headers = 0;
    always @(posedge clock) begin
        past <= 1;
        next <= rewind ? left : next + entry_ready;
        left <= left + commit;
        if (commit)
            left_event <= ~is_mark | ~entry_ready;
        if (entry_ready & is_mark & ~is_flush_mark)
            is_placed <= 1;
        if (accepts)
            beats <= beat_last ? 0 : beats + 1;
        if (start)
            beats <= 0;
        away <= phase == FILL ? 0 : away + !waits;
        behind <= phase == FILL ? 0 : phase == TAIL ? behind + tail_records : behind;
        begun <= (begun | accepts) & ~ends;
        headers <= ends ? 0 : headers + writes_header;
        if (reset) begin
            begun <= 0;
            headers <= 0;
            next <= 1;
            left <= 0;
            left_event <= 0;
            is_placed <= 0;
            beats <= 0;
            away <= 0;
        end
    end

    // The entry stays, and behind a rewind it is the one that left last.
    reg stays = 0, was_mark = 0, was_flush = 0;
    always @(posedge clock) begin
        stays <= entry_valid & ~entry_ready & ~rewind & ~reset;
        was_mark <= is_mark;
        was_flush <= is_flush_mark;
    end
    always @* begin
        assume(past || reset);
        assume(limit == `LIMIT);
        assume(!stays || entry_valid && is_mark == was_mark && is_flush_mark == was_flush);
        assume(!(entry_valid && phase == FILL && !is_placed && !is_mark));
        assume(!(phase == PLACE && entry_valid && is_mark));
        assume(beat_count <= 64);
        assume(phase != TAIL || behind + tail_records <= 64);
        assume(!(beat_valid && beats == 2 && !beat_last));
        assume(in_flight < 100);
    end

    wire [7:0] was_read = next - left - 1;
    wire at_mark = entry_valid & is_mark;
    wire begins = at_mark && !is_flush_mark && !\dut.has_event__q && in_flight == 0;
    always @* if (past) begin
        assert(\dut.is_filling__q == (phase == FILL));
        assert(\dut.is_placing__q == (phase == PLACE));
        assert(!\dut.is_quiet__q || in_flight == 0);
        // What was read and has not left is in flight: what leaves was read, also a mark.
        if (phase == PLACE)
            assert(next == left && in_flight == 0);
        else
            assert(was_read == in_flight);
        assert(!(commit && was_read == 0 && !entry_ready));
        assert(!(rewind && (commit || entry_ready || !left_event)));
        // An event leaves with its last beat, and all its beats are in the block.
        assert(!(commit && !(accepts && beat_last) && !(entry_ready && is_mark)));
        assert(!(phase == FILL && in_flight != 0 && beats != 0 && beat_valid && !accepts));
        assert(!(accepts && beats == 0 && beat_overflows && \dut.has_event__q ));
        assert((beats == 0) == \dut.is_next_event__q || !is_placed || phase == START);
        // A block that is closed has an event, and its bits fit.
        if (phase != FILL && phase != REWIND && phase != PLACE && phase != START)
            assert(\dut.has_event__q );
        if (\dut.has_event__q )
            assert(left_event && is_placed);
        if (phase == REWIND)
            assert(left_event && is_placed);
        assert(beats <= 2);
        if (!is_placed)
            assert(phase == FILL && in_flight == 0);
        if (phase != FILL || in_flight == 0)
            assert(beats == 0);
        if (\dut.short__q )
            assert(phase != FILL && phase <= END && in_flight == 0 && at_mark);
        if (is_placed && phase == FILL && !begins)
            assert(fill <= (\dut.has_event__q ? `LIMIT + (beats != 0 ? 0 : 192) : 0) + 64 * beats);
        assert(behind <= 64);
        if (phase != FILL && phase <= END)
            assert(fill <= `LIMIT + 192 + behind && fill <= `CAPACITY);
        // The header is in front of the end of its block.
        assert(begun == (\dut.has_event__q || beats != 0));
        assert(begun ? headers == header - 2'd1 : header == 0 && headers == 0);
        assert(writes_header == (header != 0) && header_number == header && takes_words == (headers != 0));
        if (phase != FILL && phase <= END)
            assert(header > away + 1 || header == 0);
        // It is closed at once.
        if (phase == TAIL)
            assert(away < TAIL_CYCLES && cycle == 8'd1 << away);
        if (phase == FLUSH)
            assert(away == TAIL_CYCLES);
        if (phase == SETTLE)
            assert(away > TAIL_CYCLES && cycle == 8'd1 << (away - TAIL_CYCLES - 1) && cycle != 0);
        if (phase > SETTLE && (phase != START || away != 0))
            assert(away <= phase - SETTLE + TAIL_CYCLES + SETTLE_CYCLES);
        assert(away < 22);
    end
endmodule
