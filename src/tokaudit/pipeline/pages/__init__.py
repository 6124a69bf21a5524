"""Pages of a text: running lines, page numbers, watermarks, columns."""
