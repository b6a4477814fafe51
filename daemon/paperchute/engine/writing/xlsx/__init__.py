"""The workbook writer."""
