"""How well the first pages of documents are found in stacks without separator sheets."""
