"""Layout analysis on our own records (words, rules, dots), whether they come from a PDF or from OCR."""
