"""A slow, plain referee for Crypt: replays and checks crypt-record/1 games, and plays random ones."""
