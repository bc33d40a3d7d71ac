"""What would be left of recorded conversations if they were made shorter before each model call."""
