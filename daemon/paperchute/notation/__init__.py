"""How people write numbers and dates, and what a text can therefore mean. Knows nothing of anything else here."""
