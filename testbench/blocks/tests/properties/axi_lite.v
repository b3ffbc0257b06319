// SPDX-License-Identifier: MIT OR Apache-2.0
// The rules of AXI4-Lite for a slave, as assertions around one. All inputs are free.
module rules(
    input wire clock,
    input wire reset,
    input wire [3:0] awaddr,
    input wire awvalid,
    input wire [31:0] wdata,
    input wire [3:0] wstrb,
    input wire wvalid,
    input wire bready,
    input wire [3:0] araddr,
    input wire arvalid,
    input wire rready,
    input wire write_known,
    input wire [31:0] read_data,
    input wire read_known
);
    wire awready, wready, bvalid, arready, rvalid, write_strobe;
    wire [1:0] bresp, rresp, write_index, read_index;
    wire [31:0] rdata, write_data;
    wire [3:0] write_strb;

    slave dut(
        .clock(clock),
        .reset(reset),
        .s_axi_awaddr(awaddr),
        .s_axi_awvalid(awvalid),
        .s_axi_awready(awready),
        .s_axi_wdata(wdata),
        .s_axi_wstrb(wstrb),
        .s_axi_wvalid(wvalid),
        .s_axi_wready(wready),
        .s_axi_bresp(bresp),
        .s_axi_bvalid(bvalid),
        .s_axi_bready(bready),
        .s_axi_araddr(araddr),
        .s_axi_arvalid(arvalid),
        .s_axi_arready(arready),
        .s_axi_rdata(rdata),
        .s_axi_rresp(rresp),
        .s_axi_rvalid(rvalid),
        .s_axi_rready(rready),
        .write_strobe(write_strobe),
        .write_index(write_index),
        .write_data(write_data),
        .write_strb(write_strb),
        .write_known(write_known),
        .read_index(read_index),
        .read_data(read_data),
        .read_known(read_known)
    );

    // The previous cycle.
    reg past = 0;
    reg was_reset = 0;
    reg b_waits = 0;
    reg r_waits = 0;
    reg [1:0] was_bresp = 0;
    reg [1:0] was_rresp = 0;
    reg [31:0] was_rdata = 0;
    always @(posedge clock) begin
        past <= 1;
        was_reset <= reset;
        b_waits <= bvalid & !bready & !reset;
        r_waits <= rvalid & !rready & !reset;
        was_bresp <= bresp;
        was_rresp <= rresp;
        was_rdata <= rdata;
    end

    // Requests accepted and not answered, with their payload.
    reg aw_open = 0;
    reg w_open = 0;
    reg ar_open = 0;
    reg applied = 0;
    reg known = 0;
    reg [1:0] aw_index = 0;
    reg [1:0] ar_index = 0;
    reg [31:0] w_data = 0;
    reg [3:0] w_strb = 0;
    always @(posedge clock) begin
        if (awvalid & awready) begin
            aw_open <= 1;
            aw_index <= awaddr[3:2];
        end
        if (wvalid & wready) begin
            w_open <= 1;
            w_data <= wdata;
            w_strb <= wstrb;
        end
        if (write_strobe) begin
            applied <= 1;
            known <= write_known;
        end
        if (arvalid & arready) begin
            ar_open <= 1;
            ar_index <= araddr[3:2];
        end
        if (bvalid & bready) begin
            aw_open <= 0;
            w_open <= 0;
            applied <= 0;
        end
        if (rvalid & rready)
            ar_open <= 0;
        if (reset) begin
            aw_open <= 0;
            w_open <= 0;
            ar_open <= 0;
            applied <= 0;
        end
    end

    // Cycles since the slave has had all that an answer needs.
    reg [1:0] b_age = 0;
    reg [1:0] r_age = 0;
    // The answer of the register port one cycle after the index.
    reg [31:0] found = 0;
    reg found_known = 0;
    always @(posedge clock) begin
        b_age <= (reset | !aw_open | !w_open | bvalid) ? 2'd0 : b_age + 2'd1;
        r_age <= (reset | !ar_open | rvalid) ? 2'd0 : r_age + 2'd1;
        if (r_age == 1) begin
            found <= read_data;
            found_known <= read_known;
        end
    end

    always @* begin
        // No VALID and no READY after a cycle of reset.
        if (was_reset)
            assert(!bvalid && !rvalid && !awready && !wready && !arready);
        // VALID stays until READY, with the same payload.
        if (b_waits)
            assert(bvalid && bresp == was_bresp);
        if (r_waits)
            assert(rvalid && rdata == was_rdata && rresp == was_rresp);
        // One transaction at a time, and exactly one answer for each.
        assert(!(awready && aw_open));
        assert(!(wready && w_open));
        assert(!(arready && ar_open));
        assert(bvalid == applied);
        if (bvalid)
            assert(aw_open && w_open);
        if (rvalid)
            assert(ar_open);
        // The answer comes in time; that of a read exactly when it is known.
        assert(b_age < 2);
        assert(r_age < 3);
        if (rvalid && !r_waits)
            assert(r_age == 2);
        // A free slave becomes ready.
        if (past && !was_reset)
            assert((awready || aw_open) && (wready || w_open) && (arready || ar_open));
        // A write is passed on once, as it was accepted, and the response matches the register
        // port.
        if (aw_open)
            assert(write_index == aw_index);
        if (w_open)
            assert(write_data == w_data && write_strb == w_strb);
        if (write_strobe)
            assert(aw_open && w_open && !applied);
        if (bvalid)
            assert(bresp == (known ? 2'b00 : 2'b10));
        // A read shows the index from the next cycle on; the answer is that of the register port.
        if (ar_open)
            assert(read_index == ar_index);
        if (rvalid)
            assert(rresp == (found_known ? 2'b00 : 2'b10)
                && rdata == (found_known ? found : 32'd0));
    end
endmodule
