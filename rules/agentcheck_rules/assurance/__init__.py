"""AC9xx: what shows that it works."""
