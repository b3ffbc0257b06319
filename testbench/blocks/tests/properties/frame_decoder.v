// SPDX-License-Identifier: MIT OR Apache-2.0
// Rows of a frame against the frame read byte by byte, as the formatter is specified: for every
// data byte its value and its trace ID, in four cycles that start two after the frame.
// Assumed: at most one frame in four cycles.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [6:0] \dut.current__q ;
    (* hierconn *) wire \dut.current_valid__q ;
    localparam [6:0] UNKNOWN = 7'h7F;

    reg [2:0] age = 4;
    always @(posedge clock)
        age <= s_frame_tvalid ? 1 : age == 4 ? 4 : age + 1;
    always @*
        assume(!s_frame_tvalid || age == 4);

    // The source of the next byte, and that of the byte after it, which differs after a late
    // change.
    reg [6:0] id = UNKNOWN, source, source_behind;
    reg [7:0] octet;
    reg bit_0;
    reg [127:0] data;
    reg [111:0] ids;
    reg [15:0] keep;
    integer n;
    always @* begin
        data = 0;
        ids = 0;
        keep = 0;
        source = s_frame_discontinuity ? UNKNOWN : id;
        source_behind = source;
        for (n = 0; n < 15; n = n + 1) begin
            octet = s_frame_tdata[8 * n +: 8];
            bit_0 = s_frame_tdata[120 + n / 2];
            if (n % 2 == 0 && octet[0]) begin
                source_behind = octet[7:1];
                if (!bit_0 || n == 14)
                    source = source_behind;
            end else begin
                keep[n] = 1;
                ids[7 * n +: 7] = source;
                data[8 * n +: 8] = n % 2 == 0 ? {octet[7:1], bit_0} : octet;
                source = source_behind;
            end
        end
    end

    // Rows still to come, and the current one.
    reg [2:0] left = 0;
    reg [127:0] data_left = 0;
    reg [111:0] ids_left = 0;
    reg [15:0] keep_left = 0;
    reg lost = 0, shows = 0, shows_loss = 0;
    reg [31:0] row_data = 0;
    reg [27:0] row_ids = 0;
    reg [3:0] row_keep = 0;
    always @(posedge clock) begin
        shows <= left != 0 && !reset;
        {data_left, row_data} <= {32'd0, data_left};
        {ids_left, row_ids} <= {28'd0, ids_left};
        {keep_left, row_keep} <= {4'd0, keep_left};
        shows_loss <= left != 0 && lost;
        lost <= 0;
        if (left != 0)
            left <= left - 1;
        if (s_frame_tvalid) begin
            left <= 4;
            data_left <= data;
            ids_left <= ids;
            keep_left <= keep;
            lost <= s_frame_discontinuity;
            id <= source;
        end
        if (reset) begin
            left <= 0;
            id <= UNKNOWN;
        end
    end

    reg [31:0] bits;
    reg [27:0] id_bits;
    integer lane;
    always @* begin
        for (lane = 0; lane < 4; lane = lane + 1) begin
            bits[8 * lane +: 8] = {8{row_keep[lane]}};
            id_bits[7 * lane +: 7] = {7{row_keep[lane]}};
        end
        assert(m_axis_tvalid == shows);
        if (shows) begin
            assert(m_axis_tkeep == row_keep);
            assert(((m_axis_tdata ^ row_data) & bits) == 0);
            assert(((m_axis_tid ^ row_ids) & id_bits) == 0);
            assert(m_axis_discontinuity == shows_loss);
        end
        // Between frames the block keeps the ID left by the last one.
        if (left == 0)
            assert(id == (\dut.current_valid__q ? \dut.current__q : UNKNOWN));
    end
endmodule
