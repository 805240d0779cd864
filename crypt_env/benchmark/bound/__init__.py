"""How near to perfect alone: an upper bound of what any player of the Only Child gets on average.

``docs/studies.md`` says what the bound means. The files, in the order of the argument:

``moves``    the dice of one round: all that a player and the Ghost can do, apart from which cards are where
``holdings`` what matters of a collection, type by type
``layout``   the collections that are possible in each round of a deal
``guess``    a guess of what a collection and dice are worth, and why charging by it gives a bound
``sieve``    the plans that the guess looks at
``rounds``   the best play of one round by a player who knows its cards
``solve``    the best play of a player who knows the deck and is charged for it
``fitting``  fits the guess, from the last round back
``measure``  the mean over deals
"""
