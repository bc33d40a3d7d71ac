"""Facts of all files -> the agent graph, and the questions that rules ask of it."""
