"""The page on which Crypt is played and replayed: static files, the engine as WebAssembly, and their server."""
