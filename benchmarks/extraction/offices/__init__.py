"""Documents of offices that other programs print: Chromium and LibreOffice, from HTML, Word and OpenDocument files."""
