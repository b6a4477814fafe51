"""The demo's documents and rules, as package data."""
