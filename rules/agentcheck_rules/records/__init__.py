"""AC8xx: what a run leaves behind."""
