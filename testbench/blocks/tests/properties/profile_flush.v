// SPDX-License-Identifier: MIT OR Apache-2.0
// When a profile path empties its tables: every place after a reset and before any event counts;
// and again after all counted events and before the mark of a flush or of a start. All evicted
// entries are sent before the mark. Entries from before a reset are never sent. The tables are
// `any_sum_table.v`, and memories return any word.
// Assumed: nothing, or, if `FROM_ANY` is 1, that all of this holds at first.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [2:0] \dut.state__q ;
    (* hierconn *) wire \dut.in_marker__q ;
    (* hierconn *) wire [8:0] \dut.walk__q ;
    (* hierconn *) wire [3:0] \dut.settle__q ;
    (* hierconn *) wire \dut.takes_row , \dut.walks , \dut.discards ;
    (* hierconn *) wire \dut.is_start__q , \dut.is_loss__q , \dut.asked__q ;
    (* hierconn *) wire [3:0] \dut.sum_table_0.in_flight , \dut.sum_table_1.in_flight ;
    (* hierconn *) wire [3:0] \dut.sum_table_2.in_flight , \dut.sum_table_3.in_flight ;
    (* hierconn *) wire [4:0] \dut.entry_fifo_0.places.level , \dut.entry_fifo_1.places.level ;
    (* hierconn *) wire [4:0] \dut.entry_fifo_2.places.level , \dut.entry_fifo_3.places.level ;
    (* hierconn *) wire \dut.entry_fifo_0__m_axis_tvalid , \dut.entry_fifo_1__m_axis_tvalid ;
    (* hierconn *) wire \dut.entry_fifo_2__m_axis_tvalid , \dut.entry_fifo_3__m_axis_tvalid ;
    localparam [2:0] CLEAR = 0, DISCARD = 1, COUNT = 2, FLUSH = 3, DRAIN = 4, MARKER = 5;
    wire [2:0] state = \dut.state__q ;
    wire [8:0] walk = \dut.walk__q ;
    wire [3:0] settle = \dut.settle__q ;
    wire [3:0] in_flight = \dut.sum_table_0.in_flight | \dut.sum_table_1.in_flight
        | \dut.sum_table_2.in_flight | \dut.sum_table_3.in_flight ;
    wire [3:0] waits = {\dut.entry_fifo_3.places.level != 0, \dut.entry_fifo_2.places.level != 0,
        \dut.entry_fifo_1.places.level != 0, \dut.entry_fifo_0.places.level != 0};
    wire [3:0] shows = {\dut.entry_fifo_3__m_axis_tvalid , \dut.entry_fifo_2__m_axis_tvalid ,
        \dut.entry_fifo_1__m_axis_tvalid , \dut.entry_fifo_0__m_axis_tvalid };
    // Only a loss is reported at once, with entries before and after it.
    wire is_loss = \dut.is_loss__q & ~\dut.is_start__q ;
    wire marks = state == MARKER && !is_loss;

    // Whether the place was emptied since a reset, and since an event; cycles since the last input
    // of the tables; which of the last four cycles had input to be discarded, and whether the last
    // one discarded it.
    reg [8:0] place;
    reg cleared `AT_FIRST, emptied `AT_FIRST, forgot `AT_FIRST;
    reg [3:0] rest `AT_FIRST, stale `AT_FIRST;
    wire gives = \dut.walks | \dut.takes_row ;
    wire empties = \dut.walks && walk == place;
    always @(posedge clock) begin
        place <= place;
        cleared <= !reset && (cleared || empties);
        emptied <= !reset && !\dut.takes_row && (emptied || empties);
        rest <= gives ? 0 : rest == 15 ? 15 : rest + 1;
        stale <= {stale, gives & \dut.discards };
        forgot <= \dut.discards ;
    end

    reg holds;
    always @* begin
        holds = state <= MARKER && \dut.in_marker__q == (state == MARKER);
        if (state != CLEAR && state != FLUSH && walk != 0)
            holds = 0;
        // Events count only in places that were emptied.
        if ((state != CLEAR || walk > place) && !cleared)
            holds = 0;
        // A mark comes after all places were emptied.
        if ((state == DRAIN || marks || state == FLUSH && walk > place) && !emptied)
            holds = 0;
        // It comes after all entries, and has a reason.
        if (marks && (in_flight != 0 || waits != 0 || shows != 0))
            holds = 0;
        if ((state == FLUSH || state == DRAIN) && is_loss)
            holds = 0;
        if ((state == FLUSH || state == DRAIN || marks) && !\dut.is_start__q && !\dut.asked__q )
            holds = 0;
        // No entry from before a reset is stored in a FIFO.
        if (stale != 0 && !\dut.discards )
            holds = 0;
        if (forgot && (waits != 0 || shows != 0))
            holds = 0;
        // Why: after four cycles the pipeline is empty, and then a FIFO without VALID is empty.
        if ((state == DISCARD || state == DRAIN) && rest < settle || marks && rest < 6)
            holds = 0;
        if (((in_flight | stale) & ~(4'hF << rest)) != 0)
            holds = 0;
        if (state == DRAIN && settle >= 1 && rest >= 5 && shows != waits)
            holds = 0;
        if (state == DRAIN && settle >= 2 && rest >= 6 && waits != 0)
            holds = 0;
    end
    reg first = 1;
    always @(posedge clock)
        first <= 0;
    always @* begin
        assume(holds || !first || !`FROM_ANY);
        assert(holds);
    end
endmodule
