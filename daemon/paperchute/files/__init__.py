"""Facts about files on this machine: identity, whether a writer has one open, names, and putting one in place."""
