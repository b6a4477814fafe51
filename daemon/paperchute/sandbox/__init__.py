"""A process that reads foreign documents closes itself in, before it sees the first one.

Below all other rooms, and used by the engine's workers and the daemon's reader alike: `plain_environment` is what such
a process is started with, `confine` what it calls first. Each system does it in its own way (`linux`, `macos`,
`windows`); docs/security.md says which fence keeps what out.
"""

from paperchute.sandbox.fence import Fence, Standing, confine, plain_environment, take

__all__ = ["Fence", "Standing", "confine", "plain_environment", "take"]
