"""What recorded runs would have been like under other rules: policies, models, histories."""
