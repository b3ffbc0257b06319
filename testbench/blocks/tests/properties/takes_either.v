  // The body of a synchroniser that samples the old or the new value of each bit; see `clocks.rs`.
  reg `BITS sampled = 0, unsure = 0, second = 0;
  wire `BITS anything;
  wire `BITS old = sampled, open = unsure;
  wire `BITS first = old ^ ((old ^ d) & open);
  assign q = second;
  always @(posedge step) sampled <= clock ? d : first;
  always @(posedge step) unsure <= clock ? anything : 0;
  always @(posedge step) if (clock) second <= first;
