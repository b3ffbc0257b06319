  // The body of a table of sums that may evict any entry, four cycles after an event or a flush.
  reg [3:0] in_flight;
  wire [98:0] anything;
  always @(posedge clock)
    in_flight <= {in_flight[2:0], flush | counts & evt[0]};
  assign {entry_valid, entry} = {in_flight[3] & anything[98], anything[97:0]};
