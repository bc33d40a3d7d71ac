"""Which files, and how their bytes become trees: discovery, decoding, the gate, positions."""
