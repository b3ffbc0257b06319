// SPDX-License-Identifier: MIT OR Apache-2.0
// A FIFO between two clocks: word number n stored is word number n read, in the expected cycle, and
// its flag is set if words were lost just before it. None is lost while there is room, unless words
// were lost and others still wait. `A` are the
// address bits, `W` those of a word; its memories keep one place. A reset may come at any time:
// words read after it were stored after it, from number 0 on; `async_reset_ends.v` proves that it
// ends. A clock is 1 in the steps in which it rises.
module rules(`INPUTS);
    `OUTPUTS
    wire step;
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.is_full , \dut.is_empty , \dut.has_room , \dut.is_quiet , \dut.lost__q ;
    (* hierconn *) wire [`A-1:0] \dut.write_pointer__count , \dut.write_pointer__gray ;
    (* hierconn *) wire [`A-1:0] \dut.read_pointer__count , \dut.read_pointer__gray ;
    (* hierconn *) wire [`A-1:0] \dut.write_pointer__gray_next , \dut.read_pointer__gray_next ;
    (* hierconn *) wire [`A-1:0] \dut.write_pointer_seen.old , \dut.write_pointer_seen.open ;
    (* hierconn *) wire [`A-1:0] \dut.write_pointer_seen.first , \dut.write_pointer_seen__q ;
    (* hierconn *) wire [`A-1:0] \dut.read_pointer_seen.old , \dut.read_pointer_seen.open ;
    (* hierconn *) wire [`A-1:0] \dut.read_pointer_seen.first , \dut.read_pointer_seen__q ;
    (* hierconn *) wire [`A-1:0] \dut.words.place , \dut.flags.place ;
    (* hierconn *) wire [`W-1:0] \dut.words.word ;
    (* hierconn *) wire \dut.flags.word ;
    (* hierconn *) wire \dut.is_due__q , \dut.asks__q , \dut.write_reset__q , \dut.is_cleared__q ;
    (* hierconn *) wire \dut.write_reset.old , \dut.write_reset.open ;
    (* hierconn *) wire \dut.is_cleared.old , \dut.is_cleared.open ;
    wire [`A-1:0] place = \dut.words.place ;
    localparam [`A:0] PLACES = 1 << `A;
    function [`A-1:0] code(input [`A:0] number);
        code = number[`A-1:0] ^ number[`A-1:0] >> 1;
    endfunction

    always @*
        assume(\dut.flags.place == place);

    // Writer: words stored, and whether some were lost since; the last word written to the place,
    // its number and its flag.
    reg [`A:0] written = 0, number = 0;
    reg gap = 0, flag;
    wire drops = !\dut.has_room ;
    reg [`W-1:0] word;
    always @(posedge step) if (write_clock) begin
        if (write_valid) begin
            gap <= drops;
            if (!drops) begin
                written <= written + 1;
                if (written[`A-1:0] == place) begin
                    number <= written;
                    word <= write_data;
                    flag <= gap;
                end
            end
        end
        if (\dut.write_reset__q ) begin
            written <= 0;
            gap <= 0;
        end
    end

    // Reader: words output, and words read from the memory; the contents of the place when the last
    // one was read.
    reg [`A:0] taken = 0, read_number = 0;
    reg read_flag;
    reg [`W-1:0] read_word;
    wire [`A:0] reads = taken + m_axis_tvalid;
    always @(posedge step) if (clock) begin
        taken <= \dut.is_quiet ? 0 : reads;
        read_number <= number;
        read_word <= word;
        read_flag <= flag;
    end

    // The pointers at the last two edges of the other side, and the contents of both registers of
    // the synchronisers.
    reg [`A:0] written_1 = 0, written_2 = 0, reads_1 = 0, reads_2 = 0;
    reg [`A:0] written_s1 = 0, written_s2 = 0, reads_s1 = 0, reads_s2 = 0;
    wire [`A:0] written_first =
        \dut.write_pointer_seen.first == code(written_s1) ? written_s1 : written;
    wire [`A:0] reads_first = \dut.read_pointer_seen.first == code(reads_s1) ? reads_s1 : reads;
    always @(posedge step) begin
        written_s1 <= clock ? written : written_first;
        reads_s1 <= write_clock ? reads : reads_first;
        if (clock) begin
            written_1 <= written;
            written_2 <= written_1;
            written_s2 <= written_first;
        end
        if (write_clock) begin
            reads_1 <= reads;
            reads_2 <= reads_1;
            reads_s2 <= reads_first;
        end
    end

    // A word that was in the memory two edges ago is read if it may be.
    wire [`A:0] waiting = written_2 - reads;
    reg is_due = 0;
    always @(posedge step) if (clock)
        is_due <= !\dut.is_quiet && enable && waiting != 0 && waiting < PLACES;

    // The reset handshake.
    wire is_round, is_calm, knows_1, knows_2, is_cleared, begins, sees_1;
    reset_round reset_round(
        .round({\dut.asks__q , \dut.write_reset.old , \dut.write_reset__q ,
            \dut.is_cleared.old , \dut.is_cleared__q }),
        .is_due(\dut.is_due__q ),
        .asked_open(\dut.write_reset.open ), .cleared_open(\dut.is_cleared.open ),
        .is_round(is_round), .is_calm(is_calm), .knows_1(knows_1), .knows_2(knows_2),
        .is_cleared(is_cleared), .begins(begins), .sees_1(sees_1)
    );
    // The writer was cleared since the last reset.
    reg is_new = 1;
    always @(posedge step)
        if (clock && reset)
            is_new <= 0;
        else if (write_clock && \dut.write_reset__q )
            is_new <= 1;

    wire [`A:0] level = written - reads;
    wire [`A:0] used = written - reads_s2;
    wire [`A:0] used_2 = written - reads_2;
    wire [`A:0] ahead = written - written_s1;
    wire [`A:0] seen_1 = written_s1 - reads, seen_2 = written_s2 - reads;
    wire [`A:0] freed_1 = reads - reads_s1, freed_2 = reads - reads_s2;
    // How far behind the oldest word the place is.
    wire [`A-1:0] behind = place - reads[`A-1:0];
    always @* begin
        // The output is the expected word of those since the last reset.
        if (m_axis_tvalid)
            assert(is_calm && is_new);
        if (m_axis_tvalid && taken[`A-1:0] == place)
            assert(read_number == taken && m_axis_tdata == read_word && m_axis_tuser == read_flag);
        // It is output in time.
        if (is_due)
            assert(m_axis_tvalid);
        if (is_calm || begins) begin
            if (behind < level)
                assert(number == reads + behind
                    && \dut.words.word == word && \dut.flags.word == flag);
            // No word is overwritten, and none is lost unless there was no room two edges ago.
            assert(level < PLACES && used < PLACES);
            assert(!\dut.is_full || used_2 >= PLACES - 1);
            assert(!\dut.is_empty || level == 0);
            assert(\dut.has_room || \dut.is_full || gap && !\dut.is_empty );
            assert(!\dut.has_room || !\dut.is_full );
            assert(is_new || \dut.is_due__q );
        end
        // Each side sees a past pointer of the other one, never a later one, with at most one bit
        // in doubt.
        if (is_calm || knows_1) begin
            assert(\dut.read_pointer_seen.old == code(reads_s1));
            assert(reads_s1 == reads_1
                || reads_s1 == reads_1 + 1'b1 && \dut.read_pointer_seen.open == 0);
            assert(freed_1 <= 1 || \dut.read_pointer_seen.open == 0);
        end
        if (is_calm || knows_2) begin
            assert(\dut.read_pointer_seen__q == code(reads_s2));
            assert(reads_s2 == reads_2 || reads_s2 == reads_2 + 1'b1);
            assert(freed_1 <= freed_2 && freed_2 < PLACES);
        end
        if (is_calm || sees_1) begin
            assert(\dut.write_pointer_seen.old == code(written_s1));
            assert(written_s1 == written_1
                || written_s1 == written_1 + 1'b1 && \dut.write_pointer_seen.open == 0);
            assert(ahead <= 1 || \dut.write_pointer_seen.open == 0);
            assert(seen_1 <= level);
        end
        if (is_calm) begin
            assert(\dut.write_pointer_seen__q == code(written_s2));
            assert(written_s2 == written_2 || written_s2 == written_2 + 1'b1);
            assert(seen_2 <= seen_1);
        end
        // A reset clears the reader at once and the writer by the handshake.
        assert(is_round);
        assert(is_calm || taken == 0 && !m_axis_tvalid);
        assert(!knows_1 || reads_s1 == 0 && reads_1 == 0);
        assert(!knows_2 || reads_s2 == 0 && reads_2 == 0);
        assert(!is_cleared || written == 0);
        // The registers of the block agree with this.
        assert(\dut.write_pointer__count == written[`A-1:0]);
        assert(\dut.write_pointer__gray == code(written));
        assert(\dut.read_pointer__count == reads[`A-1:0]);
        assert(\dut.read_pointer__gray == code(reads));
        assert(\dut.write_pointer__gray_next == code(written + 1'b1));
        assert(\dut.read_pointer__gray_next == code(reads + 1'b1));
        assert(\dut.lost__q == gap);
    end
endmodule
