"""How each HTTP client is answered in process."""
