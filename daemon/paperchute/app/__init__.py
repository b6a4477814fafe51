"""Wires the rooms together: the daemon, its intake, and what it tells the faces."""
