"""Games on file, and the engine compared with the referee."""
