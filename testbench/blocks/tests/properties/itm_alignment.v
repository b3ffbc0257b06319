// SPDX-License-Identifier: MIT OR Apache-2.0
// The place of the next byte against the zeros before it. `distance` is how many more of them lead to the zeros
// of a sync, and at most 5 do: so behind 5 or more the place is there, whatever came before them, and no place
// is left for ever.
module rules(`INPUTS);
    `OUTPUTS
    `BLOCK dut(`PORTS);
    (* hierconn *) wire [3:0] \dut.roles_held_place_s2 ;

    // The word whose place this is, and whether the next one restarts.
    reg [31:0] octets_1, octets;
    reg [3:0] keeps_1 = 0, keeps = 0;
    reg restarts = 1;
    // A register that rules read begins with any value; the first word restarts it.
    reg begun = 0;
    always @(posedge clock) begin
        octets_1 <= {s_octet_3, s_octet_2, s_octet_1, s_octet_0};
        keeps_1 <= {4{s_valid & ~reset}} & {s_keep_3, s_keep_2, s_keep_1, s_keep_0};
        restarts <= reset | s_valid & s_discontinuity;
        octets <= octets_1;
        keeps <= keeps_1;
        begun <= 1;
    end

    // Zeros before the word, up to 5.
    reg [2:0] run = 0;
    reg [2:0] run_after;
    integer k;
    always @* begin
        run_after = run;
        for (k = 0; k < 4; k = k + 1)
            if (keeps[k])
                run_after = octets[8 * k +: 8] != 0 ? 0 : run_after == 5 ? 5 : run_after + 1;
    end
    always @(posedge clock)
        run <= restarts ? 0 : run_after;

    // A header, so many bytes of a payload of fixed length, a payload that ends by itself, a sync.
    reg [2:0] distance;
    always @*
        case (\dut.roles_held_place_s2 )
            0: distance = 1;
            1, 2, 3, 4: distance = \dut.roles_held_place_s2 + 1;
            15: distance = 0;
            default: distance = 2;
        endcase
    always @*
        if (begun)
            assert(distance + run <= 5);
endmodule
