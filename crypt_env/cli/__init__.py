"""The commands of ``crypt``: one file for each, and nothing is loaded but what the command needs.

A new command is a file with `add`, which describes its arguments, and a line in `main`.
"""
