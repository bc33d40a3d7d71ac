"""AC5xx: agents, their wiring and the passing of control."""
