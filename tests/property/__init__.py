"""Properties that hold in every game: what the design and the rules promise, checked on many games."""
