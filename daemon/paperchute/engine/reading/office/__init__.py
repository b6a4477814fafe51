"""Office files and texts, which have no pages of their own: printed first, then read like any PDF.

So all that is read has places on pages, as the contract's results want them.
"""
