"""API keys of a service that several people or programs share: who they are, their quotas, and what they have used."""
