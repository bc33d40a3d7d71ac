"""What recorded model calls would have cost if each had gone to the cheapest model that does."""
