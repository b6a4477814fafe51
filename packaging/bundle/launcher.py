"""The program of the self-contained folder; also stands in for Python where Paperchute starts processes of its own."""

import os
import runpy
import sys

OPENED = "__CFBundleIdentifier"
"""Variable by which macOS says whose window or icon a program was started from."""


def main() -> None:
    """Run the command line, or with `-P -m MODULE` that module of ours, as `sys.executable` is asked to everywhere."""
    words = sys.argv[1:]
    if words[:2] == ["-P", "-m"] and words[2:3] and words[2].partition(".")[0] == "paperchute":
        sys.argv = words[2:]
        runpy.run_module(words[2], run_name="__main__", alter_sys=True)
        return
    if not words and os.environ.get(OPENED) == "app.paperchute":  # Paperchute.app was opened: nobody could type "run"
        sys.argv.append("run")
    from paperchute.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
