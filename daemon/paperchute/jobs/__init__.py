"""Jobs: written down before they run, run to the end whatever happens, delivered whole.

The only room that changes a user's files.
"""
