"""Compare two texts."""
