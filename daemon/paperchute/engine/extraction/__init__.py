"""Fields and tables out of a document: what labels, tables and places on the page tell, without a language model."""
