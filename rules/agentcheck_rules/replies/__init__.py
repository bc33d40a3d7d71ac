"""AC2xx: how a model's reply is read."""
