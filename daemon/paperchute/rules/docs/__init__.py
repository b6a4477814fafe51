"""What is printed from the model and the contract: the reference page, the schema for editors, worked examples."""
