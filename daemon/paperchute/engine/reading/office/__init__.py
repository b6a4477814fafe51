"""Office files and texts, which have no pages of their own: read from what they state, printed for places.

So all that is read has places on pages, as the contract's results want them, and nothing is guessed from a print.
"""
