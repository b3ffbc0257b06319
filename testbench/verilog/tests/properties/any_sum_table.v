  // The body of a table of sums of which any entry may leave, four cycles after an event or a flush.
  reg [3:0] under_way;
  wire [98:0] anything;
  always @(posedge clock)
    under_way <= {under_way[2:0], flush | counts & evt[0]};
  assign {entry_valid, entry} = {under_way[3] & anything[98], anything[97:0]};
