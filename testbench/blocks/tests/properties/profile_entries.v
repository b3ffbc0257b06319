// SPDX-License-Identifier: MIT OR Apache-2.0
// The routing of events and entries in a profile path, from any state of it. Each event of an
// accepted row goes to the table of its lane, and none while a place is emptied. Each entry evicted
// from a table goes to the table's FIFO. An entry leaves that FIFO when it is chosen: one at a time,
// none together with a marker, and one whenever there is room. What is chosen goes unchanged to the
// last FIFO a cycle later. A packet ends after 256 entries, if not before. A start is reported with the trace ID of its row.
// Assumed: nothing. Memories return any word.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire \dut.row_fifo__m_axis_tvalid , \dut.row_fifo__m_axis_tready ;
    (* hierconn *) wire [440:0] \dut.row_fifo__m_axis_tdata ;
    (* hierconn *) wire \dut.sends_marker , \dut.walks , \dut.is_start__q , \dut.is_loss__q ;
    (* hierconn *) wire [8:0] \dut.walk__q ;
    (* hierconn *) wire [6:0] \dut.id__q , \dut.next_id__q ;
    (* hierconn *) wire [31:0] \dut.flushes__q ;
    (* hierconn *) wire \dut.beat_fifo__write_valid , \dut.beat_fifo__fills_up ;
    (* hierconn *) wire [128:0] \dut.beat_fifo__write_data ;
    (* hierconn *) wire \dut.entry_select__beat_valid ;
    (* hierconn *) wire [7:0] \dut.packet__q ;
    (* hierconn *) wire [128:0] \dut.entry_select__beat ;
    (* hierconn *) wire \dut.sum_table_0.counts , \dut.sum_table_1.counts ;
    (* hierconn *) wire \dut.sum_table_2.counts , \dut.sum_table_3.counts ;
    (* hierconn *) wire \dut.sum_table_0.flush , \dut.sum_table_1.flush ;
    (* hierconn *) wire \dut.sum_table_2.flush , \dut.sum_table_3.flush ;
    (* hierconn *) wire [107:0] \dut.sum_table_0.evt , \dut.sum_table_1.evt ;
    (* hierconn *) wire [107:0] \dut.sum_table_2.evt , \dut.sum_table_3.evt ;
    (* hierconn *) wire [8:0] \dut.sum_table_0.walk , \dut.sum_table_1.walk ;
    (* hierconn *) wire [8:0] \dut.sum_table_2.walk , \dut.sum_table_3.walk ;
    (* hierconn *) wire \dut.sum_table_0__entry_valid , \dut.sum_table_1__entry_valid ;
    (* hierconn *) wire \dut.sum_table_2__entry_valid , \dut.sum_table_3__entry_valid ;
    (* hierconn *) wire [97:0] \dut.sum_table_0__entry , \dut.sum_table_1__entry ;
    (* hierconn *) wire [97:0] \dut.sum_table_2__entry , \dut.sum_table_3__entry ;
    (* hierconn *) wire \dut.entry_fifo_0.write_valid , \dut.entry_fifo_1.write_valid ;
    (* hierconn *) wire \dut.entry_fifo_2.write_valid , \dut.entry_fifo_3.write_valid ;
    (* hierconn *) wire [97:0] \dut.entry_fifo_0.write_data , \dut.entry_fifo_1.write_data ;
    (* hierconn *) wire [97:0] \dut.entry_fifo_2.write_data , \dut.entry_fifo_3.write_data ;
    (* hierconn *) wire \dut.entry_fifo_0__m_axis_tvalid , \dut.entry_fifo_1__m_axis_tvalid ;
    (* hierconn *) wire \dut.entry_fifo_2__m_axis_tvalid , \dut.entry_fifo_3__m_axis_tvalid ;
    (* hierconn *) wire [97:0] \dut.entry_fifo_0__m_axis_tdata , \dut.entry_fifo_1__m_axis_tdata ;
    (* hierconn *) wire [97:0] \dut.entry_fifo_2__m_axis_tdata , \dut.entry_fifo_3__m_axis_tdata ;
    (* hierconn *) wire \dut.entry_fifo_0.m_axis_tready , \dut.entry_fifo_1.m_axis_tready ;
    (* hierconn *) wire \dut.entry_fifo_2.m_axis_tready , \dut.entry_fifo_3.m_axis_tready ;

    wire [3:0] counts = {\dut.sum_table_3.counts , \dut.sum_table_2.counts ,
        \dut.sum_table_1.counts , \dut.sum_table_0.counts };
    wire [3:0] empties = {\dut.sum_table_3.flush , \dut.sum_table_2.flush ,
        \dut.sum_table_1.flush , \dut.sum_table_0.flush };
    wire [431:0] events = {\dut.sum_table_3.evt , \dut.sum_table_2.evt ,
        \dut.sum_table_1.evt , \dut.sum_table_0.evt };
    wire [35:0] walks = {\dut.sum_table_3.walk , \dut.sum_table_2.walk ,
        \dut.sum_table_1.walk , \dut.sum_table_0.walk };
    wire [3:0] leaves = {\dut.sum_table_3__entry_valid , \dut.sum_table_2__entry_valid ,
        \dut.sum_table_1__entry_valid , \dut.sum_table_0__entry_valid };
    wire [391:0] left = {\dut.sum_table_3__entry , \dut.sum_table_2__entry ,
        \dut.sum_table_1__entry , \dut.sum_table_0__entry };
    wire [3:0] writes = {\dut.entry_fifo_3.write_valid , \dut.entry_fifo_2.write_valid ,
        \dut.entry_fifo_1.write_valid , \dut.entry_fifo_0.write_valid };
    wire [391:0] written = {\dut.entry_fifo_3.write_data , \dut.entry_fifo_2.write_data ,
        \dut.entry_fifo_1.write_data , \dut.entry_fifo_0.write_data };
    wire [3:0] shows = {\dut.entry_fifo_3__m_axis_tvalid , \dut.entry_fifo_2__m_axis_tvalid ,
        \dut.entry_fifo_1__m_axis_tvalid , \dut.entry_fifo_0__m_axis_tvalid };
    wire [391:0] shown = {\dut.entry_fifo_3__m_axis_tdata , \dut.entry_fifo_2__m_axis_tdata ,
        \dut.entry_fifo_1__m_axis_tdata , \dut.entry_fifo_0__m_axis_tdata };
    wire [3:0] takes = {\dut.entry_fifo_3.m_axis_tready , \dut.entry_fifo_2.m_axis_tready ,
        \dut.entry_fifo_1.m_axis_tready , \dut.entry_fifo_0.m_axis_tready };

    wire takes_row = \dut.row_fifo__m_axis_tvalid & \dut.row_fifo__m_axis_tready ;
    // The trace ID of the last start.
    wire starts = takes_row & \dut.row_fifo__m_axis_tdata [1];
    reg started = 0;
    reg [6:0] trace_id_of_start;
    always @(posedge clock)
        if (starts) begin
            started <= 1;
            trace_id_of_start <= \dut.row_fifo__m_axis_tdata [8:2];
        end
    wire chooses = \dut.entry_select__beat_valid ;
    wire [128:0] beat = \dut.entry_select__beat ;
    reg runs = 0;
    reg [129:0] chosen;
    // Entries in the packet so far: no packet has more than 256.
    reg [7:0] entries;
    always @(posedge clock) begin
        runs <= 1;
        chosen <= {chooses, beat};
        entries <= reset || chooses && beat[128] ? 0 : \dut.packet__q + chooses;
    end
    reg [2:0] gone;
    integer n;
    always @* begin
        gone = \dut.sends_marker ;
        for (n = 0; n < 4; n = n + 1) begin
            // From the row to the table, in which a place is emptied or an event counts.
            assert(counts[n] == takes_row && empties[n] == \dut.walks );
            assert(events[108 * n +: 108] == \dut.row_fifo__m_axis_tdata [108 * n + 9 +: 108]);
            assert(walks[9 * n +: 9] == \dut.walk__q );
            assert(!(counts[n] && empties[n]));
            // From the table to its FIFO.
            assert(writes[n] == leaves[n]);
            assert(written[98 * n +: 98] == left[98 * n +: 98]);
            // From there to the last one: kind, trace ID, weight and key.
            gone = gone + (shows[n] & takes[n]);
            if (shows[n] && takes[n])
                assert(beat == {&\dut.packet__q , shown[98 * n + 2 +: 64], shown[98 * n + 66 +: 32], 17'd0,
                    \dut.id__q , 4'd0, 2'b01, shown[98 * n +: 2]});
        end
        if (started)
            assert(\dut.next_id__q == trace_id_of_start);
        assert(gone == chooses);
        assert(\dut.beat_fifo__fills_up || chooses || shows == 0);
        assert(!runs || entries == \dut.packet__q );
        assert(!runs || chosen == {\dut.beat_fifo__write_valid , \dut.beat_fifo__write_data });
        if (\dut.sends_marker ) begin
            assert(beat[128:64] == {1'b1, 64'd0} && {beat[31:15], beat[7:4]} == 0);
            if (\dut.is_start__q )
                assert({beat[63:32], beat[14:8], beat[3:0]} == {32'd1, \dut.next_id__q , 4'd1});
            else if (\dut.is_loss__q )
                assert({beat[63:32], beat[14:8], beat[3:0]} == {lost_words, \dut.id__q , 4'd3});
            else
                assert({beat[63:32], beat[14:8], beat[3:0]}
                    == {\dut.flushes__q + 32'd1, \dut.id__q , 4'd2});
        end
    end
endmodule
