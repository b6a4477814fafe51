"""Tables of a page, by how their grid is known: tagged in the document, drawn as rules, or told by alignment."""
