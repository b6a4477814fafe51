"""The engine: a local service that answers the contract by itself. Imports the contract and nothing else of ours."""
