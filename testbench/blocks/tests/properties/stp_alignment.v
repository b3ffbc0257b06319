// SPDX-License-Identifier: MIT OR Apache-2.0
// The place of the next nibble against the nibbles F before it. `distance` is how many more of them lead to
// the nibbles of an ASYNC, and at most 19 do: so behind 19 or more the place is there, whatever came before
// them, and no place is left for ever.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [5:0] \dut.places_held_s3 ;
    (* hierconn *) wire [0:0] \dut.behind_zeros_0_s2 ;

    // The word whose place this is, and whether the next one restarts.
    reg [31:0] octets_1, octets_2, octets;
    reg [3:0] keeps_1 = 0, keeps_2 = 0, keeps = 0;
    reg restarts_1 = 1, restarts = 1;
    // A register that rules read begins with any value; the first word restarts it, in the second cycle.
    reg has_restarted = 0, begun = 0;
    always @(posedge clock) begin
        octets_1 <= {s_octet_3, s_octet_2, s_octet_1, s_octet_0};
        keeps_1 <= {4{s_valid & ~reset}} & {s_keep_3, s_keep_2, s_keep_1, s_keep_0};
        restarts_1 <= reset | s_valid & s_discontinuity;
        octets_2 <= octets_1;
        keeps_2 <= keeps_1;
        restarts <= restarts_1;
        octets <= octets_2;
        keeps <= keeps_2;
        has_restarted <= 1;
        begun <= has_restarted;
    end

    // Nibbles F before the word, up to 19.
    reg [4:0] run = 0;
    reg [4:0] run_after;
    integer k;
    always @* begin
        run_after = run;
        for (k = 0; k < 8; k = k + 1)
            if (keeps[k / 2])
                run_after = octets[4 * k +: 4] != 15 ? 0 : run_after == 19 ? 19 : run_after + 1;
    end
    always @(posedge clock)
        run <= restarts ? 0 : run_after;

    // Whether there was a nibble before the word, and before the next one, and whether it was 0.
    reg was = 0, was_next = 0, zero = 0, zero_next = 0;
    always @(posedge clock) begin
        for (k = 0; k < 4; k = k + 1)
            if (keeps_2[k])
                zero_next <= octets_2[8 * k + 4 +: 4] == 0;
        was_next <= was_next | keeps_2 != 0;
        was <= was_next;
        zero <= zero_next;
    end

    wire skips = \dut.places_held_s3 [5];
    wire [2:0] at = skips ? \dut.places_held_s3 [1:0] : \dut.places_held_s3 [2:0];
    reg [2:0] alone;
    always @*
        case (at)
            0: alone = 2; // an opcode
            2: alone = 4; // the last nibble of data before a size
            4: alone = 0; // an ASYNC
            5: alone = zero ? 3 : 1; // the third nibble of an opcode, behind F0, or the second one, behind F
            default: alone = 3; // a size, the last nibble of a packet, the data of a VERSION
        endcase
    wire [3:0] bytes = skips ? \dut.places_held_s3 [4:2] + 4'd1 : 4'd0;
    wire [5:0] distance = 2 * bytes + alone;
    always @*
        if (begun) begin
            assert(at != 7);
            assert(!was_next || zero_next == \dut.behind_zeros_0_s2 );
            assert(run == 0 || was && !zero);
            assert(at != 5 || was);
            assert(distance + run <= 19);
        end
endmodule
