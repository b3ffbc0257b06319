// SPDX-License-Identifier: MIT OR Apache-2.0
// A demultiplexer for four sources against the rules of trace IDs, byte by byte: each source gets
// the bytes of its ID, null and reserved IDs go to no source, and dropped bytes are counted.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    wire [27:0] wants = {ids_3, ids_2, ids_1, ids_0};

    // The source of each byte: bit 4 * source + lane; the dropped bytes of each kind.
    reg [15:0] gets;
    reg [2:0] nulls, reserveds, unclaimeds;
    reg [6:0] id;
    reg is_wanted;
    integer lane, source;
    always @* begin
        gets = 0;
        nulls = 0;
        reserveds = 0;
        unclaimeds = 0;
        for (lane = 0; lane < 4; lane = lane + 1)
            if (s_axis_tvalid && s_axis_tkeep[lane]) begin
                id = s_axis_tid[7 * lane +: 7];
                is_wanted = 0;
                if (id == 0)
                    nulls = nulls + 1;
                else if (id >= 7'h70 && id <= 7'h7E)
                    reserveds = reserveds + 1;
                else begin
                    for (source = 0; source < 4; source = source + 1)
                        if (id != 7'h7F && enables[source] && wants[7 * source +: 7] == id) begin
                            gets[4 * source + lane] = 1;
                            is_wanted = 1;
                        end
                    if (!is_wanted)
                        unclaimeds = unclaimeds + 1;
                end
            end
    end

    function [31:0] plus(input [31:0] sum, input [2:0] amount);
        plus = sum > 32'hFFFFFFFF - amount ? 32'hFFFFFFFF : sum + amount;
    endfunction

    reg [31:0] data = 0;
    reg [15:0] got = 0;
    reg [3:0] reported = 0;
    reg was_reset = 0;
    reg [8:0] dropped_1 = 0, dropped_2 = 0;
    reg [31:0] null_sum = 0, reserved_sum = 0, unclaimed_sum = 0;
    always @(posedge clock) begin
        data <= s_axis_tdata;
        got <= gets;
        reported <= s_axis_tvalid && s_axis_discontinuity ? enables : 0;
        was_reset <= reset;
        dropped_1 <= reset ? 0 : {nulls, reserveds, unclaimeds};
        dropped_2 <= reset ? 0 : dropped_1;
        null_sum <= reset ? 0 : plus(clear ? 0 : null_sum, dropped_2[8:6]);
        reserved_sum <= reset ? 0 : plus(clear ? 0 : reserved_sum, dropped_2[5:3]);
        unclaimed_sum <= reset ? 0 : plus(clear ? 0 : unclaimed_sum, dropped_2[2:0]);
    end

    wire [3:0] shown = {m_axis_tvalid_3, m_axis_tvalid_2, m_axis_tvalid_1, m_axis_tvalid_0};
    wire [15:0] kept = {m_axis_tkeep_3, m_axis_tkeep_2, m_axis_tkeep_1, m_axis_tkeep_0};
    wire [3:0] lost = {m_axis_discontinuity_3, m_axis_discontinuity_2, m_axis_discontinuity_1,
        m_axis_discontinuity_0};
    wire [127:0] rows = {m_axis_tdata_3, m_axis_tdata_2, m_axis_tdata_1, m_axis_tdata_0};
    integer s;
    always @* begin
        for (s = 0; s < 4; s = s + 1) begin
            assert(shown[s] == (!was_reset && (got[4 * s +: 4] != 0 || reported[s])));
            if (shown[s])
                assert(rows[32 * s +: 32] == data && kept[4 * s +: 4] == got[4 * s +: 4]
                    && lost[s] == reported[s]);
        end
        assert(null_drops == null_sum);
        assert(reserved_drops == reserved_sum);
        assert(unclaimed_drops == unclaimed_sum);
    end
endmodule
