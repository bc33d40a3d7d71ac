"""The wire formats: how each provider is asked, and how it answers."""
