"""Office files of others, printed by the engine alone and by LibreOffice: words, their places, failures, time."""
