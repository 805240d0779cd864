"""Drawing a game. Loaded when something is drawn, never by the rules."""
