// SPDX-License-Identifier: MIT OR Apache-2.0
// A memory of four places reads like `one_place.v`, for any place, once the place was written.
module rules(`INPUTS);
    wire [1:0] read_data, kept_data;
    words dut(.read_data(read_data), .read_address(read_address), .read_clock(read_clock),
        .write_address(write_address), .write_clock(write_clock), .write_data(write_data),
        .write_enable(write_enable));
    `BLOCK kept(.read_data(kept_data), .read_address(read_address), .read_clock(read_clock),
        .write_address(write_address), .write_clock(write_clock), .write_data(write_data),
        .write_enable(write_enable));

    (* hierconn *) wire [1:0] \dut.mem[0] , \dut.mem[1] , \dut.mem[2] , \dut.mem[3] ;
    wire [7:0] words = {\dut.mem[3] , \dut.mem[2] , \dut.mem[1] , \dut.mem[0] };
    (* hierconn *) wire [1:0] \kept.place , \kept.word ;

    // The place was written, and a word that it had was read from it.
    reg known = 0, reads_place = 0;
    always @(posedge write_clock)
        if (write_enable && write_address == \kept.place )
            known <= 1;
    always @(posedge read_clock)
        reads_place <= known && read_address == \kept.place ;
    always @* begin
        if (known)
            assert(words[2 * \kept.place +: 2] == \kept.word );
        if (reads_place)
            assert(read_data == kept_data);
    end
endmodule
