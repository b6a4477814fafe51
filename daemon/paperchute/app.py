"""Wires the rooms together."""
