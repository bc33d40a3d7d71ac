"""AC4xx: who says yes before an effect."""
