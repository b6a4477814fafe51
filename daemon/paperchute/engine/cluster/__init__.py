"""Several engines as one service: tasks in PostgreSQL, files in an object storage, work by Procrastinate's queue.

Installed with `paperchute[scale]`; an engine that works alone imports nothing of it. docs/scaling.md has the whole.
"""
