"""Reading pictures of pages: text recognition by the PP-OCR models (Apache-2.0) over ONNX Runtime, and what it sees."""
