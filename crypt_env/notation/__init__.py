"""Everything that is written: actions, positions, records, events, views in words, and quotes in messages.

What turns a game into text, or text into a game, belongs here.
"""
