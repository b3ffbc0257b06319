  // The body of a memory that returns any word; see `memory.rs`.
  wire `WORD anything;
  always @(posedge read_clock) begin
    read_data <= anything;
  end
