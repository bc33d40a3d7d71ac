"""Who approved which effects of recorded runs, and what resuming after a pause would repeat."""
