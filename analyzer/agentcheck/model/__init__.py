"""The nouns: frozen, serialisable, no I/O. Every other layer speaks in these."""
