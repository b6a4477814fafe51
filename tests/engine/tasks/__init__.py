"""The ports of the tasks, over each of their implementations."""
