"""Everything that is written: positions, records, events, views in words, and how messages quote what was given.

What turns a game into text, or text into a game, belongs here. The actions' own texts are in `rules.actions`.
"""
