"""Fuzzers: valid inputs of every parser, damaged at random, and what must be true whatever comes out of that."""
