"""Everything that is written: actions, positions, records, events, and views in words.

What turns a game into text, or text into a game, belongs here.
"""
