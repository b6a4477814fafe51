"""The client of a service, and the process of the built-in one."""
