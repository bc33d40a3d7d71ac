"""How near texts are to each other: by their words, or by a model of meaning that is installed."""
