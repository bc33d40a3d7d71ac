"""AC6xx: what the model is given to read."""
