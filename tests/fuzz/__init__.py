"""Fuzzers: valid inputs of every parser, damaged at random, and what must hold for every result."""
