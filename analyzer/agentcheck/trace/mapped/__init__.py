"""Readers that a user describes in the configuration, for logs of a form of his own."""
