"""Count."""
