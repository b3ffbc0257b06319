// SPDX-License-Identifier: MIT OR Apache-2.0
// A FIFO of events that stay until they leave: entry number n in is entry number n out, again behind a
// rewind, and every event is in an entry or was counted. `A` are the address bits, `W` those of an entry; its
// memory keeps the word of one place.
// Assumed: a reset comes first; only a begin has events that were lost in front of it; what leaves was read; nothing is rewound before an entry has left, nor
// while one leaves.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [`A-1:0] \dut.write_pointer__q , \dut.read_pointer__q , \dut.left_pointer__q ;
    (* hierconn *) wire [`A-1:0] \dut.level__q , \dut.entries.place ;
    (* hierconn *) wire [`W-1:0] \dut.entries.word , \dut.entries__read_data , \dut.to_entry__entry ;
    (* hierconn *) wire \dut.stores , \dut.is_read__q , \dut.is_losing__q , \dut.is_placed__q ;
    (* hierconn *) wire \dut.to_entry__is_mark , \dut.to_entry__is_flush , \dut.to_entry__is_loss ;
    wire [`A-1:0] place = \dut.entries.place ;
    wire stores = \dut.stores ;
    wire is_mark = \dut.to_entry__is_mark ;
    wire is_loss = \dut.to_entry__is_loss ;

    // Entries written, the number of the next one to come out, and that of the one that left last; the
    // last one written to the place, and its number.
    reg [`A:0] written = 1, next = 1, left = 0, number = 0;
    reg [`W-1:0] word;
    reg has_left = 0, past = 0;
    wire leaves = entry_valid & entry_ready;
    always @(posedge clock) begin
        past <= 1;
        if (stores) begin
            written <= written + 1;
            if (written[`A-1:0] == place) begin
                word <= \dut.to_entry__entry ;
                number <= written;
            end
        end
        next <= rewind ? left : next + leaves;
        left <= left + commit;
        has_left <= has_left | commit;
        if (reset) begin
            written <= 1;
            next <= 1;
            left <= 0;
            has_left <= 0;
        end
    end

    // What waits, and what of that was read.
    wire [`A:0] waits = written - left - 1, was_read = next - left - 1;
    always @* begin
        assume(past || reset);
        assume(!(commit && was_read == 0 && !leaves));
        assume(!(commit && next == left));
        assume(!(rewind && (commit || !has_left)));
        assume(event_valid && begins || lost_before == 0);
    end

    // Events were lost behind the last entry, or nothing said where execution is; the count a cycle ago.
    reg lossy = 0, lost_place = 1;
    wire is_event = event_valid & ~begins;
    reg [31:0] was_lost = 0;
    reg [31:0] counts = 0;
    wire misses = event_valid & ~(stores & ~is_mark) & ~(begins & stores);
    always @(posedge clock) begin
        was_lost <= reset ? 0 : lost;
        counts <= reset ? 0 : ~event_valid ? 0 : begins ? lost_before : misses;
        if (misses)
            lossy <= 1;
        if (event_valid & stores & is_mark) begin
            lossy <= 0;
            lost_place <= 0;
        end
        if (reset) begin
            lossy <= 0;
            lost_place <= 1;
        end
    end

    wire [`A:0] behind = {1'b0, place - left[`A-1:0]};
    wire [`A:0] read = next + entry_valid;
    always @* if (past) begin
        // Nothing is overwritten before it has left, nor is the entry that left last.
        assert(waits <= (1 << `A) - 2);
        assert(next == left || was_read <= waits);
        // What comes out is the expected entry.
        if (entry_valid)
            assert(next != written);
        if (entry_valid && next[`A-1:0] == place && (has_left || next != left))
            assert(number == next && entry == word);
        if (\dut.is_read__q && \dut.read_pointer__q == place && (has_left || read != left))
            assert(number == read && \dut.entries__read_data == word);
        if (behind <= waits && (has_left || behind != 0))
            assert(number == left + behind && \dut.entries.word == word);
        // Every event is in an entry or was counted, and behind a loss comes its mark.
        assert(lost == (counts > ~was_lost ? 32'hFFFFFFFF : was_lost + counts));
        assert(!(is_event && stores && !is_mark && (lossy || lost_place)));
        assert(!(event_valid && stores && is_mark && (lossy || lost_before != 0) && !is_loss));
        assert(!(stores && !event_valid && !is_mark));
        // The registers of the block agree with this.
        assert(\dut.write_pointer__q == written[`A-1:0] && \dut.left_pointer__q == left[`A-1:0]);
        assert(\dut.read_pointer__q == read[`A-1:0]);
        assert(\dut.level__q == waits && waiting == waits);
        assert(takes == (is_event && stores && !is_mark));
        assert(\dut.is_losing__q == lossy && \dut.is_placed__q == ~lost_place);
        if (\dut.is_read__q )
            assert(read != written);
        assert(has_left || next != left);
    end
endmodule
