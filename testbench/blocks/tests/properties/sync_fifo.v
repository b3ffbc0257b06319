// SPDX-License-Identifier: MIT OR Apache-2.0
// A FIFO of one clock: word number n in is word number n out, and the output is stable until it is
// accepted. `A` are the address bits, `W` those of a word; its memory keeps the word of one place.
// Assumed: at most a quarter of the places, less two, are written after `fills_up` is 1.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [`A-1:0] \dut.places.write_pointer__q , \dut.places.read_pointer__q ;
    (* hierconn *) wire [`A-1:0] \dut.places.read_pointer_next__q , \dut.words.place ;
    (* hierconn *) wire [`W-1:0] \dut.words.word ;
    wire [`A-1:0] place = \dut.words.place ;
    localparam [`A:0] PLACES = 1 << `A;

    // Words written and words read; the last word written to the place, and its number.
    reg [`A:0] written = 0, taken = 0, number = 0;
    reg [`W-1:0] word;
    reg [`A:0] level = 0;
    wire takes = m_axis_tvalid & m_axis_tready;
    always @(posedge clock) begin
        if (write_valid) begin
            written <= written + 1;
            if (written[`A-1:0] == place) begin
                word <= write_data;
                number <= written;
            end
        end
        if (takes)
            taken <= taken + 1;
        level <= level + write_valid - takes;
        if (reset) begin
            level <= 0;
            written <= 0;
            taken <= 0;
        end
    end

    // The previous cycle, and the words written since the writer has seen the level.
    reg past = 0, waits = 0, is_new = 0;
    reg [`A:0] was_level = 0, late = 0;
    reg [`W-1:0] was_data = 0;
    always @(posedge clock) begin
        past <= 1;
        waits <= m_axis_tvalid & ~m_axis_tready & ~reset;
        was_data <= m_axis_tdata;
        is_new <= write_valid & ~reset;
        was_level <= reset ? 0 : level;
        late <= reset | ~fills_up ? 0 : late + write_valid;
    end
    always @*
        assume(!(write_valid && fills_up && late == PLACES / 4 - 2));

    wire shows_place = taken[`A-1:0] == place;
    // How far behind the oldest word the place is.
    wire [`A-1:0] behind = place - taken[`A-1:0];
    always @* begin
        // No word is overwritten, and the writer sees the level in time.
        assert(level < PLACES);
        assert(written == taken + level);
        assert(fills_up == (was_level >= PLACES / 4 * 3));
        assert(late < PLACES / 4 - 1);
        assert(level <= PLACES / 4 * 3 + (fills_up ? 1 + late : 0));
        assert(level <= was_level + 1);
        // No word is invented, and a word is output in the second cycle after it was written.
        assert(m_axis_tvalid == (level > is_new));
        assert(level >= is_new);
        // The output is the expected word.
        if (m_axis_tvalid && shows_place)
            assert(number == taken && m_axis_tdata == word);
        if (behind < level)
            assert(number == taken + behind && \dut.words.word == word);
        // It is stable until it is accepted.
        if (waits)
            assert(m_axis_tvalid);
        if (waits && shows_place)
            assert(m_axis_tdata == was_data);
        // The registers of the block agree with this.
        assert(\dut.places.write_pointer__q == written[`A-1:0] && \dut.places.read_pointer__q == taken[`A-1:0]);
        if (past)
            assert(\dut.places.read_pointer_next__q == taken[`A-1:0] + {{`A-1{1'b0}}, 1'b1});
        else
            assert(level == 0 && !is_new);
    end
endmodule
