"""`python -m paperchute`: the command line."""

from paperchute.cli import main

main()
