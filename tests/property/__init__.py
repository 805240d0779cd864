"""Properties that hold in every game: what DESIGN and RULES promise, tried on many games."""
