"""AC1xx: what bounds a run."""
