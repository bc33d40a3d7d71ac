"""AC7xx: checks that can fail open."""
