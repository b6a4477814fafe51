"""What a cluster of engines costs beside an engine that works alone, and whether more workers do more."""
