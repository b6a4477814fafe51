"""Undoing what was done: what that would mean for a job, and doing it, whole or not at all."""
