"""Page operations and generation beside the programs people trust for each, in the same run on the same files."""
