"""Records of games that agents play, and datasets made from them."""
