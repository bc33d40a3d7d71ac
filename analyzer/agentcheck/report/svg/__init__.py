"""Pieces of an SVG picture of the agent graph."""
