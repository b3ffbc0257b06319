  // The body of a memory that keeps the word of one place; see `memory.rs`.
  reg `PLACE place;
  reg `WORD word;
  wire `WORD anything;
  always @(posedge write_clock) begin
    place <= place;
    if (write_enable && write_address == place) word <= write_data;
  end
  always @(posedge read_clock) begin
    read_data <= read_address == place ? word : anything;
  end
